#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every configuration snippet of docs/protocols/mcp.md, tried: what it starts or names must answer
initialize and tools/list.

usage: mcp_page_test.py SOURCE_DIR GANTRY_BINARY

A snippet is a block of JSON or TOML below a line <!-- host: NAME -->. The test looks in it for an
object that has a command (and args), or a url, and uses that as the host would.
"""
import json
import os
import re
import sys
import tomllib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import mcp_support as support  # noqa: E402

HOSTS = {"Claude Desktop", "Claude Code", "Cursor", "VS Code", "Codex", "Windsurf", "Zed",
         "Gemini CLI", "OpenCode", "Claude Code over HTTP", "VS Code over HTTP", "Codex over HTTP"}


def snippets(page):
    """[(host, parsed block)]"""
    found = re.findall(r"<!-- host: (.+?) -->\n+```(json|toml)\n(.*?)```", page, re.S)
    return [(host, json.loads(text) if kind == "json" else tomllib.loads(text))
            for host, kind, text in found]


def server_of(settings):
    """The innermost object that says how the server is reached."""
    if not isinstance(settings, dict):
        return None
    if "command" in settings or "url" in settings or "httpUrl" in settings:
        return settings
    return next(filter(None, map(server_of, settings.values())), None)


def command_of(server):
    """Some hosts have the program and its arguments in one list."""
    command = server["command"]
    return command if isinstance(command, list) else [command, *server.get("args", [])]


def try_stdio(gantry, server):
    command = command_of(server)
    if command[0] != "gantry":
        raise AssertionError(f"starts {command[0]}")
    with support.StdioClient(gantry, command[1:]) as client:
        return try_server(client)


def try_http(server):
    port = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/mcp", server.get("url") or server["httpUrl"])
    return try_server(support.HttpClient(int(port.group(1))))


def try_server(client):
    greeting = client.initialize()
    tools = client.request("tools/list")["tools"]
    if greeting["serverInfo"]["name"] != "gantry" or len(tools) < 40:
        raise AssertionError(f"{greeting}, {len(tools)} tools")
    return len(tools)


def main():
    source, gantry = sys.argv[1], os.path.realpath(sys.argv[2])
    with open(f"{source}/docs/protocols/mcp.md", encoding="utf-8") as file:
        found = snippets(file.read())
    missing = HOSTS - {host for host, _ in found}
    if missing:
        sys.exit(f"the page has no snippet for {', '.join(sorted(missing))}")
    # What the page tells to start before a host that speaks HTTP; with its customary port.
    with support.Daemon(gantry, ["observer", "--mode", "inspect", "--config", "none.json"]):
        for host, settings in found:
            server = server_of(settings)
            number = try_stdio(gantry, server) if "command" in server else try_http(server)
            print(f"ok  {host}: {number} tools")


if __name__ == "__main__":
    main()
