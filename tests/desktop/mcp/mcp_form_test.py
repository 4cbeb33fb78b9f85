#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A login form on a private desktop, filled in by the official MCP client over standard input, and
asked what reached it.

usage: mcp_form_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR CLIENT

CLIENT is sdk (the official client) or raw (JSON-RPC by hand). The picture that the client was sent is
kept in OUTPUT_DIR/CLIENT/. Called with --inside it is the part that runs on the private desktop.
"""
import base64
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../acts"), os.path.join(HERE, "../../support")]
import mcp_support as support  # noqa: E402
from rest import PYTHON, check, empty_folder, gtk_installed, on_private_desktop, skip  # noqa: E402

SECRET = "correct horse ünïcode"
WANTED = {"presses": 1, "user": "alice Ω", "password": SECRET, "remember": True, "role": "Guest",
          "volume": 40.0}
COMMAND = ["observer", "--mode", "mcp", "--config", "none.json"]


def structured(client, tool, **arguments):
    result = client.call(tool, **arguments)
    assert not result.get("isError"), (tool, result["content"])
    return result["structuredContent"]


def click_on_the_picture(client, selector, here):
    """As a model does that sees nothing but a picture: the place in it, brought to screen pixels."""
    bounds = structured(client, "find_element", selector=selector, **here)["bounds"]
    picture = structured(client, "get_screenshot")
    shown, scale = picture["bounds"], picture["scale"]
    assert max(picture["width"], picture["height"]) <= 1568 < max(shown["width"], shown["height"])
    column = round((bounds["x"] + bounds["width"] / 2 - shown["x"]) / scale["x"])
    row = round((bounds["y"] + bounds["height"] / 2 - shown["y"]) / scale["y"])
    structured(client, "click_at", x=round(shown["x"] + column * scale["x"]),
               y=round(shown["y"] + row * scale["y"]))


def raw(gantry, folder):
    with support.StdioClient(gantry, COMMAND, env=dict(os.environ)) as client:
        client.initialize()
        here = {}
        structured(client, "wait_for", any_of=[{"type": "window_appears",
                                                "title_regex": "Acme Login"}], timeout_ms=20000)
        windows = structured(client, "list_windows")["windows"]
        here["window_uid"] = next(w["window_uid"] for w in windows if w["title"] == "Acme Login")
        seen = structured(client, "observe_window", format="lines", **here)
        structured(client, "set_value", selector='//Edit[name="Username"]', value="alice Ω", **here)
        receipt = structured(client, "set_value", selector='//*[name="Password"]', value=SECRET,
                             **here)
        assert SECRET not in json.dumps(receipt, ensure_ascii=False), "a password came back"
        click_on_the_picture(client, '//CheckBox[name="Remember me"]', here)
        structured(client, "set_value", selector='//Slider[name="Volume"]', value=40, **here)
        structured(client, "click_element", selector='//Button[name="Log in"]', **here)
        structured(client, "wait_for", any_of=[{"type": "text_visible",
                                                "regex": "Welcome alice"}], **here)
        changed = client.call("observe_window", format="lines", since=seen["tree_token"], **here)
        assert "Welcome alice" in json.dumps(changed["content"], ensure_ascii=False), changed
        picture = client.call("get_screenshot", **here)
        image = next(b for b in picture["content"] if b["type"] == "image")
        with open(os.path.join(folder, "logged-in." + image["mimeType"].split("/")[1]), "wb") as out:
            out.write(base64.b64decode(image["data"]))


def sdk(gantry, folder):
    done = subprocess.run([support.node(), os.path.join(HERE, "form.mjs"), folder, gantry,
                           *COMMAND], check=False, timeout=120, env={**os.environ, "SECRET": SECRET})
    check("exit status of the client", done.returncode, 0)


def inside(gantry, folder, client):
    {"raw": raw, "sdk": sdk}[client](gantry, folder)
    with open(os.path.join(folder, "state.json"), encoding="utf-8") as state:
        check("what the form got", json.load(state), WANTED)


def main():
    source, gantry, output, client = sys.argv[1:5]
    if not gtk_installed("3"):
        skip("GTK 3 is not installed")
    if client == "sdk":
        support.node()
    folder = empty_folder(output, client)
    form = f"{PYTHON} {source}/tests/desktop/acts/login_form.py 3 {folder}/state.json"
    sys.exit(on_private_desktop(source, [form], gantry, folder, client))


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(*sys.argv[2:5])
    else:
        main()
