#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The official MCP clients against the made-up desktop, over both transports.

usage: peers_test.py GANTRY_BINARY sdk|sdk_stateless|inspector
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../support"))
import mcp_support as support  # noqa: E402

CONFIRM_HELP = ("--set", 'guard.confirmation_required=[{"name_regex": "^Help$"}]')
ARGUMENTS = (*support.OBSERVER, *CONFIRM_HELP)
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


def run_node(folder, arguments):
    env = {**support.clean_environment(folder), "GANTRY_NODE_MODULES": support.node_modules()}
    return subprocess.run([support.node(), *arguments], env=env, cwd=folder, timeout=200,
                          capture_output=True, text=True, check=False)


def sdk(folder, peer, transport, target):
    done = run_node(folder, [os.path.join(HERE, "peers.mjs"), peer, transport, *target])
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(f"{peer} over {transport} failed:\n{done.stderr[-6000:]}")


def inspect(folder, target, era, *options):
    """What the inspector prints, as JSON."""
    done = run_node(folder, [os.path.join(support.node_modules(), INSPECTOR), "--cli",
                             "--protocol-era", era, "--format", "json", "--quiet", *options,
                             *target])
    if done.returncode != 0:
        sys.exit(f"inspector {' '.join(options)}: exit status {done.returncode}\n"
                 f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return json.loads(done.stdout)


def member(answer, name):
    """The inspector wraps some results; this finds a member at any depth."""
    if isinstance(answer, dict):
        if name in answer:
            return answer[name]
        for value in answer.values():
            found = member(value, name)
            if found is not None:
                return found
    return None


def script_of(folder, command):
    """The inspector would take our options for its own, so the command is in a file."""
    path = os.path.join(folder, "server")
    with open(path, "w", encoding="utf-8") as script:
        script.write("#!/bin/sh\nexec " + shlex.join(command) + "\n")
    os.chmod(path, 0o755)
    return [path]


def inspector(folder, transport, target):
    if transport == "stdio":
        target = script_of(folder, target)
    for era in ("legacy", "modern"):
        def ask(*options, era=era):
            return inspect(folder, target, era, *options)
        tools = member(ask("--method", "tools/list", "--strict"), "tools")
        assert "list_windows" in [tool["name"] for tool in tools], tools
        result = ask("--method", "tools/call", "--tool-name", "list_windows")
        assert len(member(result, "structuredContent")["windows"]) == 3, result
        result = ask("--method", "tools/call", "--tool-name", "find_element",
                     "--tool-args-json", json.dumps({"selector": 'MenuItem[name="Edit"]'}))
        assert member(result, "structuredContent")["element_id"] == "root.0.1", result
        resources = member(ask("--method", "resources/list"), "resources")
        assert resources, resources
        read = ask("--method", "resources/read", "--uri", resources[0]["uri"])
        assert member(read, "contents")[0]["uri"] == resources[0]["uri"], read
        assert member(ask("--method", "prompts/list"), "prompts")
        print(f"ok  inspector over {transport}, {era}")


def main():
    gantry, peer = os.path.realpath(sys.argv[1]), sys.argv[2]
    support.node()  # skips before anything is started
    with tempfile.TemporaryDirectory() as folder:
        command = [gantry, *ARGUMENTS, "--mode", "mcp"]
        with support.Daemon(gantry, [*ARGUMENTS, "--mode", "inspect"]) as daemon:
            for transport, target in (("http", [daemon.url]), ("stdio", command)):
                if peer == "inspector":
                    inspector(folder, transport, target)
                else:
                    sdk(folder, peer, transport, target)


if __name__ == "__main__":
    main()
