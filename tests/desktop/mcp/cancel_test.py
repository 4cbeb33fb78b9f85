#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A long text is typed and given up; xev, which receives it, says what arrived.

usage: cancel_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR WAY

WAY is stdio (notifications/cancelled) or http (the client of a request without a session hangs up).
What is typed afterwards marks the end of what was under way: keys arrive in the order in which they
were sent, so nothing may follow the mark but what is asked for later. Called with --inside it is the
part that runs on the private desktop.
"""
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../acts"), os.path.join(HERE, "../../support")]
import mcp_support as support  # noqa: E402
from eventually import eventually  # noqa: E402
from rest import check, empty_folder, on_private_desktop, skip  # noqa: E402

TEXT = "abcdefghij" * 4000
CONFIG = ("--config", "none.json")


class Arrived:
    """What xev has written down so far."""
    def __init__(self, folder):
        self.file = os.path.join(folder, "xev.log")

    def text(self):
        with open(self.file, encoding="utf-8", errors="replace") as file:
            presses = file.read().split("KeyPress event")[1:]
        found = (re.search(r'XLookupString gives 1 bytes: \(..\) "(.)"', one) for one in presses)
        return "".join(one.group(1) for one in found if one)

    def until_it_ends_with(self, mark):
        return eventually(f"'{mark}'", lambda: self.text().endswith(mark) and self.text())


def succeeded(result):
    assert not result.get("isError"), result["content"]


class Stdio:
    def __init__(self, gantry):
        self.client = support.StdioClient(gantry, ["mcp", *CONFIG], env=dict(os.environ))
        self.client.initialize()
        self.call = self.client.call

    def give_up(self, tool, started, **arguments):
        number = self.client.begin("tools/call", {"name": tool, "arguments": arguments,
                                                  "_meta": {"progressToken": "typing"}})
        seen = started()
        self.client.send({"method": "notifications/cancelled", "params": {"requestId": number}})
        self.number = number
        return seen

    def close(self):
        answered = [m for m in self.client.received if m.get("id") == self.number]
        check("answers to what was given up", answered, [])
        told = self.client.notifications("notifications/progress")
        check("whose progress was told", {m["params"]["progressToken"] for m in told}, {"typing"})
        check("exit status", self.client.close()[0], 0)


class Http:
    def __init__(self, gantry):
        arguments = ["observer", "--mode", "inspect", *CONFIG, "--set", "rest_observer.port=0"]
        self.daemon = support.Daemon(gantry, arguments, env=dict(os.environ))
        self.client = support.HttpClient(self.daemon.port)

    def call(self, tool, **arguments):
        return self.client.modern("tools/call", {"name": tool, "arguments": arguments})

    def give_up(self, tool, started, **arguments):
        connection = self.client.begin_modern("tools/call", {"name": tool, "arguments": arguments})
        seen = started()
        connection.close()
        return seen

    def close(self):
        self.daemon.stop()


def inside(gantry, folder, way):
    arrived = Arrived(folder)
    peer = {"stdio": Stdio, "http": Http}[way](gantry)
    succeeded(peer.call("wait_for", any_of=[{"type": "window_appears",
                                             "title_regex": "Event Tester"}], timeout_ms=20000))
    succeeded(peer.call("bring_to_foreground", window_title="Event Tester"))
    seen = peer.give_up("type_text", lambda: eventually("the first keys", lambda: len(arrived.text())),
                        text=TEXT)
    succeeded(peer.call("type_text", text="#"))
    text = arrived.until_it_ends_with("#")
    typed = len(text) - 1
    print(f"{way}: {seen} of {len(TEXT)} keys had arrived when it was given up, {typed} in the end")
    check("what arrived", text, TEXT[:typed] + "#")
    assert typed < len(TEXT) / 2, f"{typed} of {len(TEXT)} keys arrived"
    succeeded(peer.call("type_text", text="!"))
    check("what arrived later", arrived.until_it_ends_with("!"), text + "!")
    peer.close()


def main():
    source, gantry, output, way = sys.argv[1:5]
    if shutil.which("xev") is None:
        skip("xev is not installed")
    folder = empty_folder(output, way)
    app = f"sh -c 'exec xev -event keyboard >{folder}/xev.log'"
    sys.exit(on_private_desktop(source, [app], os.path.realpath(gantry), folder, way))


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(*sys.argv[2:5])
    else:
        main()
