#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a look at a real window of 1,500 elements costs: a GTK 3 window on a private desktop, read over
AT-SPI and kept warm by its events.

  tests/bench/observer/window_bench.py BUILD_DIR [--requests N]

Prints the median and the 95th percentile of a request over one kept connection, and server CPU time a
request. Exit status 1 when a median is above its limit, 77 when the window's program is not built.
"""
import argparse
import http.client
import json
import os
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(SOURCE, "tests", "desktop", "acts"))
import rest  # noqa: E402  (found by the line above)
from eventually import eventually  # noqa: E402  (found by the import of rest)

CLOCK = os.sysconf("SC_CLK_TCK")
# Name, path, limit of the median in milliseconds. A sketch is drawn from a fresh capture.
LOOKS = (
    ("observe, unchanged since the token", "/api/observe?window_uid={uid}&since={token}", 1.0),
    ("observe, the same as lines", "/api/observe?window_uid={uid}&since={token}&format=lines", 1.0),
    ("sketch", "/api/sketch?window_uid={uid}", 3.0),
    ("find_element", "/api/find_element?window_uid={uid}&selector=//Button[name=%22c732%22]",
     2.0),
)


def server_cpu(process):
    with open(f"/proc/{process}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK


def daemon_of(observer):
    """The process that listens: this one's only child."""
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children", encoding="ascii") as children:
        return int(children.read().split()[-1])


def request(connection, path):
    connection.request("GET", path)
    answer = connection.getresponse()
    body = json.load(answer)
    if answer.status != 200:
        sys.exit(f"{path}: {answer.status} {body}")
    return body


def measure(connection, process, path, token, requests):
    """Milliseconds of each request, and microseconds of server CPU a request. Each names the token of
    the answer before, as agents do: old ones expire."""
    times = []
    for number in range(-5, requests):
        if number == 0:
            cpu = server_cpu(process)
        began = time.perf_counter()
        answer = request(connection, path.format(token=token))
        if number >= 0:
            times.append((time.perf_counter() - began) * 1e3)
        if "since=" in path:
            rest.check("unchanged", answer.get("unchanged"), True)
            token = answer["tree_token"]
    return times, (server_cpu(process) - cpu) / requests * 1e6


def inside(gantry, requests):
    with tempfile.TemporaryDirectory() as folder, \
            rest.running(gantry, folder, "--profile", "desktop") as observer:
        uid = eventually("the window", lambda: next(
            (w["window_uid"] for w in observer.get("/api/windows")["windows"]
             if w["process"] == "gtk3_many"), None))
        count = observer.get("/api/structure?window_uid=" + uid)["element_count"]
        connection = http.client.HTTPConnection(observer.base.removeprefix("http://"), timeout=30)
        print(f"{count} elements", flush=True)
        missed = False
        for name, path, limit in LOOKS:
            first = request(connection, "/api/observe?window_uid=" + uid)
            times, cpu = measure(connection, daemon_of(observer), path.replace("{uid}", uid),
                                 first["tree_token"], requests)
            median = statistics.median(times)
            missed = missed or median > limit
            print(f"{name:<36} median {median:6.2f} ms, 95 % {sorted(times)[len(times) * 19 // 20]:6.2f}"
                  f" ms, CPU {cpu:7.0f} us (<= {limit:g} ms: {'ok' if median <= limit else 'MISSED'})",
                  flush=True)
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--requests", type=int, default=200)
    arguments = parser.parse_args()
    app = os.path.abspath(f"{arguments.build}/tests/apps/gtk3_many")
    if not os.path.exists(app):
        rest.skip(app + " is not built")
    return rest.on_private_desktop(SOURCE, [app], os.path.abspath(f"{arguments.build}/bin/gantry"),
                                   str(arguments.requests))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        sys.exit(inside(sys.argv[2], int(sys.argv[3])))
    sys.exit(main())
