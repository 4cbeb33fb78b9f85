#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The official MCP conformance suite against the daemon with the fixtures plugin.

usage: suite_test.py GANTRY_BINARY BUILD_DIR REVISION

Runs every scenario of the revision's requirements, with no expected failures: a scored scenario that
fails or warns is a failure here. Scenarios that are not scored are run and shown; those of UNSCORED
must pass too, because this server does what they test.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import mcp_support as support  # noqa: E402

UNSCORED = {
    "2025-11-25": ["json-schema-2020-12", "server-session-lifecycle", "server-sse-polling"],
    "2026-07-28": ["http-custom-header-server-validation", "http-header-validation",
                   "json-schema-2020-12"],
}
BAD = ("FAILURE", "WARNING")


def daemon_arguments(build):
    name = "plugins.mcp_fixtures"
    return [*support.OBSERVER, "--mode", "inspect",
            "--set", f"{name}.path={build}/tests/plugins/mcp_fixtures",
            "--set", f"{name}.trust=in-process"]


def run_suite(url, revision, folder):
    """Runs the scenarios; returns the suite's own exit status and its words."""
    command = [support.node(), os.path.join(support.node_modules(),
                                            "@modelcontextprotocol/conformance/dist/index.js"),
               "server", "--url", url, "--requirements", revision, "-o", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False,
                          env={**os.environ, "NO_COLOR": "1"})
    return done.returncode, done.stdout + done.stderr


def checks_of(folder):
    """{scenario: its checks}, from the files that the suite writes."""
    found = {}
    for name in sorted(os.listdir(folder)):
        scenario = re.fullmatch(r"server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z", name)
        with open(os.path.join(folder, name, "checks.json"), encoding="utf-8") as file:
            found[scenario.group(1)] = json.load(file)
    return found


def scored(revision):
    """The scenarios that the revision requires of servers."""
    path = os.path.join(support.node_modules(), "@modelcontextprotocol/conformance/requirements",
                        revision + ".yaml")
    with open(path, encoding="utf-8") as file:
        part = re.search(r"^server:\n((?:  - .*\n)+)", file.read(), re.MULTILINE)
    return [line.split("- ")[1] for line in part.group(1).splitlines()]


def report(checks, required, wanted):
    """One line for each scenario; returns those that must pass and did not."""
    problems = [f"{name} did not run" for name in required + wanted if name not in checks]
    for scenario, items in sorted(checks.items()):
        bad = [c for c in items if c["status"] in BAD]
        good = sum(1 for c in items if c["status"] == "SUCCESS")
        note = "" if scenario in required else "  (not scored)"
        print(f"{'not ok' if bad or not good else 'ok':<7} {scenario:<48} {good:3} passed, "
              f"{len(bad)} not{note}")
        for check in bad:
            print(f"        {check['status'].lower()} {check['id']}: {check.get('errorMessage')}")
        if (bad or not good) and scenario in required + wanted:
            problems.append(scenario)
    return problems


def main():
    gantry, build, revision = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        with support.Daemon(gantry, daemon_arguments(build)) as daemon:
            status, words = run_suite(daemon.url, revision, folder)
        problems = report(checks_of(folder), scored(revision), UNSCORED[revision])
    print(f"conformance suite, {revision}: exit status {status}")
    if status != 0 or problems:
        print(words[-4000:])
        sys.exit(f"must pass and did not: {', '.join(problems) or 'see above'}")


if __name__ == "__main__":
    main()
