#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A scenario tells the same of its window as a real adapter tells of the program that it stands for.

usage: scenario_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR
"""
import os
import subprocess
import sys

from rest import PYTHON, check, empty_folder, gtk_installed, on_private_desktop, running, skip

HERE = os.path.dirname(os.path.abspath(__file__))


def compare(source, *observers):
    done = subprocess.run(
        [sys.executable, os.path.join(source, "tools", "compare-scenario"), "--window", "Harbour",
         *observers], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def inside(gantry, folder, source, differs):
    scenario = os.path.join(source, "config", "scenarios", "login.yaml")
    mock = empty_folder(folder, "mock")
    with running(gantry, folder, "--profile", "desktop") as real, \
            running(gantry, mock, "--profile", "observer-mock", "--set",
                    "plugins.mock.config.scenario=" + scenario) as made_up:
        real.wait_for({"type": "element_appears", "selector": "//Heading"})
        before = [observer.get("/api/structure")["tree_hash"] for observer in (real, made_up)]
        code, text = compare(source, real.base, made_up.base)
        after = [observer.get("/api/structure")["tree_hash"] for observer in (real, made_up)]
        check("the trees after a comparison, which only reads", after, before)
    print(text)
    if differs == "differs":
        check("a program that lacks a field", (code, '+  Edit "Password"' in text), (1, True))
    else:
        check("the differences", (code, 'Edit "Password"' in text), (0, True))


def main():
    source, gantry, output = sys.argv[1:4]
    if not gtk_installed(3):
        skip("GTK 3 is not installed")
    for differs, option in (("same", ""), ("differs", " --without-password")):
        folder = empty_folder(output, "scenario-" + differs)
        status = on_private_desktop(source, [f"{PYTHON} {HERE}/harbour.py{option}"], gantry, folder,
                                    source, differs)
        if status != 0:
            sys.exit(status)


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(*sys.argv[2:6])
    else:
        main()
