#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agent over its WebSocket, with a model server that has no delay of its own.

  tests/bench/agent/agent_bench.py BUILD_DIR [--only latency,many,cpu,memory] [--quick]

latency  client message to first byte at the model, one turn at a time; piece of the model to frame
         at the client at 200 concurrent turns of 50 users, which begin one after the other in two
         seconds, and which begin at the same instant (the limits are for the former)
many     1,000 concurrent turns of 250 users at 5 pieces a second; none may fail
cpu      server CPU time of a 21-event turn: of a model without delay, whose pieces come together and
         are one event (the limits are for this), and of one whose pieces are so far apart that each
         is an event. Beside it a FastAPI server that is sent those frames and echoes each, one that
         is sent a query and answers with them, and the floor: a C++ server that does nothing but
         put the query and the answer on the disk, ask the model and send the frames
memory   of an idle session with its client's connection, and of a turn that runs; pages of
         program files are not counted, the daemon lets them go when nothing happens

Store, event log and model call are those of a real turn. Prints one line a number: name, value,
limit, baseline, ratio. Exit status 1 when a limit is missed.
"""
import argparse
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from daemon_bench import free_port, missed, report  # noqa: E402
from eventually import eventually  # noqa: E402  (found by the import of daemon_bench)

CLOCK = os.sysconf("SC_CLK_TCK")
EVENTS = 21
PIECES = 7
# Of a turn with 21 events: pieces that come while the log is being written are one event, so a turn
# has 15 when they come together, and 21 when they are so far apart. An agent_definition adds six.
TOGETHER = {"chunks": PIECES, "gap_us": 0, "definition": 1}
APART_US = 8_000
APART = {"chunks": PIECES, "gap_us": APART_US}
# In these the turns begin; not a multiple of the time between pieces, or those of ten turns would
# come at the same instant.
SPREAD_MS = 1_990
# Until an idle daemon is at rest: threads that waited for models end after 5 s, sessions that nobody
# uses are left to the store after 20 to 30 s, and freed memory goes back each 10 s.
REST_S = 45


class Process:
    def __init__(self, command, log):
        with open(log, "ab") as file:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                            stderr=file)

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK

    def own_kb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            sizes = dict(re.findall(r"(\w+):\s+(\d+) kB", status.read()))
        return int(sizes["RssAnon"]) + int(sizes["RssShmem"])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)

    def kill(self):
        self.process.kill()
        self.process.wait(30)


class Bench:
    """The model server, the daemon and its users."""

    def __init__(self, build, users):
        self.load = os.path.join(build, "bench", "agent_load")
        self.home = tempfile.mkdtemp(prefix="gantry-bench-")
        self.model_port, self.port = free_port(), free_port()
        self.model = Process([self.load, "model", str(self.model_port)], self.path("model.log"))
        with open(self.path("gantry.yaml"), "w", encoding="utf-8") as file:
            file.write(self.configuration())
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "OPENAI_API_KEY")}
        os.environ.clear()
        os.environ.update(environment)
        self.daemon = Process([f"{build}/bin/gantry", "run", "--config", self.path("gantry.yaml")],
                              self.path("gantry.log"))
        eventually("gantry", self.registers, not_yet=OSError)
        with open(self.path("tokens"), "w", encoding="utf-8") as tokens:
            for _ in range(users):
                tokens.write(self.register() + "\n")

    def path(self, name):
        return os.path.join(self.home, name)

    def configuration(self):
        """Caps and the blocking pool are raised: one machine plays 250 users."""
        return f"""
profile: minimal
kernel: {{state_dir: {self.home}/state, blocking_threads: 1200}}
plugins:
  transport: {{}}
  control: {{config: {{socket: {self.home}/control.sock}}}}
  store: {{}}
  identity: {{config: {{registrations_per_hour: 0}}}}
  artifacts: {{}}
  runs: {{}}
  agent_engine: {{config: {{model: bench, limits: {{turns: 1200, turns_per_principal: 8}}}}}}
  agent_ws: {{config: {{port: {self.port}}}}}
  agent_http: {{config: {{port: {self.port}}}}}
  llm_openai:
    config:
      {{base_url: "http://127.0.0.1:{self.model_port}/v1", api: chat, api_key: none-is-needed,
       discover: false, models: [{{id: bench}}]}}
"""

    def register(self):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/install/register", data=b"{}",
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)["install_token"]

    def registers(self):
        return bool(self.register())

    def tokens(self, count):
        """A file with the first `count` users."""
        with open(self.path("tokens"), encoding="utf-8") as file:
            lines = file.read().split()
        path = self.path(f"tokens{count}")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines[:count]) + "\n")
        return path

    def run(self, users, server=None, port=None, while_running=None, at_rest=None, **options):
        """What the clients saw, with the server's CPU seconds while they asked. `while_running` is
        called again and again until they are done, `at_rest` after that, before they disconnect
        (with hold=1)."""
        server = server or self.daemon
        words = [f"{key}={value}" for key, value in options.items()]
        with subprocess.Popen([self.load, "turns", str(port or self.port), self.tokens(users),
                               *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as clients:
            if clients.stdout.readline() != "ready\n":
                sys.exit("the clients cannot connect:\n" + self.log())
            before = server.cpu_seconds()
            clients.stdin.write("\n")
            clients.stdin.flush()
            while while_running and not select.select([clients.stdout], [], [], 0.05)[0]:
                while_running()
            result = json.loads(clients.stdout.readline())
            result["cpu"] = server.cpu_seconds() - before
            if at_rest:
                at_rest()
        return result

    def log(self):
        with open(self.path("gantry.log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-4000:]

    def stop(self):
        self.daemon.stop()
        self.model.stop()
        shutil.rmtree(self.home, ignore_errors=True)


def whole(result, what):
    report(f"{what}: failed turns", result["failed"], "", 0)
    if result["failed"]:
        print("  " + result["problem"])
    return result


def latency(bench, quick):
    warm = bench.run(1, turns=20, chunks=PIECES)
    one = whole(bench.run(1, turns=50 if quick else 400, chunks=PIECES), "one at a time")
    report("message to first byte at the model, p50", one["first"]["p50"] / 1000, "ms", 2)
    report("message to first byte at the model, p99", one["first"]["p99"] / 1000, "ms")
    assert warm["failed"] == 0, warm
    pieces_to_frames(bench, quick, "200 turns", spread_ms=SPREAD_MS)
    pieces_to_frames(bench, quick, "200 turns begun at once", limited=False)


def pieces_to_frames(bench, quick, what, limited=True, **begin):
    """200 turns with five pieces a second, so long that all of them run at the same time."""
    seen = whole(bench.run(50, per_user=4, turns=1, chunks=25 if quick else 75, gap_us=200_000,
                           **begin), what)
    report(f"piece to frame, {what}, p50", seen["frame"]["p50"] / 1000, "ms",
           0.5 if limited else None)
    report(f"piece to frame, {what}, p99", seen["frame"]["p99"] / 1000, "ms",
           5 if limited else None)
    for which in ("first", "last", "others"):
        of_kind = seen[f"frame_of_{which}"]
        report(f"  of these, {which} of a turn, p50", of_kind["p50"] / 1000, "ms")
        report(f"  of these, {which} of a turn, p99", of_kind["p99"] / 1000, "ms")
    report(f"server CPU, {what}", 100 * seen["cpu"] / seen["seconds"], "% core")


def many(bench, quick):
    result = bench.run(250, per_user=4, turns=1, chunks=50 if quick else 150, gap_us=200_000)
    whole(result, "1,000 at once")
    report("turns of 1,000 that were whole", result["turns"], "", 1000, at_least=True)
    report("piece to frame at 1,000 turns, p50", result["frame"]["p50"] / 1000, "ms")
    report("piece to frame at 1,000 turns, p99", result["frame"]["p99"] / 1000, "ms")
    report("server CPU at 1,000 turns", 100 * result["cpu"] / result["seconds"], "% core")


def frames_of(bench, turn):
    """A file with the frames of a turn of 21 events. When the pieces are sent together, now and then
    one comes late and is an event of its own: such a turn is not taken."""
    path = bench.path("frames")

    def recorded():
        bench.run(1, turns=1, record=path, **turn)
        with open(path, encoding="utf-8") as file:
            return len(file.read().splitlines()) == EVENTS

    eventually(f"a turn of {EVENTS} events", recorded)
    return path


def baselines(bench, frames, gap_us):
    """name: (server, options of a run) of the servers that a turn is compared with. The FastAPI
    servers have pieces as far apart as the turn's; the floor has them together."""
    echo_port, floor_port = free_port(), free_port()
    echo = Process(["/usr/bin/python3", os.path.join(HERE, "echo_server.py"), str(echo_port),
                    frames], bench.path("echo.log"))
    floor = Process([bench.load, "floor", str(floor_port), str(bench.model_port),
                     bench.path("floor.db"), frames], bench.path("floor.log"))

    def answers():
        with urllib.request.urlopen(f"http://127.0.0.1:{echo_port}/openapi.json", timeout=5) as page:
            return page.status == 200

    def listens():
        socket.create_connection(("127.0.0.1", floor_port), timeout=5).close()
        return True

    eventually("the echo server", answers, not_yet=OSError)
    eventually("the floor", listens, not_yet=OSError)
    return {
        "FastAPI echo of each frame": (echo, {"port": echo_port, "path": "/ws/echo",
                                              "frames": frames, "gap_us": gap_us}),
        "FastAPI that only sends them": (echo, {"port": echo_port,
                                                "path": f"/ws/frames?gap_us={gap_us}"}),
        "sockets and disk alone": (floor, {"port": floor_port}),
    }


def cpu_of(bench, quick, turn, what, limited):
    """Three runs in turn with the baselines; the least of each counts."""
    beside = baselines(bench, frames_of(bench, turn), turn["gap_us"])
    turns = 100 if quick else 500
    spent = {name: [] for name in beside}
    mine = []
    for _ in range(3):
        for name, (server, options) in beside.items():
            seen = whole(bench.run(8, server=server, turns=turns, echo=1, **options), name)
            spent[name].append(1000 * seen["cpu"] / max(seen["turns"], 1))
        seen = whole(bench.run(8, turns=turns, **turn), f"eight users, {what}")
        mine.append(1000 * seen["cpu"] / max(seen["turns"], 1))
        report(f"events of a turn, {what}", seen["events_per_turn"], "", EVENTS if limited else None,
               at_least=True)
    for server in {server for server, _ in beside.values()}:
        server.kill()
    for name, theirs in spent.items():
        held = limited and name.startswith("FastAPI")
        report(f"server CPU of a 21-event turn, {what}", min(mine), "ms",
               0.5 * min(theirs) if held else None, baseline=min(theirs), of=name)


def cpu(bench, quick):
    cpu_of(bench, quick, TOGETHER, "pieces together", limited=True)
    cpu_of(bench, quick, APART, "pieces apart", limited=False)


def memory(bench, quick):
    users = 50 if quick else 250
    bench.run(1, turns=20, chunks=PIECES)
    time.sleep(REST_S)
    before = bench.daemon.own_kb()

    def rest():
        at_once = (bench.daemon.own_kb() - before) / (4 * users)
        report(f"memory of a session right after {4 * users:,} turns at once", at_once, "KiB")
        time.sleep(REST_S)
        idle = (bench.daemon.own_kb() - before) / (4 * users)
        report("memory of an idle session", idle, "KiB", 20)

    # Sessions that have had a turn, four on a connection that stays; then a turn that runs in each.
    bench.run(users, per_user=4, turns=1, chunks=1, hold=1, at_rest=rest)
    idle = bench.daemon.own_kb()
    peak = [0]

    def look():
        peak[0] = max(peak[0], bench.daemon.own_kb())

    bench.run(users, per_user=4, turns=1, chunks=25, gap_us=200_000, while_running=look)
    report("memory of a running turn", (peak[0] - idle) / (4 * users), "KiB", 200)


def main():
    parts = {"latency": latency, "many": many, "cpu": cpu, "memory": memory}
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--only", default=",".join(parts))
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        bench = Bench(arguments.build, 250)
        try:
            parts[name](bench, arguments.quick)
        finally:
            bench.stop()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
