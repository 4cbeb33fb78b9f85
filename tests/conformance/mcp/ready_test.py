#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Who is told that the observer is ready finds MCP there, at once.

usage: ready_test.py GANTRY_BINARY

The daemon is asked for its health without a pause, and for MCP on the connection that said 200.
"""
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import mcp_support as support  # noqa: E402

ROUNDS = 5
DISCOVER = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
    support.META + "protocolVersion": support.STATELESS, support.META + "clientCapabilities": {}}}})
HEADERS = {"Content-Type": "application/json", "MCP-Protocol-Version": support.STATELESS,
           "Mcp-Method": "server/discover"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def first_answers(port):
    """Status of health, every time until it is 200, and of MCP right after."""
    deadline = time.monotonic() + support.LIMIT_S
    seen = []
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=support.LIMIT_S)
        try:
            connection.request("GET", "/api/healthz")
            answer = connection.getresponse()
            answer.read()
            seen.append(answer.status)
            if answer.status == 200:
                connection.request("POST", "/mcp", DISCOVER, HEADERS)
                return seen, connection.getresponse().status
        except ConnectionRefusedError:
            pass  # it does not listen yet
        finally:
            connection.close()
    sys.exit(f"it did not become ready; health said {seen}")


def main(gantry):
    for number in range(ROUNDS):
        port = free_port()
        with tempfile.TemporaryDirectory() as folder:
            daemon = subprocess.Popen(
                [gantry, "observer", "--mock", "--mode", "inspect", "--config", "none.json",
                 "--set", f"rest_observer.port={port}"], stdin=subprocess.DEVNULL, cwd=folder,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=support.clean_environment(folder))
            try:
                health, mcp = first_answers(port)
            finally:
                daemon.terminate()
                daemon.wait()
        print(f"round {number}: health {health[-1]} after {len(health) - 1} others, then MCP {mcp}")
        assert set(health[:-1]) <= {503}, health
        assert mcp == 200, f"health said 200, and MCP {mcp}"


if __name__ == "__main__":
    main(os.path.realpath(sys.argv[1]))
