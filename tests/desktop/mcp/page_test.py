#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The form on a real desktop of docs/protocols/mcp.md, word for word.

usage: page_test.py SOURCE_DIR GANTRY_BINARY
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../acts"))
from rest import gtk_installed, skip  # noqa: E402


def main():
    source, gantry = sys.argv[1:3]
    if not gtk_installed("3"):
        skip("GTK 3 is not installed")
    # The desktop of the page is one of its own, also where this test runs on a private one.
    env = {name: value for name, value in os.environ.items() if name != "GANTRY_DESKTOP_SESSION"}
    return subprocess.run([sys.executable, os.path.join(source, "tests/integration/tour_test.py"),
                           os.path.join(source, "docs/protocols/mcp.md"), gantry, "desktop", source],
                          env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
