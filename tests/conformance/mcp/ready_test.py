#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Who is told that the observer is ready finds MCP there, at once. Until then MCP's clients are
asked for patience in JSON-RPC.

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


def hold_port():
    """A socket on a port that nobody else gets meanwhile. It does not listen, so the daemon, which
    reuses addresses as it does, may have the port beside it."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def first_answers(port, daemon):
    """Status of health, every time until it is 200, and of MCP right after."""
    deadline = time.monotonic() + support.LIMIT_S
    seen = []
    while time.monotonic() < deadline:
        if daemon.poll() is not None:
            sys.exit(f"the daemon ended with {daemon.returncode}; health said {seen}")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=support.LIMIT_S)
        try:
            connection.request("GET", "/api/healthz")
            answer = connection.getresponse()
            answer.read()
            seen.append(answer.status)
            connection.request("POST", "/mcp", DISCOVER, HEADERS)
            mcp = connection.getresponse()
            said = json.loads(mcp.read())
            assert said["jsonrpc"] == "2.0", said
            assert mcp.status in (200, 503) and ("error" in said) == (mcp.status == 503), said
            assert mcp.status == 200 or mcp.headers["Retry-After"], mcp.headers
            if answer.status == 200:
                return seen, mcp.status
        except (ConnectionError, http.client.RemoteDisconnected):
            pass  # it does not listen yet; a 200 before an answer of MCP is seen below
        finally:
            connection.close()
    sys.exit(f"it did not become ready; health said {seen}")


def main(gantry):
    for number in range(ROUNDS):
        with hold_port() as held, tempfile.TemporaryDirectory() as folder:
            port = held.getsockname()[1]
            daemon = subprocess.Popen(
                [gantry, "observer", "--mock", "--mode", "inspect", "--config", "none.json",
                 "--set", f"rest_observer.port={port}"], stdin=subprocess.DEVNULL, cwd=folder,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=support.clean_environment(folder))
            try:
                health, mcp = first_answers(port, daemon)
            finally:
                daemon.terminate()
                daemon.wait()
        print(f"round {number}: health {health[-1]} after {len(health) - 1} others, then MCP {mcp}")
        assert set(health[:-1]) <= {503}, health
        assert mcp == 200, f"health said 200, and MCP {mcp}"


if __name__ == "__main__":
    main(os.path.realpath(sys.argv[1]))
