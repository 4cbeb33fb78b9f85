#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Confirmations on a private desktop: the official MCP client's user accepts and declines, and a
client that cannot ask proposes and comes back with the token; the form says what reached it.

usage: confirm_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR

Called with --inside it is the part that runs on the private desktop.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../acts"), os.path.join(HERE, "../../support")]
import mcp_support as support  # noqa: E402
from rest import PYTHON, check, empty_folder, gtk_installed, on_private_desktop, skip  # noqa: E402

COMMAND = ["mcp", "--config", "none.json", "--set",
           'guard.confirmation_required=[{"name_regex": "^Log in$"}]']


def inside(gantry, folder):
    done = subprocess.run([support.node(), os.path.join(HERE, "confirm.mjs"),
                           os.path.join(folder, "state.json"), gantry, *COMMAND], check=False,
                          timeout=120)
    check("exit status of the client", done.returncode, 0)


def main():
    source, gantry, output = sys.argv[1:4]
    if not gtk_installed("3"):
        skip("GTK 3 is not installed")
    support.node()
    folder = empty_folder(output, "confirm")
    form = f"{PYTHON} {source}/tests/desktop/acts/login_form.py 3 {folder}/state.json"
    sys.exit(on_private_desktop(source, [form], os.path.realpath(gantry), folder))


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(*sys.argv[2:4])
    else:
        main()
