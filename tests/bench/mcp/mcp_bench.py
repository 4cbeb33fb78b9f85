#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What MCP costs, each number beside a named baseline of the same run.

  tests/bench/mcp/mcp_bench.py BUILD_DIR

On made-up desktops: the usual one, a window of 1,500 elements, and a form of eight fields. Exit status
1 when a limit is missed.
"""
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../support"))
import mcp_support as support  # noqa: E402

STARTS = 15
CALLS = 400
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": support.CLIENT}})
# Answers initialize and nothing else: what a server in Python cannot be faster than.
PYTHON_SERVER = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    call = json.loads(line)\n"
    "    print(json.dumps({'jsonrpc': '2.0', 'id': call['id'], 'result': {}}), flush=True)\n")
FIELDS = ("First name", "Last name", "Street", "Number", "Postcode", "Town", "Telephone", "Remark")
UNLIMITED = ("--set", "mcp.max_tokens=100000000", "--set", "mcp.max_bytes=1073741824")
missed = []


def row(what, value, unit, limit, baseline=""):
    good = limit is None or value <= limit
    if not good:
        missed.append(what)
    judged = "" if limit is None else f"  (<= {limit:g} {unit}: {'ok' if good else 'MISSED'})"
    print(f"{what:<58} {value:9.3f} {unit}{judged}{'  ' + baseline if baseline else ''}", flush=True)


def first_answer_ms(command, folder):
    env = support.clean_environment(folder)
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, cwd=folder, env=env)
    process.stdin.write(HELLO.encode() + b"\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    took = (time.perf_counter() - begin) * 1e3
    assert json.loads(answer)["id"] == 1, answer
    process.stdin.close()
    process.wait(support.LIMIT_S)
    process.stdout.close()
    return took


def bench_start(gantry):
    with tempfile.TemporaryDirectory() as folder:
        ours = [first_answer_ms([gantry, *support.OBSERVER, "--mode", "mcp"], folder)
                for _ in range(STARTS)]
        theirs = [first_answer_ms(["/usr/bin/python3", "-c", PYTHON_SERVER], folder)
                  for _ in range(STARTS)]
    row("stdio: start to first answer, median", statistics.median(ours), "ms", 200,
        f"a bare Python program: {statistics.median(theirs):.1f} ms")


class KeptAlive:
    """Requests on one connection, as hosts make them."""

    def __init__(self, port, headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=support.LIMIT_S)
        self.headers = headers

    def ask(self, verb, path, body=None):
        self.connection.request(verb, path, body, self.headers)
        return self.connection.getresponse().read()

    def median_ms(self, verb, path, body=None):
        times = []
        for _ in range(CALLS):
            begin = time.perf_counter()
            answer = self.ask(verb, path, body)
            times.append((time.perf_counter() - begin) * 1e3)
        assert b'"error"' not in answer[:200], answer[:300]
        return statistics.median(times)


def rpc(method, params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def bench_calls(gantry):
    with support.Daemon(gantry, [*support.OBSERVER, "--mode", "inspect"]) as daemon:
        client = support.HttpClient(daemon.port)
        client.initialize()
        mcp = KeptAlive(daemon.port, {"Content-Type": "application/json",
                                      "Accept": "application/json, text/event-stream",
                                      **client.headers})
        rest = KeptAlive(daemon.port, {"Content-Type": "application/json"})
        for tool, route in (("list_windows", "/api/windows"),
                            ("get_window_structure", "/api/structure"),
                            ("get_screen_description", "/api/description")):
            call = rpc("tools/call", {"name": tool, "arguments": {}})
            direct = rest.median_ms("GET", route)
            ours = mcp.median_ms("POST", "/mcp", call)
            row(f"tools/call {tool}: more than GET {route}", ours - direct, "ms", 1,
                f"{ours:.3f} beside {direct:.3f} ms")
        ours = mcp.median_ms("POST", "/mcp", rpc("tools/list", {}))
        direct = rest.median_ms("GET", "/api/tools")
        row("tools/list over HTTP", ours, "ms", 2, f"GET /api/tools: {direct:.3f} ms")
    with support.StdioClient(gantry) as client:
        client.initialize()
        times = []
        for _ in range(CALLS):
            begin = time.perf_counter()
            client.request("tools/list")
            times.append((time.perf_counter() - begin) * 1e3)
            client.received.clear()
        row("tools/list over stdio", statistics.median(times), "ms", 2)


def large_window():
    """1,500 elements as applications have them: labels, fields and buttons in groups."""
    kinds = (("Text", "Label", 20, 120), ("Edit", "Field", 160, 200), ("Button", "Button", 380, 80))
    groups = []
    for g in range(50):
        parts = []
        for i in range(29 if g else 28):  # with its group 30, and 29 beside the window
            role, word, x, width = kinds[i % 3]
            parts.append({"role": role, "name": f"{word} {g}.{i // 3}",
                          "bounds": {"x": x, "y": 40 + (g * 10 + i // 3) % 60 * 14,
                                     "width": width, "height": 12}})
        groups.append({"role": "Group", "name": f"Group {g}", "children": parts,
                       "bounds": {"x": 10, "y": 30, "width": 480, "height": 860}})
    return {"name": "large", "states": {"only": {"windows": [window("Large", groups)]}}}


def window(title, children):
    return {"uid": "mock:only", "title": title, "bounds": {"x": 0, "y": 0, "width": 500,
                                                           "height": 900},
            "tree": {"role": "Window", "name": title, "children": children}}


def form():
    """Eight fields and a button in a window with the usual things around them."""
    around = [{"role": "MenuItem", "name": f"Menu {i}",
               "bounds": {"x": 10 + 30 * i, "y": 5, "width": 28, "height": 12}} for i in range(12)]
    around += [{"role": "Text", "name": f"Line {i} of the text beside the form",
                "bounds": {"x": 300, "y": 30 + 12 * i, "width": 180, "height": 11}}
               for i in range(60)]
    fields = [{"role": "Edit", "name": name, "id": f"f{i}", "value": "",
               "bounds": {"x": 100, "y": 40 + 30 * i, "width": 180, "height": 24}}
              for i, name in enumerate(FIELDS)]
    send = {"role": "Button", "name": "Send", "id": "send",
            "bounds": {"x": 100, "y": 320, "width": 80, "height": 24}}
    thanks = {"role": "Text", "name": "Thank you", "bounds": {"x": 100, "y": 40, "width": 99,
                                                              "height": 20}}
    reactions = [{"on": {"tool": "type_text", "target_id": f"f{i}", "text_regex": "(.*)"},
                  "set": [{"id": f"f{i}", "value": "{text}"}]} for i in range(len(FIELDS))]
    reactions.append({"on": {"tool": "click_element", "target_id": "send"},
                      "when": [{"id": f"f{i}", "value": f"text {i}"} for i in range(len(FIELDS))],
                      "transition_to": "sent"})
    return {"name": "form", "initial_state": "open", "reactions": reactions, "states": {
        "open": {"windows": [window("Address", [*around, *fields, send])]},
        "sent": {"windows": [window("Address", [*around, thanks])]}}}


class OnScenario:
    """A client of the daemon that plays a scenario; counts the bytes that reach the model."""

    def __init__(self, gantry, scenario, *options):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "scenario.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scenario, file)  # JSON is YAML
        self.client = support.StdioClient(gantry, (*support.OBSERVER, "--mode", "mcp",
                                                   "--scenario", path, *options))
        self.client.initialize()
        self.bytes = 0

    def call(self, tool, **arguments):
        """A model reads the text blocks; the same in structuredContent is for programs."""
        result = self.client.call(tool, **arguments)
        texts = [b["text"] for b in result["content"] if b["type"] == "text"]
        assert not result.get("isError"), texts
        self.bytes += sum(len(text.encode()) for text in texts)
        return texts, result

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()
        self.folder.cleanup()


def size(texts):
    return sum(len(text.encode()) for text in texts)


def bench_compact(gantry):
    with OnScenario(gantry, large_window(), *UNLIMITED) as desktop:
        texts, result = desktop.call("get_window_structure", max_nodes=5000)
        everything = size(texts)
        nodes, actionable = count(result["structuredContent"]["tree"])
    with OnScenario(gantry, large_window()) as desktop:
        lines, cursor, pages = 0, None, 0
        while True:
            more = {"page_cursor": cursor} if cursor else {}
            texts, result = desktop.call("observe_window", format="lines", **more)
            lines += size(texts)
            pages += 1
            cursor = result["structuredContent"].get("next_cursor")
            if not cursor:
                break
    row(f"compact tree of {nodes} elements, {actionable} of them actionable, each",
        lines / actionable, "bytes", 60,
        f"full tree: {everything / actionable:.0f} bytes; {pages} pages")


def count(node):
    nodes, actionable = 1, int(node["role"] in ("Button", "Edit", "MenuItem"))
    for child in node.get("children") or []:
        inner = count(child)
        nodes, actionable = nodes + inner[0], actionable + inner[1]
    return nodes, actionable


def bench_form(gantry):
    with OnScenario(gantry, form()) as desktop:
        seen = desktop.call("observe_window", format="lines")[1]["structuredContent"]
        for i, name in enumerate(FIELDS):
            desktop.call("set_value", selector=f'Edit[name="{name}"]', value=f"text {i}")
        desktop.call("click_element", selector='Button[name="Send"]')
        texts, _ = desktop.call("observe_window", format="lines", since=seen["tree_token"])
        assert any("Thank you" in text for text in texts), texts
        ours = desktop.bytes
    with OnScenario(gantry, form()) as desktop:
        # A full tree before every act and at the end, as without compact forms and differences.
        for i, name in enumerate(FIELDS):
            desktop.call("get_window_structure")
            desktop.client.call("set_value", selector=f'Edit[name="{name}"]', value=f"text {i}")
        desktop.call("get_window_structure")
        desktop.client.call("click_element", selector='Button[name="Send"]')
        texts, _ = desktop.call("get_window_structure")
        assert any("Thank you" in text for text in texts), texts
        theirs = desktop.bytes
    row("form of 8 fields, part of the bytes of full trees", ours / theirs, "", 0.2,
        f"{ours} bytes, with full trees {theirs}")


def main():
    gantry = os.path.realpath(os.path.join(sys.argv[1], "bin/gantry"))
    bench_start(gantry)
    bench_calls(gantry)
    bench_compact(gantry)
    bench_form(gantry)
    sys.exit(f"missed: {'; '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()
