#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An MCP server of a test, on standard input and output.

usage: mcp_double.py [mode ...]
  notes=FILE    appends what it hears of cancelling, its environment and its end
  version=V     answers initialize with that revision
  silent        never answers initialize
  dies          ends before the handshake
  bad-tools     lists tools that must not be taken, and two whose names collide
"""
import json
import os
import sys
import time

MODES = dict(a.split("=", 1) if "=" in a else (a, "") for a in sys.argv[1:])
PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
       "gg==")
CALLS = {}
TOOLS = ["echo", "picture", "fails", "crash", "hang", "progress", "grow", "refuses", "environment"]


def note(text):
    if "notes" in MODES:
        with open(MODES["notes"], "a", encoding="utf-8") as file:
            file.write(text + "\n")


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def deep(levels):
    return {"type": "object", "properties": {"x": deep(levels - 1)}} if levels else {}


def tools():
    listed = [{"name": name, "description": "Does \u202e" + name + "\u0007.",
               "annotations": {"readOnlyHint": True, "openWorldHint": False},
               "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}
              for name in TOOLS]
    if "bad-tools" in MODES:
        listed = [{"name": "a.b", "inputSchema": {"type": "object"}},
                  {"name": "a_b", "inputSchema": {"type": "object"}},
                  {"name": "x" * 100, "inputSchema": {"type": "object"}},
                  {"name": "deep", "inputSchema": deep(20)},
                  {"name": "huge", "inputSchema": {"type": "object", "description": "y" * 70000}},
                  {"name": "none"},
                  {"name": "search", "inputSchema": {"type": "object"}}]
    return listed


def call(id, name, arguments, meta):
    if name == "echo":
        return {"content": [{"type": "text", "text": arguments.get("text", "")}],
                "structuredContent": {"text": arguments.get("text", "")}}
    if name == "picture":
        return {"content": [{"type": "text", "text": "look"},
                            {"type": "image", "data": PNG, "mimeType": "image/png"},
                            {"type": "resource_link", "uri": "file:///x", "name": "x"},
                            {"type": "hologram"}]}
    if name == "fails":
        return {"content": [{"type": "text", "text": "it did not work"}], "isError": True}
    if name == "environment":
        return {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]}
    if name == "crash":
        sys.stderr.write("I am about to crash\n")
        sys.stderr.flush()
        os._exit(3)
    if name == "progress":
        token = meta.get("progressToken")
        send({"method": "notifications/progress",
              "params": {"progressToken": token, "progress": 1, "message": "half way"}})
        return {"content": [{"type": "text", "text": "done"}]}
    if name == "grow":
        TOOLS.append("late")
        send({"method": "notifications/tools/list_changed"})
        return {"content": []}
    if name == "hang":
        note("hangs")
        return None
    send({"id": id, "error": {"code": -32602, "message": "no such tool " + name}})
    return None


def serve(message):
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "initialize":
        if "silent" in MODES:
            return
        send({"id": id, "result": {"protocolVersion": MODES.get("version", "2025-06-18"),
                                   "capabilities": {"tools": {"listChanged": True}},
                                   "serverInfo": {"name": "double", "version": "1"}}})
    elif method == "tools/list":
        listed = tools()
        begin = int(params.get("cursor", 0))
        result = {"tools": listed[begin:begin + 4]}
        if begin + 4 < len(listed):
            result["nextCursor"] = str(begin + 4)
        send({"id": id, "result": result})
    elif method == "tools/call":
        result = call(id, params["name"], params.get("arguments", {}), params.get("_meta", {}))
        if result is not None:
            send({"id": id, "result": result})
    elif method == "notifications/cancelled":
        note("cancelled: " + params.get("reason", ""))


if "dies" in MODES:
    sys.exit(7)
print("starting up", flush=True)  # servers do that, and it is no message
for line in sys.stdin:
    serve(json.loads(line))
note("input ended")
