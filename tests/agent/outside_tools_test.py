#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""web_fetch, web_search and the tools of an MCP server through the daemon and `gantry ask`; and the
examples of docs/tools-web-mcp.md.

usage: outside_tools_test.py GANTRY_BINARY SOURCE_FOLDER
"""
import http.server
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from agent_daemon import AgentDaemon  # noqa: E402

GANTRY, SOURCE = "", ""
PAGE = (b'<!doctype html><title>Greeting</title><h1>Hello</h1>'
        b'<p>Read <a href="rest.html">the rest</a>.</p>')


class Site(http.server.BaseHTTPRequestHandler):
    """A page, and a SearXNG that has found it."""

    def do_GET(self):
        if self.path == "/mcp":
            if self.headers["Last-Event-ID"] == "7":
                return self.answer(200, "text/event-stream", b"data: " + self.server.rest + b"\n\n")
            return self.answer(405, "text/plain", b"")
        pages = {"/hello.html": ("text/html; charset=utf-8", PAGE),
                 "/search?format=json&q=greetings":
                     ("application/json", json.dumps({"results": [
                         {"url": "https://example.org/", "title": "A greeting",
                          "content": "Hello"}]}).encode())}
        kind, body = pages.get(self.path, ("text/plain", b"no such page"))
        self.send_response(200 if self.path in pages else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass

    # ---- an MCP server over HTTP ----

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.heard.append(("POST", dict(self.headers), body))
        method, number = body.get("method"), body.get("id")
        mode = self.server.mode
        if method == "tools/call" and mode == "forgets":
            self.server.mode = "json"
            return self.answer(404, "text/plain", b"no such session")
        if number is None:
            return self.answer(202, "text/plain", b"")
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "double", "version": "1"}},
            "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}}
        result = results.get(method)
        if method == "tools/call":
            result = {"content": [{"type": "text", "text": body["params"]["arguments"]["text"]}]}
        message = json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()
        session = {"Mcp-Session-Id": "session-1"} if method == "initialize" else {}
        if mode == "events":
            return self.answer(200, "text/event-stream", b": hi\n\nid: 1\ndata: " + message + b"\n\n",
                               session)
        if mode == "resumes" and method == "tools/call":
            self.server.rest = message  # the stream breaks off before the answer
            return self.answer(200, "text/event-stream", b"retry: 10\nid: 7\ndata:\n\n")
        return self.answer(200, "application/json", message, session)

    def answer(self, status, kind, body, headers=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Example(AgentDaemon):
    """Finds the program under test as `gantry`."""

    def environment(self):
        env = super().environment()
        env["PATH"] = os.path.dirname(self.gantry) + ":" + env["PATH"]
        return env


class OutsideTools(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        self.port = self.site.server_address[1]
        threading.Thread(target=self.site.serve_forever, daemon=True).start()
        self.daemon = None

    def tearDown(self):
        if self.daemon:
            self.daemon.end()
        self.site.shutdown()
        self.site.server_close()
        self.folder.cleanup()

    def start(self, plugins):
        self.daemon = Example(GANTRY, self.folder.name, plugins)

    def ask(self, *arguments):
        return subprocess.run([GANTRY, "ask", "--socket", self.daemon.socket, *arguments],
                              capture_output=True, timeout=60, text=True, stdin=subprocess.DEVNULL,
                              env=self.daemon.environment(), check=False)

    def result_of(self, tool, arguments, *options):
        """The tool's result as the session's log has it."""
        done = self.ask("--json", *options, f"@script tool {tool} {json.dumps(arguments)}\n"
                                            "@script reply done")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        results = [e["body"] for e in events if e["kind"] == "ToolResult"]
        self.assertEqual(len(results), 1, done.stdout + done.stderr)
        return results[0]

    def local_site(self):
        return (f"  tools_web: {{config: {{fetch: {{allow_networks: [127.0.0.1/32], ports: [{self.port}]}},"
                f" search: {{base_url: 'http://127.0.0.1:{self.port}'}}}}}}\n")

    def test_a_page_is_read_and_a_search_made(self):
        self.start(self.local_site())
        page = self.result_of("web_fetch", {"url": f"http://127.0.0.1:{self.port}/hello.html"})
        self.assertFalse(page["is_error"], page)
        self.assertIn("# Hello", page["output"])
        found = self.result_of("web_search", {"query": "greetings"})
        self.assertEqual(found["structured"]["results"][0]["url"], "https://example.org/")
        # The engine checks what a model made up before anything is asked.
        refused = self.result_of("web_fetch", {"url": "x", "headers": {}})
        self.assertEqual(refused["end"], "Rejected")

    def test_private_addresses_are_refused_by_default(self):
        self.start("  tools_web: {}\n")
        for url in ("http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/",
                    "http://localhost/", "http://[::1]/", "http://2130706433/"):
            page = self.result_of("web_fetch", {"url": url})
            self.assertTrue(page["output"].startswith("permission_denied: "), page)

    def test_without_an_engine_a_search_is_not_offered_and_the_reason_is_told(self):
        self.start("  tools_web: {}\n")
        refused = self.result_of("web_search", {"query": "x"})
        self.assertEqual(refused["end"], "Rejected")
        self.assertIn("no search engine is configured (cure: ", refused["output"])

    def test_tools_of_servers_need_consent_whatever_they_say(self):
        double = os.path.join(SOURCE, "plugins/tools_mcp/tests/mcp_double.py")
        server = f"{{command: python3, args: ['{double}']}}"
        self.start(f"  tools_mcp: {{config: {{servers: {{d: {server}}}}}}}\n")
        allowed = self.result_of("d_echo", {"text": "hello"}, "--yes")
        self.assertEqual((allowed["output"], allowed["end"]), ("hello", "Done"))
        refused = self.result_of("d_echo", {"text": "hello"})  # nobody can be asked here
        self.assertEqual(refused["end"], "Rejected")

    def remote(self, mode=""):
        """Makes the site an MCP server over HTTP and the agent its client."""
        self.site.mode, self.site.heard = mode, []
        self.start(f"  tools_mcp: {{config: {{servers: {{r: {{url: 'http://127.0.0.1:{self.port}/mcp',"
                   " headers: {Authorization: Bearer s-1}, timeout: 20s}}}}\n")

    def test_a_server_over_http_answers_in_json_and_in_events(self):
        for mode in ("json", "events", "resumes"):
            with self.subTest(mode):
                self.remote(mode)
                result = self.result_of("r_echo", {"text": mode}, "--yes")
                self.assertEqual((result["output"], result["is_error"]), (mode, False))
                self.daemon.end()
                heads = [head for method, head, body in self.site.heard
                         if body.get("method") == "tools/call"]
                self.assertEqual([(h["Mcp-Session-Id"], h["MCP-Protocol-Version"], h["Authorization"])
                                  for h in heads], [("session-1", "2025-06-18", "Bearer s-1")])

    def test_a_session_that_the_server_has_forgotten_is_begun_again(self):
        self.remote("forgets")
        first = self.result_of("r_echo", {"text": "x"}, "--yes")
        self.assertTrue(first["is_error"])
        self.assertIn("has ended the session", first["output"])
        for _ in range(200):
            again = self.result_of("r_echo", {"text": "again"}, "--yes")
            if not again["is_error"]:
                break
        self.assertEqual(again["output"], "again")

    def test_this_daemon_as_a_server_over_http(self):
        with tempfile.TemporaryDirectory() as folder:
            server = AgentDaemon(GANTRY, folder, "  mock: {}\n  guard: {}\n  observation: {}\n"
                                                 "  rest_observer: {config: {port: 0}}\n  mcp: {}\n")
            try:
                # Listener and mount come a moment after their plugins run.
                listening, _ = server.printed.wait_for(r"observer ready address=http://.*?:(\d+)",
                                                       "MCP is served over HTTP")
                port = listening.group(1)
                self.start("  tools_mcp: {config: {servers: {self: {url: "
                           f"'http://127.0.0.1:{port}/mcp'}}}}}}}}\n")
                windows = self.result_of("self_list_windows", {}, "--yes")
                self.assertEqual((windows["is_error"], windows["structured"]["count"]), (False, 3))
            finally:
                server.end()

    def test_the_examples_of_the_page(self):
        with open(os.path.join(SOURCE, "docs/tools-web-mcp.md"), encoding="utf-8") as file:
            page = file.read().replace("8093", str(self.port))
        blocks = re.findall(r"```(yaml|console|text)\n(.*?)```", page, re.S)
        self.assertEqual([kind for kind, _ in blocks],
                         ["yaml", "console", "text", "yaml", "yaml", "console"])
        for kind, block in blocks:
            if kind == "yaml":
                if self.daemon:
                    self.daemon.end()
                self.start(block.removeprefix("plugins:\n"))
            elif kind == "console":
                self.check_console(block)
            else:
                url = f"http://127.0.0.1:{self.port}/hello.html"
                self.assertEqual(self.result_of("web_fetch", {"url": url})["output"] + "\n", block)

    def check_console(self, example):
        # A command goes on in lines that begin with "> ", as in a shell.
        lines = example.removeprefix("$ ").split("\n")
        more = next(i for i in range(1, len(lines) + 1) if not lines[i].startswith("> "))
        command = "\n".join([lines[0], *(line[2:] for line in lines[1:more])])
        words = shlex.split(command)
        self.assertEqual(words[:2], ["gantry", "ask"])
        done = self.ask(*words[2:])
        output = re.sub(r"\(\d+ ms\)", "(3 ms)", done.stdout + done.stderr)
        self.assertEqual(output, "\n".join(lines[more:]), command)


if __name__ == "__main__":
    GANTRY, SOURCE = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
