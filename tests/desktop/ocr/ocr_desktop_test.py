#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The words of an editor's window are read from its pixels, over REST and MCP, and hidden where a
rule says so.

usage: ocr_desktop_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR

Called with --inside it is the part that runs on the private desktop.
"""
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../acts"), os.path.join(HERE, "../../support")]
import mcp_support as support  # noqa: E402
from eventually import eventually  # noqa: E402
from rest import empty_folder, on_private_desktop, running, skip  # noqa: E402

LINES = ("Meeting on Thursday at noon", "Account AC-12345678 is open", "Nothing else to do")
PLUGINS = ("transport", "control", "linux_x11", "linux_atspi", "guard", "observation",
           "ocr_tesseract", "rest_observer", "mcp")


def configuration(folder, patterns):
    file = os.path.join(folder, "gantry.json")
    plugins = {name: {} for name in PLUGINS}
    plugins["guard"] = {"config": {"redaction": {"ocr_text_patterns": patterns}}}
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"profile": "minimal", "plugins": plugins}, out)
    return file


def editor_of(observer):
    windows = observer.get("/api/windows")["windows"]
    return next((w for w in windows if "Mousepad" in w["title"]), None)


def text_of(words):
    return " ".join(word["text"] for word in words)


def read(observer, path, word):
    """The words, once the editor has drawn what is looked for."""
    status, answer = observer.call("GET", path)
    assert status == 200, answer
    return answer["words"] if word in text_of(answer["words"]) else None


def lines_read(gantry, configured):
    """The daemon's own counter, over its control socket."""
    done = subprocess.run([gantry, "call", "gantry.kernel.metrics/1", "--config", configured],
                          capture_output=True, text=True, timeout=30, check=True)
    found = re.search(r"^gantry_ocr_tesseract_lines_read_total\S* ([0-9.e+]+)$",
                      json.loads(done.stdout)["text"], re.M)
    assert found, done.stdout
    return float(found.group(1))


def over_mcp(observer, uid):
    client = support.HttpClient(int(observer.base.rsplit(":", 1)[1]))
    answer = client.modern("tools/call", {"name": "get_ocr", "arguments": {"window_uid": uid}})
    assert not answer.get("isError"), answer
    return json.dumps(answer)


def inside(gantry, folder):
    configured = configuration(folder, [])
    with running(gantry, folder, "--config", configured) as observer:
        window = eventually("the editor", lambda: editor_of(observer))
        uid = window["window_uid"]
        path = "/api/ocr?window_uid=" + uid
        words = eventually("the text", lambda: read(observer, path, "Thursday"))
        text = text_of(words)
        for line in LINES + ("File Edit",):
            assert line in text, (line, text)
        noon = next(word for word in words if word["text"] == "noon")["bounds"]
        frame = window["bounds"]
        for side, length in (("x", "width"), ("y", "height")):
            assert frame[side] <= noon[side], (noon, frame)
            assert noon[side] + noon[length] <= frame[side] + frame[length], (noon, frame)
        assert "Thursday" in over_mcp(observer, uid)

        # The same pixels are not read again: only the caret's line, with the caret and without it.
        before = lines_read(gantry, configured)
        assert read(observer, path, "Thursday")
        assert lines_read(gantry, configured) - before <= 2, before

    with running(gantry, folder, "--config", configuration(folder, [r"AC-\d{8}"])) as observer:
        words = eventually("the menu", lambda: read(observer, path, "File"))
        assert "[REDACTED]" in text_of(words), words
        for said in (text_of(words), over_mcp(observer, uid)):
            assert "12345678" not in said and "AC-" not in said, said


def main():
    source, gantry, output = (os.path.abspath(path) for path in sys.argv[-3:])
    folder = os.path.join(output, "ocr")
    if sys.argv[1] == "--inside":
        inside(gantry, folder)
        return 0
    if not shutil.which("mousepad"):
        skip("mousepad is not installed")
    empty_folder(folder)
    note = os.path.join(folder, "note.txt")
    with open(note, "w", encoding="utf-8") as out:
        out.write("\n".join(LINES) + "\n")
    return on_private_desktop(source, ["mousepad " + note], source, gantry, output)


if __name__ == "__main__":
    sys.exit(main())
