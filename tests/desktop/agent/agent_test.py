#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`gantry ask "open the editor and write hello"` on a private desktop, without a model; then the same
over the agent's WebSocket, with the daemon's desktop tools. The editor is the desktop's own choice for
text/plain, and what it holds is read back through AT-SPI.

usage: agent_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR mousepad|featherpad|tools

"tools" has the scripted model call every tool of the plugin tools_desktop, with mousepad.

Screenshots are kept in OUTPUT_DIR/EDITOR/. Called with --inside it is the part that runs on the
private desktop.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../acts"), os.path.join(HERE, "../../support")]
import mcp_support as support  # noqa: E402
from eventually import eventually  # noqa: E402
from rest import PYTHON, check, empty_folder, on_private_desktop, running, skip  # noqa: E402

EDITORS = {"mousepad": ("org.xfce.mousepad", "Mousepad"), "featherpad": ("featherpad", "FeatherPad"),
           "tools": ("org.xfce.mousepad", "Mousepad")}
# A tool, its arguments, and what its answer says.
CALLS = (
    ("open_app", {"command": "mousepad"}, {"ok": True, "effect": "confirmed", "id": "org.xfce.mousepad"}),
    ("mouse_control", {"action": "move", "ocr_text": "File"}, {"ok": True, "coordinate_method": "text"}),
    ("mouse_control", {"action": "move", "source_description": "the Edit menu"},
     {"ok": True, "coordinate_method": "description"}),
    ("mouse_control", {"action": "click", "x": 960, "y": 540}, {"ok": True, "x": 960, "y": 540}),
    ("keyboard_control", {"action": "type", "text": "alphax"}, {"ok": True, "route": "xtest"}),
    ("keyboard_control", {"action": "press", "key": "backspace"}, {"ok": True, "route": "xtest"}),
    ("keyboard_control", {"action": "paste", "text": " beta"}, {"ok": True, "route": "xtest"}),
    # A busy machine shows late what was typed; then its effect is not confirmed, and the wait sees it.
    ("wait", {"for_text": "alpha beta", "seconds": 20}, {"matched": True}),
    ("read_clipboard", {}, {"text": " beta"}),
    ("write_clipboard", {"text": "gamma"}, {"effect": "confirmed"}),
    ("wait", {"for_element": "Nowhere", "seconds": 0.3}, {"ok": False}),
    ("scroll_control", {"action": "scroll_down", "x": 960, "y": 540}, {"ok": True, "clicks": -3}),
    ("mouse_control", {"action": "drag", "x": 900, "y": 540, "drag_to_x": 950, "drag_to_y": 540},
     {"ok": True, "from": [900, 540], "to": [950, 540]}),
    ("mouse_control", {"action": "move", "x": 10, "y": 10}, {"ok": True, "x": 10, "y": 10}),
    ("screenshot", {}, {"window": "(full screen)"}),
    ("screenshot", {"window_title": "Mousepad"}, {"ok": True}),
    ("get_open_windows", {}, {"count": 1}),
    ("switch_window", {"tab_name": "mousepad"}, {"effect": "confirmed"}),
    ("switch_window", {"tab_name": "Nowhere"}, {"ok": False}),
    ("open_app", {"command": "no such application"}, {"ok": False}),
)
SOURCE = os.path.abspath(os.path.join(HERE, "../../.."))
TOOLS = ["open_app", "keyboard_control", "screenshot", "get_open_windows", "wait"]


def choose_editor(desktop_id):
    """As a user's settings do it."""
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "mimeapps.list"), "w", encoding="utf-8") as file:
        file.write(f"[Default Applications]\ntext/plain={desktop_id}.desktop\n")


def texts():
    done = subprocess.run([PYTHON, os.path.join(HERE, "texts.py")], capture_output=True, text=True,
                          timeout=60, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def picture(folder, name):
    """Made without Gantry, so that it can be compared with what Gantry says."""
    subprocess.run(["import", "-window", "root", os.path.join(folder, name)], check=True)


def ask_in_terminal(gantry, folder, name):
    done = subprocess.run([gantry, "ask", "--yes", "open the editor and write hello"],
                          capture_output=True, text=True, timeout=90, check=False)
    with open(os.path.join(folder, "ask.txt"), "w", encoding="utf-8") as file:
        file.write(done.stdout + done.stderr)
    check("exit status of gantry ask", done.returncode, 0)
    check("the answer", done.stdout.splitlines()[0], f"Opened {name}.")
    assert 'Typed "hello"' in done.stdout, done.stdout
    eventually("the text in the editor", lambda: "hello" in [t.rstrip("\n") for t in texts()])
    picture(folder, "ask.png")


def address_in(folder):
    with open(os.path.join(folder, "gantry.log"), encoding="utf-8", errors="replace") as log:
        return re.search(r"agent WebSocket ready.*?http://([^\s\"]+)", log.read()).group(1)


def ask_over_socket(folder, name):
    done = subprocess.run([support.node(), os.path.join(HERE, "ask.mjs"), address_in(folder),
                           "open the editor, press ctrl+n and write over the socket"],
                          capture_output=True, text=True, timeout=60, check=False)
    with open(os.path.join(folder, "socket.json"), "w", encoding="utf-8") as file:
        file.write(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    turn = json.loads(done.stdout)
    check("the tools of the daemon", turn["tools"], ["open_app"] + ["keyboard_control"] * 2)
    check("the answer", turn["answer"].splitlines()[0], f"Opened {name}.")
    eventually("the text in the editor", lambda: "over the socket" in [t.rstrip("\n") for t in texts()])
    assert any(t.rstrip("\n") == "hello" for t in texts()) or name == "FeatherPad", texts()
    picture(folder, "socket.png")


def ask_against_the_rules(gantry, folder):
    """The rule of docs/tools.md: what it forbids is not started, and the audit has it."""
    with open(os.path.join(SOURCE, "docs/tools.md"), encoding="utf-8") as page:
        rule = re.search(r"<!-- example: guard -->\n```yaml\n(.*?)```", page.read(), re.S).group(1)
    config = os.path.join(folder, "rule.yaml")
    with open(config, "w", encoding="utf-8") as file:
        file.write("profile: desktop\n" + rule)
    os.chmod(config, 0o600)
    audit = os.path.join(folder, "audit.log")
    with running(gantry, folder, "--config", config, "--set",
                 "plugins.guard.config.audit.enabled=true", "--set",
                 "plugins.guard.config.audit.path=" + audit):
        done = subprocess.run([gantry, "ask", "--yes", "open xterm"], capture_output=True, text=True,
                              timeout=90, check=False)
    check("what is said of a forbidden application", done.stdout.splitlines()[0],
          "I could not open xterm: a rule of actions.deny_targets forbids acts on this target")
    with open(audit, encoding="utf-8") as log:
        entries = [line for line in log if "open_app" in line]
    assert any("error=PermissionDenied" in line and "args.opens=debian-xterm" in line
               for line in entries), entries


def call_every_tool(gantry, folder):
    """Results in the order of the calls, each of them as it should be; pictures are there."""
    config = os.path.join(folder, "scripted.yaml")
    with open(config, "w", encoding="utf-8") as file:
        file.write("profile: desktop\nplugins:\n  llm_scripted: {}\n")
    os.chmod(config, 0o600)
    script = "\n".join(f"@script tool {tool} {json.dumps(arguments)}" for tool, arguments, _ in CALLS)
    with running(gantry, folder, "--config", config):
        done = subprocess.run([gantry, "ask", "--yes", "--json", "--model", "scripted", script],
                              capture_output=True, text=True, timeout=120, check=False)
        picture(folder, "tools.png")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    results = [event["body"] for event in events if event["kind"] == "ToolResult"]
    check("the number of results", len(results), len(CALLS))
    for (tool, arguments, wanted), result in zip(CALLS, results):
        answer = json.loads(result["output"])
        found = {name: answer.get(name) for name in wanted}
        check(f"{tool} {arguments}: {result['output']}", found, wanted)
        check(f"a picture of {tool}", bool(result["images"]), tool == "screenshot")


def inside(gantry, folder, editor):
    if editor == "tools":
        call_every_tool(gantry, folder)
        return
    desktop_id, name = EDITORS[editor]
    choose_editor(desktop_id)
    options = []
    for setting in ("plugins.identity.config.install_auth_enabled=false",
                    "plugins.agent_ws.config.approvals.act=allow",
                    "plugins.agent_ws.config.daemon_tools=" + json.dumps(TOOLS)):
        options += ["--set", setting]
    with running(gantry, folder, *options):
        ask_in_terminal(gantry, folder, name)
        ask_over_socket(folder, name)
    if editor == "mousepad":
        ask_against_the_rules(gantry, empty_folder(folder, "rules"))


def main():
    source, gantry, output, editor = sys.argv[1:5]
    if not os.path.exists(f"/usr/share/applications/{EDITORS[editor][0]}.desktop"):
        skip(editor + " is not installed")
    support.node()
    folder = empty_folder(output, editor)
    sys.exit(on_private_desktop(source, [], os.path.realpath(gantry), folder, editor))


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(*sys.argv[2:5])
    else:
        main()
