#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""50 workers fetch runs over HTTP while the daemon is killed: no run is lost, none goes to two workers.

usage: runs_restart_test.py GANTRY_BINARY
"""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from eventually import eventually  # noqa: E402

WORKERS, RUNS, KILLS = 50, 200, 4
LONGEST_S = 120
KEY = "key-of-the-test"
CONFIG = """
kernel: {state_dir: %s}
plugins:
  transport: {}
  store: {}
  identity: {}
  runs: {config: {max_active_per_workspace: %d}}
  agent_http: {config: {port: 0, runs: {api_key: %s}}}
"""


class Daemon:
    """The daemon under test; it may be killed and started again, on another port."""

    def __init__(self, gantry, folder):
        # Without a profile all of `desktop` would start, on its customary ports, which others use.
        self.command = [gantry, "run", "--profile", "minimal",
                        "--config", os.path.join(folder, "agent.yaml")]
        self.folder = folder
        self.token = ""
        with open(self.command[-1], "w", encoding="utf-8") as file:
            file.write(CONFIG % (folder, RUNS, KEY))
        self.start()

    def start(self):
        env = {**os.environ, "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder}
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, env=env, text=True)
        for line in self.process.stderr:
            found = re.search(r"agent HTTP ready.*?(127\.0\.0\.1:\d+)", line)
            if found:
                self.address = found[1]
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return
        raise AssertionError("the daemon ended")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def post(self, path, body):
        headers = {"Content-Type": "application/json", "X-Windie-Runs-Key": KEY,
                   "Authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(f"http://{self.address}/api/{path}",
                                         json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)


def until_answered(daemon, path, body):
    """A client that tries again while the daemon is away, or has been killed within an answer."""
    def ask():
        try:
            return [daemon.post(path, body)]
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise AssertionError(f"{path}: {error.code} {error.read()}") from error
            return None

    return eventually("the answer to " + path, ask, pause=0.05,
                      not_yet=(OSError, http.client.IncompleteRead))[0]


class Work:
    """What all workers have done together."""

    def __init__(self):
        self.lock = threading.Lock()
        self.given = {}  # run_id -> workers that were given it
        self.done = set()
        self.failures = []


def work(daemon, number, state):
    name = f"worker-{number}"
    me = {"workspace_id": "w", "worker_id": name, "vm_id": name, "user_id": name}
    try:
        while True:
            run = eventually("another run", lambda: len(state.done) >= RUNS or until_answered(
                daemon, "runs/workers/heartbeat", me)["assigned_run"], LONGEST_S, pause=0.02)
            if run is True:
                return
            with state.lock:
                state.given.setdefault(run["run_id"], set()).add(name)
            until_answered(daemon, f"runs/{run['run_id']}/worker-dispatched",
                           {"worker_id": name, "user_id": name, "turn_ref": f"turn-{name}"})
            until_answered(daemon, f"runs/{run['run_id']}/events",
                           {"event_type": "streaming-complete"})
            with state.lock:
                state.done.add(run["run_id"])
    except Exception as error:  # tell of it and let the others end
        with state.lock:
            state.failures.append(f"{name}: {error!r}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(os.path.realpath(sys.argv[1]), os.path.realpath(folder))
        try:
            daemon.token = daemon.post("install/register", {})["install_token"]
            created = {daemon.post("runs/", {"workspace_id": "w", "query": f"q{i}"})["run"]["run_id"]
                       for i in range(RUNS)}
            state = Work()
            workers = [threading.Thread(target=work, args=(daemon, i, state))
                       for i in range(WORKERS)]
            for worker in workers:
                worker.start()
            for kill in range(1, KILLS + 1):
                share = kill * RUNS // (KILLS + 1)
                eventually("the next part of the runs",
                           lambda: state.failures or len(state.done) >= share, LONGEST_S)
                daemon.kill()
                daemon.start()
            for worker in workers:
                worker.join(LONGEST_S)
            twice = {run: names for run, names in state.given.items() if len(names) > 1}
            assert not state.failures, state.failures
            assert not twice, f"given to two workers: {twice}"
            assert state.done == created, f"lost: {created - state.done}"
        finally:
            daemon.process.send_signal(signal.SIGTERM)
            daemon.process.wait(timeout=30)
    print(f"{RUNS} runs, {WORKERS} workers, {KILLS} kills: none lost, none given out twice")


if __name__ == "__main__":
    main()
