#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tour of a page word for word, and compares what it prints with what the page says. A line
"…" stands for any lines.

usage: tour_test.py PAGE GANTRY_BINARY [MARK FOLDER]

The tour stands between <!-- MARK: begin --> and its end, and is run in FOLDER: "tour", and a folder of its
own, when they are not given.
"""
import os
import re
import subprocess
import sys
import tempfile


def blocks(page, mark="tour"):
    """[(commands, expected output)]; the output is None where the page shows none."""
    tour = re.search(rf"<!-- {mark}: begin -->(.*?)<!-- {mark}: end -->", page, re.S).group(1)
    found = re.findall(r"```(sh|text)\n(.*?)```", tour, re.S)
    out = []
    for kind, text in found:
        if kind == "sh":
            out.append([text, None])
        else:
            out[-1][1] = text
    return out


def matches(expected, output):
    pattern = "".join("(.*\n)*" if line == "…" else re.escape(line) + "\n"
                      for line in expected.splitlines())
    return re.fullmatch(pattern, output) is not None


def main():
    page, gantry = sys.argv[1], os.path.realpath(sys.argv[2])
    mark, where = sys.argv[3:5] if len(sys.argv) > 3 else ("tour", None)
    with open(page, encoding="utf-8") as file:
        steps = blocks(file.read(), mark)
    script = "set -eo pipefail\n"
    for commands, _ in steps:
        script += commands + "printf '\\036'\n"
    with tempfile.TemporaryDirectory() as folder:
        env = {k: v for k, v in os.environ.items() if k not in ("GANTRY_CONFIG", "GANTRY_PROFILE")}
        env.update(HOME=folder, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder, XDG_RUNTIME_DIR=folder,
                   PATH=os.path.dirname(gantry) + ":" + env["PATH"])
        # A job of the shell that is left over by a failure must not outlive the test.
        done = subprocess.run(["bash", "-c", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + script],
                              cwd=where or folder, env=env, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            print(f"the tour ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
            for name in os.listdir(folder):
                if name.endswith(".log"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        print(f"{name}:\n{file.read()}")
            return 1
    outputs = done.stdout.split("\x1e")
    failed = 0
    for (commands, expected), output in zip(steps, outputs):
        if expected is not None and not matches(expected, output):
            failed += 1
            print(f"commands:\n{commands}\nthe page says:\n{expected}\nit printed:\n{output}")
    print(f"{len(steps)} blocks, {failed} differ")
    return 1 if failed or len(steps) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
