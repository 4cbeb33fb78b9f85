#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of the chats as a script sees them: Cortask's WebSocket and the gateway's.

  GANTRY_NODE_MODULES=… tests/bench/chats/chats_bench.py BUILD_DIR [--chats cortask,gateway]
      [--only connect,idle,list] [--idle N] [--sessions N]

connect  connect and first token with 1, 100 and 400 clients at once, processor time of a run;
         beside a server on npm ws that answers with the same frames and does nothing else
idle     memory of an idle connection, then 100 chats beside all those, of other users where the
         protocol has users
list     a page of 20 of a principal with that many sessions, over HTTP: the first, and others, beside
         a small answer over the same connection

The model is the scripted one, which answers at once. Prints one line a number: name, value, limit,
baseline, ratio. Exit status 1 when a limit is missed.
"""
import argparse
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "agent")]
from agent_bench import Process  # noqa: E402
from daemon_bench import free_port, missed, report, wait_for_port  # noqa: E402
from eventually import eventually  # noqa: E402  (found by the import of daemon_bench)

LIMIT_MS = {1: 5, 100: 20, 400: 100}
CPU_MS = 2
IDLE_BYTES = 2048
PAGE_MS = 10
TOKEN = "a-token-of-the-benchmarks"
PLUGINS = {
    "cortask": "  workspaces: {}\n  chat_cortask: {config: {port: %(port)d, data_dir: %(home)s/c}}\n",
    "gateway": "  identity: {}\n  gateway_v3: {config: {port: %(port)d, token: " + TOKEN
               + ", rate_limit_rpm: 0}}\n",
}


class NotAnswered(RuntimeError):
    """Another status than 200, such as 503 while the daemon starts."""


class Chat:
    """A daemon with one chat."""

    def __init__(self, build, name):
        self.name = name
        self.load = os.path.join(build, "bench", "chat_load")
        self.home = tempfile.mkdtemp(prefix="gantry-bench-")
        self.port = free_port()
        with open(self.path("gantry.yaml"), "w", encoding="utf-8") as file:
            os.chmod(file.name, 0o600)
            file.write(self.configuration())
        self.daemon = Process([f"{build}/bin/gantry", "run", "--config", self.path("gantry.yaml")],
                              self.path("gantry.log"))
        wait_for_port(self.port)
        self.words = self.secrets() if name == "gateway" else [f"place={self.workspace()}"]
        self.chats(streams=1, rounds=20, name="warm", record=self.path("frames"))

    def configuration(self):
        """Limits are raised: one machine plays all clients."""
        most = "20000"
        return f"""
profile: minimal
kernel: {{state_dir: {self.home}/state}}
plugins:
  transport: {{config: {{connections: {most}, connections_per_address: {most}}}}}
  control: {{config: {{socket: {self.home}/control.sock}}}}
  store: {{}}
  artifacts: {{}}
  agent_engine:
    config: {{limits: {{turns: 2000, turns_per_principal: 2000, waiting_per_principal: 2000}}}}
  llm_scripted: {{}}
""" + PLUGINS[self.name] % {"port": self.port, "home": self.home}

    def path(self, name):
        return os.path.join(self.home, name)

    def get(self, target, connection=None):
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", target, headers={"Authorization": "Bearer " + self.key()})
        answer = connection.getresponse()
        body = json.loads(answer.read())
        if answer.status != 200:
            raise NotAnswered(f"{target}: {answer.status} {body}")
        return body

    def resident(self):
        """Bytes in memory."""
        with open(f"/proc/{self.daemon.process.pid}/status", encoding="ascii") as status:
            return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))

    def workspace(self):
        rows = eventually("a workspace", lambda: self.get("/api/workspaces"), not_yet=NotAnswered)
        return rows[0]["id"]

    def secrets(self):
        """A user for each client, who sees his own runs alone."""
        with open(self.path("secrets"), "w", encoding="utf-8") as file:
            subprocess.run([self.load, "keys", str(self.port), TOKEN, str(max(LIMIT_MS))],
                           stdout=file, check=True)
        with open(self.path("secrets"), encoding="utf-8") as file:
            keys = file.readlines()
        for name, some in {"one": keys[:1], "others": keys[100:]}.items():
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.writelines(some)
        return ["secrets=" + self.path("secrets")]

    def key(self):
        """Of the first user."""
        if self.name == "cortask":
            return "none-is-needed"
        with open(self.path("secrets"), encoding="utf-8") as file:
            return file.readline().strip()

    def command(self, mode, port, options):
        words = [f"{key}={value}" for key, value in options.items()]
        return [self.load, mode, str(port or self.port), self.name, *self.words, *words]

    def chats(self, server=None, port=None, **options):
        """What the clients saw, with the server's milliseconds of processor a run."""
        server = server or self.daemon
        before = server.cpu_seconds()
        done = subprocess.run(self.command("chats", port, options), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr + self.log())
        seen = json.loads(done.stdout)
        seen["cpu"] = 1000 * (server.cpu_seconds() - before) / seen["runs"]
        return seen

    def idle(self, count):
        """A process with idle clients."""
        clients = subprocess.Popen(self.command("idle", None, {"streams": count}), text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if clients.stdout.readline() != "ready\n":
            sys.exit("the clients cannot connect:\n" + self.log())
        return clients

    def log(self):
        with open(self.path("gantry.log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-4000:]

    def stop(self):
        self.daemon.stop()
        shutil.rmtree(self.home, ignore_errors=True)


def connect(chat, _):
    port = free_port()
    echo = Process(["node", os.path.join(HERE, "echo_server.mjs"), str(port), chat.path("frames")],
                   chat.path("echo.log"))
    wait_for_port(port)
    chat.chats(echo, port, streams=1, rounds=50)
    for streams, limit in LIMIT_MS.items():
        rounds = 100 if streams == 1 else 5
        theirs = chat.chats(echo, port, streams=streams, rounds=rounds)
        mine = chat.chats(streams=streams, rounds=rounds, name=f"at{streams}")
        what = f"{chat.name}, {streams} at once"
        report(f"{what}: first token, p50", mine["p50"], "ms", limit, baseline=theirs["p50"],
               of="npm ws")
        report(f"{what}: first token, p95", mine["p95"], "ms", baseline=theirs["p95"], of="npm ws")
        report(f"{what}: server CPU a run", mine["cpu"], "ms", CPU_MS, baseline=theirs["cpu"],
               of="npm ws")
    echo.stop()


def idle(chat, arguments):
    chat.chats(streams=100, name="before")
    before = chat.resident()
    chatting = chat.words
    if chat.name == "gateway":
        chat.words = ["secrets=" + chat.path("others")]
    clients = chat.idle(arguments.idle)
    chat.words = chatting
    each = (chat.resident() - before) / arguments.idle
    report(f"{chat.name}: memory of an idle connection", each, "bytes", IDLE_BYTES)
    beside = chat.chats(streams=100, rounds=5, name="beside")
    report(f"{chat.name}: 100 beside {arguments.idle} idle, p50", beside["p50"], "ms")
    report(f"{chat.name}: 100 beside {arguments.idle} idle, CPU a run", beside["cpu"], "ms", CPU_MS)
    clients.communicate("")


def pages(chat, arguments):
    if chat.name == "gateway":
        chat.words = ["secrets=" + chat.path("one")]
    at_once = 10  # all of them see what each of them does, where they are one user
    began = time.monotonic()
    chat.chats(streams=at_once, rounds=arguments.sessions // at_once, name="many")
    report(f"{chat.name}: making {arguments.sessions} sessions", time.monotonic() - began, "s")
    target = "/v1/sessions?limit=20&offset={}"
    if chat.name == "cortask":
        target = f"/api/sessions?{chat.words[0].replace('place', 'workspaceId')}&limit=20&offset={{}}"
    connection = http.client.HTTPConnection("127.0.0.1", chat.port, timeout=60)

    def timed(path):
        begun = time.perf_counter()
        body = chat.get(path, connection)
        return 1000 * (time.perf_counter() - begun), body

    small = "/api/workspaces" if chat.name == "cortask" else "/v1/agents"
    others = [timed(small)[0] for _ in range(100)]
    times = []
    for offset in range(0, min(4000, arguments.sessions), 20):
        taken, body = timed(target.format(offset))
        times.append(taken)
        rows = body if isinstance(body, list) else body["sessions"]
        if len(rows) != 20:
            sys.exit(f"a page has {len(rows)} sessions")
    what = f"{chat.name}: a page of {arguments.sessions} sessions"
    report(f"{what}, the first", times[0], "ms")
    report(f"{what}, p50", statistics.median(times), "ms", PAGE_MS,
           baseline=statistics.median(others), of=small)
    report(f"{what}, p95", statistics.quantiles(times, n=20)[-1], "ms", PAGE_MS)


def main():
    parts = {"connect": connect, "idle": idle, "list": pages}
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--chats", default="cortask,gateway")
    parser.add_argument("--only", default=",".join(parts))
    parser.add_argument("--idle", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=10_000)
    arguments = parser.parse_args()
    for name in arguments.chats.split(","):
        for part in arguments.only.split(","):
            chat = Chat(arguments.build, name)
            try:
                parts[part](chat, arguments)
            finally:
                chat.stop()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
