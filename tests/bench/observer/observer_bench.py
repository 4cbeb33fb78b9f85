#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The observer's routes on the mock desktop beside a Flask server that does the same work in the same
run: the tree is built for every request on both sides, and no answer is kept.

  tests/bench/observer/observer_bench.py BUILD_DIR [--seconds N] [--rounds N]

Before anything is measured both servers must give the same answers, but for the names and numbers
that are each server's own. Prints requests a second and server CPU time a request; exit status 1 when
a ratio is below its limit.
"""
import argparse
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../support"))
from eventually import eventually  # noqa: E402

ROUTES = (("/api/healthz", 20), ("/api/structure", 20), ("/api/sketch", 10))
OWN = {"uptime_s", "step_count", "tree_token", "step_id", "window_uid", "capture_ms", "ocr",
       "version", "tree_cache"}
CLOCK = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, command):
        self.port = free_port()
        command = [word.replace("PORT", str(self.port)) for word in command]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        cwd=tempfile.gettempdir())
        eventually(command[0], lambda: self.get("/api/healthz"), not_yet=OSError)

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20) as answer:
            return json.load(answer)

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK

    def load(self, path, seconds):
        """Requests a second at 16 connections, and microseconds of CPU a request."""
        before = self.cpu_seconds()
        out = subprocess.run(["wrk", "-t1", "-c16", f"-d{seconds}s",
                              f"http://127.0.0.1:{self.port}{path}"],
                             capture_output=True, text=True, check=True).stdout
        if "Non-2xx" in out:
            raise RuntimeError(out)
        served = int(re.search(r"(\d+) requests in", out).group(1))
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
        return rate, (self.cpu_seconds() - before) / served * 1e6

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)


def strip(value):
    if isinstance(value, dict):
        return {k: strip(v) for k, v in value.items() if k not in OWN}
    return [strip(v) for v in value] if isinstance(value, list) else value


def check_same_work(ours, theirs):
    for path, _ in ROUTES:
        mine, other = strip(ours.get(path)), strip(theirs.get(path))
        for name, value in other.items():
            if mine.get(name) != value:
                sys.exit(f"{path}: {name} differs:\n{mine.get(name)}\n{value}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    ours = Server([f"{arguments.build}/bin/gantry", "observer", "--mode", "inspect", "--mock",
                   "--port", "PORT", "--config", os.devnull + ".none",
                   "--set", "observation.tree.cache_ttl=0"])
    theirs = Server(["/usr/bin/python3", f"{HERE}/flask_observer.py", "PORT"])
    missed = False
    try:
        check_same_work(ours, theirs)
        for path, limit in ROUTES:
            rounds = [(ours.load(path, arguments.seconds), theirs.load(path, arguments.seconds))
                      for _ in range(arguments.rounds)]
            rate = statistics.median(a[0] for a, _ in rounds)
            base = statistics.median(b[0] for _, b in rounds)
            cpu = statistics.median(a[1] for a, _ in rounds)
            base_cpu = statistics.median(b[1] for _, b in rounds)
            good = rate / base >= limit
            missed = missed or not good
            print(f"{path:<16} {rate:9.0f} req/s, Flask {base:7.0f}: {rate / base:6.1f} times "
                  f"(>= {limit}: {'ok' if good else 'MISSED'}); CPU {cpu:7.1f} us a request, "
                  f"Flask {base_cpu:8.1f}: {base_cpu / cpu:5.1f} times", flush=True)
    finally:
        ours.stop()
        theirs.stop()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
