#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the whole daemon from outside, each number beside a named baseline of the same run.

  tests/bench/daemon_bench.py BUILD_DIR [--only start,memory,http,desktop] [--quick]

start    spawn to ready with the desktop profile, beside importing Flask
memory   resident set after one call of each contract and 60 s of idling (--quick: 2 s), beside the
         same Flask server
http     GET /api/healthz at 64 keep-alive connections, beside Flask and nginx answering the same bytes
desktop  window list, raw grab, screenshot reply and cold tree; needs a display (run it inside
         tools/desktop-session), beside wmctrl, import and a synchronous walk

Prints one line a number: name, value, limit, baseline, ratio. Exit status 1 when a limit is missed.
"""
import argparse
import base64
import http.client
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from eventually import eventually  # noqa: E402

FLASK_SERVER = """
import sys, flask, logging
logging.getLogger('werkzeug').setLevel(logging.ERROR)
app = flask.Flask('baseline')
body = open(sys.argv[2], 'rb').read()
@app.get('/api/healthz')
def health():
    return flask.Response(body, content_type='application/json')
app.run(port=int(sys.argv[1]), threaded=True)
"""

missed = []


def report(name, value, unit, limit=None, at_least=False, baseline=None, of=""):
    """One line; `limit` is an upper bound unless at_least."""
    line = f"{name:<46} {value:10.2f} {unit:<8}"
    if limit is not None:
        good = value >= limit if at_least else value <= limit
        line += f" {'>=' if at_least else '<='} {limit:g}: {'ok' if good else 'MISSED'}"
        if not good:
            missed.append(name)
    if baseline:
        line += f"   [{of}: {baseline:.2f} {unit}, ratio {value / baseline:.2f}]"
    print(line, flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Unix(http.client.HTTPConnection):
    """HTTP over the control socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Daemon:
    """`gantry run` on ports and folders of its own."""

    def __init__(self, build, profile="desktop", settings=()):
        self.home = tempfile.mkdtemp(prefix="gantry-bench-")
        self.port = free_port()
        self.socket = os.path.join(self.home, "control.sock")
        env = dict(os.environ, XDG_STATE_HOME=self.home, XDG_RUNTIME_DIR=self.home,
                   XDG_CONFIG_HOME=self.home)
        command = [f"{build}/bin/gantry", "run", "--profile", profile,
                   "--set", f"plugins.control.config.socket={self.socket}"]
        if profile == "desktop":
            command += ["--set", f"plugins.rest_observer.config.port={self.port}"]
        for setting in settings:
            command += ["--set", setting]
        begun = time.perf_counter()
        self.process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
        self.ready_ms = None
        for line in self.process.stderr:
            if re.search(r"kernel: ready\b", line):
                self.ready_ms = (time.perf_counter() - begun) * 1000
                break
        if self.ready_ms is None:
            raise RuntimeError("gantry did not become ready")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.control = Unix(self.socket)

    def call(self, contract, request):
        self.control.request("POST", f"/v1/call/{contract}", json.dumps(request),
                             {"Content-Type": "application/json"})
        answer = self.control.getresponse()
        body = answer.read()
        return answer.status, json.loads(body or b"null")

    def get(self, path, connection=None):
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        return connection.getresponse().read()

    def trace(self, contract):
        """Durations in milliseconds of the last calls of a contract, as the bus measured them."""
        status, answer = self.call("gantry.kernel.trace/1", {"contract": contract, "limit": 4000})
        assert status == 200, answer
        return [e["duration_us"] / 1000 for e in answer["entries"] if e["duration_us"] > 0]

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)
        shutil.rmtree(self.home, ignore_errors=True)


class Flask:
    def __init__(self, body):
        self.folder = tempfile.mkdtemp(prefix="gantry-bench-")
        file = os.path.join(self.folder, "body")
        with open(file, "wb") as out:
            out.write(body)
        self.port = free_port()
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-c", FLASK_SERVER, str(self.port), file],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port)

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Nginx:
    def __init__(self, body):
        self.folder = tempfile.mkdtemp(prefix="gantry-bench-")
        os.makedirs(f"{self.folder}/www/api")
        with open(f"{self.folder}/www/api/healthz", "wb") as out:
            out.write(body)
        os.chmod(self.folder, 0o755)
        self.port = free_port()
        with open(f"{self.folder}/nginx.conf", "w") as out:
            out.write(f"""worker_processes 2; daemon off; pid {self.folder}/pid;
error_log {self.folder}/error.log; events {{}}
http {{ access_log off; default_type application/json; keepalive_requests 100000000;
  client_body_temp_path {self.folder}/b; proxy_temp_path {self.folder}/p;
  fastcgi_temp_path {self.folder}/f; uwsgi_temp_path {self.folder}/u; scgi_temp_path {self.folder}/s;
  open_file_cache max=10;
  server {{ listen 127.0.0.1:{self.port}; root {self.folder}/www; }} }}""")
        self.process = subprocess.Popen(["nginx", "-c", f"{self.folder}/nginx.conf"],
                                        stderr=subprocess.DEVNULL)
        wait_for_port(self.port)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for_port(port):
    def answers():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    eventually("the baseline server", answers)


def requests_per_second(port, seconds):
    out = subprocess.run(["wrk", "-t1", "-c64", f"-d{seconds}s",
                          f"http://127.0.0.1:{port}/api/healthz"],
                         capture_output=True, text=True, check=True).stdout
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if bad:
        raise RuntimeError(f"{bad.group(1)} answers were not 2xx")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def bench_start(build, quick):
    times = []
    for _ in range(5 if quick else 15):
        daemon = Daemon(build)
        times.append(daemon.ready_ms)
        daemon.stop()
    baseline = []
    for _ in range(3):
        begun = time.perf_counter()
        subprocess.run(["/usr/bin/python3", "-c", "import flask"], check=True)
        baseline.append((time.perf_counter() - begun) * 1000)
    report("start to ready, desktop profile (median)", statistics.median(times), "ms", 150,
           baseline=statistics.median(baseline), of="python3 import flask")


def bench_memory(build, quick):
    daemon = Daemon(build)
    _, listing = daemon.call("gantry.kernel.contracts/1", {})
    called = 0
    for contract in listing["contracts"]:
        if contract["kind"] == "call" and contract["providers"]:
            daemon.call(contract["name"], {})
            called += 1
    for path in ("/api/windows", "/api/structure", "/api/sketch", "/api/description", "/api/screenshot"):
        daemon.get(path)
    time.sleep(2 if quick else 60)
    idle = daemon.resident_mb()  # before the next request, which maps code again
    flask = Flask(daemon.get("/api/healthz"))
    subprocess.run(["wrk", "-t1", "-c4", "-d1s", f"http://127.0.0.1:{flask.port}/api/healthz"],
                   capture_output=True, check=True)
    report(f"idle RSS after a call of each of {called} contracts", idle, "MB", 40,
           baseline=flask.resident_mb(), of="Flask server")
    flask.stop()
    daemon.stop()


def bench_http(build, quick):
    seconds = 2 if quick else 8
    daemon = Daemon(build)
    body = daemon.get("/api/healthz")
    flask, nginx = Flask(body), Nginx(body)
    rounds = [(requests_per_second(daemon.port, seconds), requests_per_second(flask.port, seconds),
               requests_per_second(nginx.port, seconds)) for _ in range(1 if quick else 3)]
    ours, theirs, static = (statistics.median(column) for column in zip(*rounds))
    report("GET /api/healthz, 64 connections", ours, "req/s", baseline=static, of="nginx, same bytes")
    report("GET /api/healthz, 64 connections, over Flask", ours / theirs, "times", 20, at_least=True)
    print(f"{'':<46} Flask {theirs:.0f} req/s, nginx {static:.0f} req/s, {len(body)} bytes a body")
    for server in (flask, nginx, daemon):
        server.stop()


def timed(function, times):
    samples = []
    for _ in range(times):
        begun = time.perf_counter()
        function()
        samples.append((time.perf_counter() - begun) * 1000)
    return statistics.median(samples)


def bench_desktop(build, quick):
    if not os.environ.get("DISPLAY"):
        print("desktop: skipped, DISPLAY is not set; run inside tools/desktop-session")
        return
    times = 10 if quick else 50
    daemon = Daemon(build)
    for _ in range(times):
        daemon.call("gantry.window.list/1", {})
    report("window list (bus, median)", statistics.median(daemon.trace("gantry.window.list/1")), "ms", 1,
           baseline=timed(lambda: subprocess.run(["wmctrl", "-lGpx"], capture_output=True), 5),
           of="wmctrl -lGpx")
    # Pixels by reference inside the daemon: the screenshot tool captures, then encodes.
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
    mover = subprocess.Popen(["xterm", "-geometry", "80x24+50+50", "-e",
                              "sh -c 'while :; do date +%N; done'"]) if shutil.which("xterm") else None
    def shoot():
        answer = json.loads(daemon.get("/api/screenshot", connection))
        assert base64.b64decode(answer["data"])[:4] == b"\x89PNG"
        return answer["data"]
    if mover:
        bare = shoot()
        drawn = eventually("the xterm", lambda: (now := shoot()) != bare and now)
        eventually("its next line", lambda: shoot() != drawn)
    with tempfile.NamedTemporaryFile(suffix=".png") as shot:
        scrot = timed(lambda: subprocess.run(["import", "-window", "root", shot.name],
                                             capture_output=True, check=True), 3)
    report("screenshot reply, PNG in base64, changing screen", timed(shoot, times), "ms", 25,
           baseline=scrot, of="import -window root")
    report("raw grab of the screen (bus, median)",
           statistics.median(daemon.trace("gantry.screen.capture/1")), "ms", 2)
    if mover:
        mover.kill()
        mover.wait()
    daemon.stop()
    bench_tree(build, quick)


def bench_tree(build, quick):
    app = f"{build}/tests/apps/gtk3_many"
    if not os.path.exists(app):
        print(f"cold tree: skipped, {app} is not built")
        return
    window = subprocess.Popen([app], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    cold, nodes = [], 0
    try:
        for _ in range(2 if quick else 5):
            daemon = Daemon(build)  # a new daemon has no warm tree
            found = eventually("the window", lambda: [
                w for w in daemon.call("gantry.window.list/1", {})[1]["windows"] if w["pid"] == window.pid])
            request = {k: found[0][k] for k in ("handle", "pid", "title", "bounds")}
            begun = time.perf_counter()
            status, tree = daemon.call("gantry.a11y.tree/1", request)
            elapsed = (time.perf_counter() - begun) * 1000
            assert status == 200, tree
            nodes = len(tree["nodes"])
            cold.append(tree["capture_ms"] or elapsed)
            warm = timed(lambda: daemon.call("gantry.a11y.tree/1", request), 5)
            bus_warm = daemon.trace("gantry.a11y.tree/1")[-1]
            daemon.stop()
        report(f"cold tree of a GTK3 window, {nodes} nodes", statistics.median(cold), "ms", 250)
        report("warm tree of the same window (bus)", bus_warm, "ms", 5,
               baseline=warm, of="the same as JSON over the control socket")
    finally:
        window.kill()
        window.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--only", default="start,memory,http,desktop")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    benches = {"start": bench_start, "memory": bench_memory, "http": bench_http, "desktop": bench_desktop}
    for name in arguments.only.split(","):
        benches[name](os.path.abspath(arguments.build), arguments.quick)
    if missed:
        print("missed: " + "; ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
