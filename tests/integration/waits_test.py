#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Waits whose clients have gone, in a daemon on the mock desktop: a wait that nobody reads the answer
of ends, and a stop does not wait for it.

usage: waits_test.py GANTRY_BINARY
"""
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from eventually import eventually  # noqa: E402

LONG = 50_000  # ms; far beyond what the test waits for


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def post(port, path, body):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def send_wait(port):
    """A client that waits for what never comes, and looks only once in a long time."""
    body = json.dumps({"any_of": [{"type": "window_appears", "title_regex": "^never$"}],
                       "timeout_ms": LONG, "poll_ms": LONG}).encode()
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(b"POST /api/wait_for HTTP/1.1\r\nHost: localhost\r\n"
                   b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return client


def recorded(folder):
    rows = []
    for file in glob.glob(os.path.join(folder, "traces", "*", "trace.jsonl")):
        with open(file, encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines if line.endswith("\n")]
    return [row for row in rows if row.get("tool") == "wait_for"]


def main():
    gantry = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        log = open(os.path.join(folder, "log"), "wb")
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("DISPLAY", "WAYLAND_DISPLAY") and not k.startswith("GANTRY_")}
        daemon = subprocess.Popen(
            [gantry, "observer", "--mode", "inspect", "--mock", "--port", str(port), "--config",
             os.path.join(folder, "none.json")], cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
            stderr=log, env=environment)
        try:
            eventually("the observer", lambda: urllib.request.urlopen(
                f"http://127.0.0.1:{port}/api/healthz", timeout=5).status == 200, not_yet=OSError)
            # The recording tells when a call has ended, whoever was there to hear it.
            assert post(port, "/api/trace/start", {})["ok"]
            send_wait(port).close()
            row = eventually("the end of the wait", lambda: recorded(folder))[0]
            assert row["result_summary"]["ok"] is False, row
            assert row["duration_ms"] < LONG, row

            staying = [send_wait(port) for _ in range(5)]
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(25) == 0, daemon.returncode
            for client in staying:
                client.close()
        finally:
            if daemon.poll() is None:
                daemon.kill()
                daemon.wait()
            log.close()
    print("ok")


main()
