#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tour of README.md word for word on a private desktop, once for each toolkit of its table.

usage: tour_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR

For rows other than the first, the coordinates of the row replace those of the text, and nothing else.
Screenshots are kept in OUTPUT_DIR/<toolkit>/, to be looked at. Called with --inside it is the part that
runs on the private desktop.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
import urllib.request

SENTENCE = "Grüße aus Café № 7 👋🎉"
BASE = "http://127.0.0.1:5001"
HERE = os.path.abspath(__file__)
SOURCE = GANTRY = OUTPUT = ""

sys.path.insert(0, os.path.join(os.path.dirname(HERE), "../../support"))
from eventually import eventually  # noqa: E402
from printed import Printed  # noqa: E402


def readme():
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        return file.read()


def blocks():
    """The shell blocks of the tour, in order."""
    tour = re.search(r"<!-- tour: begin -->(.*?)<!-- tour: end -->", readme(), re.S).group(1)
    return re.findall(r"```sh\n(.*?)```", tour, re.S)


def toolkits():
    """[(name, command line of the application, menu, text)] from the table; points are 'x, y'."""
    rows = re.findall(r"^\| ([^|]+) \| `tools/run --app (.*?)` \| (\d+, \d+) \| (\d+, \d+) \|$",
                      readme(), re.M)
    # The shell that a reader types this into takes the outer quotes away.
    return [(name, app.strip('"'), menu, text) for name, app, menu, text in rows]


def as_json(point):
    x, y = point.split(", ")
    return f'"x":{x},"y":{y}'


def wait_until_ready(printed):
    """The first list of windows waits for the adapters; the observer is healthy when all plugins
    have started."""
    def answers(path):
        with urllib.request.urlopen(BASE + path, timeout=30):
            return True

    printed.wait_for("screen observer ready address=" + re.escape(BASE))
    answers("/api/windows")
    eventually("a healthy observer", lambda: answers("/api/healthz"), not_yet=OSError)


def inside(folder, substitutions):
    """Starts the daemon, runs the blocks in one shell, prints {outputs: [...], exit: code}."""
    os.makedirs(folder, exist_ok=True)
    daemon = subprocess.Popen([GANTRY, "run", "--profile", "desktop"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    printed = Printed(daemon.stdout, os.path.join(folder, "gantry.log"))
    try:
        wait_until_ready(printed)
        script = "set -eo pipefail\n"
        for block in blocks():
            for old, new in substitutions:
                block = block.replace(old, new)
            # A record separator between the blocks' outputs, and the pause of a very quick reader.
            script += block + "printf '\\036'\nsleep 1\n"
        shell = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True,
                               timeout=120, check=False)
        # Made without Gantry, so that it can be compared with what Gantry says.
        subprocess.run(["import", "-window", "root", os.path.join(folder, "end.png")], check=True)
    finally:
        daemon.send_signal(signal.SIGINT)
        code = daemon.wait(15)
    print(json.dumps({"outputs": shell.stdout.split("\036")[:-1], "errors": shell.stderr,
                      "shell": shell.returncode, "exit": code}))


class Tour(unittest.TestCase):
    def take(self, name, app, menu, text):
        folder = os.path.join(OUTPUT, name.lower().replace(" ", ""))
        shutil.rmtree(folder, ignore_errors=True)
        _, _, first_menu, first_text = toolkits()[0]
        substitutions = [(as_json(first_menu), as_json(menu)), (as_json(first_text), as_json(text))]
        for old, _ in substitutions:
            self.assertEqual("".join(blocks()).count(old), 1, "the table's first row is the tour's own")
        environment = {k: v for k, v in os.environ.items() if k != "GANTRY_DESKTOP_SESSION"}
        done = subprocess.run(
            [os.path.join(SOURCE, "tools", "desktop-session"), "--app", app, "--", sys.executable, HERE,
             "--inside", SOURCE, GANTRY, folder, json.dumps(substitutions)],
            capture_output=True, text=True, env=environment, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(result["shell"], 0, f"the shell stopped after block {len(result['outputs'])}: "
                         f"{result['errors']}; see {folder}")
        windows, lines, sketch, menu_answers, typing = result["outputs"]
        listed = json.loads(windows)
        self.assertEqual(listed["count"], 1, windows)
        self.assertTrue(listed["windows"][0]["focused"], windows)
        with open(os.path.join(folder, "tree.json"), encoding="utf-8") as file:
            self.assertGreater(file.read().count('"role"'), 3)
        self.assertRegex(lines, "^root ")
        self.assertGreater(len(lines.splitlines()), 3, lines)
        self.assertGreater(len(sketch.splitlines()), 20, sketch)
        for answer in (menu_answers + typing).splitlines():
            if answer.startswith("{"):
                self.assertTrue(json.loads(answer)["success"], answer)
        with open(os.path.join(folder, "menu.png"), "rb") as image:
            self.assertEqual(image.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertIn(SENTENCE, typing.splitlines()[-1])
        self.assertEqual(result["exit"], 0, "Ctrl-C ends the daemon cleanly")

    def test_every_toolkit_of_the_table(self):
        rows = toolkits()
        self.assertEqual([row[0] for row in rows], ["GTK 3", "GTK 4", "Qt", "Chromium"])
        for row in rows:
            with self.subTest(toolkit=row[0]):
                self.take(*row)


if __name__ == "__main__":
    within = sys.argv[1] == "--inside"
    SOURCE, GANTRY, OUTPUT = sys.argv[1 + within:4 + within]
    if within:
        inside(OUTPUT, json.loads(sys.argv[5]))
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
