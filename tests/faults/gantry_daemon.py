# SPDX-License-Identifier: Apache-2.0
"""The daemon as a process of its own, for tests that treat it badly.

Every daemon has folders of its own for sockets and state and takes free ports. Without `desktop` no
display and no bus is in its reach.
"""
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, SOURCE + "/tests/support")
from any_ports import ANY_PORTS  # noqa: E402
from eventually import eventually  # noqa: E402
from printed import Printed  # noqa: E402

BUILD = os.environ.get("GANTRY_BUILD_DIR", SOURCE + "/build/release")
GANTRY = os.path.join(BUILD, "bin", "gantry")
PATIENCE = 30  # seconds for what takes milliseconds, also under sanitizers on a busy machine
DESKTOP_VARIABLES = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS",
                     "AT_SPI_BUS_ADDRESS", "XDG_RUNTIME_DIR"]


def wait_until(condition, what):
    """What the daemon prints is waited for with Daemon.wait_for instead."""
    return eventually(what, condition, PATIENCE)


class Daemon:
    """`gantry run` with `config` (YAML text) laid over an empty profile, or with `arguments`."""

    def __init__(self, config=None, arguments=(), desktop=False, open_files=None):
        self.folder = tempfile.mkdtemp(prefix="gantry-faults-")
        self.arguments = list(arguments)
        if config is not None:
            os.makedirs(os.path.join(self.folder, "profiles"))
            self.write("profiles/test.yaml", "{}\n")
            self.configure(config)
            self.arguments += ["--config", os.path.join(self.folder, "gantry.yaml")]
        self.env = {name: value for name, value in os.environ.items()
                    if desktop or name not in DESKTOP_VARIABLES}
        self.env.update(ANY_PORTS, GANTRY_RUNTIME_DIR=os.path.join(self.folder, "run"),
                        GANTRY_STATE_DIR=os.path.join(self.folder, "state"))
        if not desktop:  # without an address the bus of a running desktop would be searched for
            self.env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        self.open_files = open_files
        self.process = None
        self.printed = None

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def configure(self, config):
        self.write("gantry.yaml", "profile: test\n" + config)

    def __enter__(self):
        if not self.process:
            self.start()
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            self.printed.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, until="ready version="):
        """Starts it (again), and waits until its log says `until`."""
        def limit():
            if self.open_files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.open_files, self.open_files))

        self.process = subprocess.Popen([GANTRY, "run", *self.arguments], env=self.env,
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        preexec_fn=limit)
        self.printed = Printed(self.process.stderr)
        self.wait_for(until)

    @property
    def log(self):
        """What it has printed since it was started last."""
        return self.printed.text if self.printed else ""

    def wait_for(self, text, times=1):
        """Until its log has said so that many times since it was started last."""
        self.printed.wait_for("(?s)" + ".*".join([re.escape(text)] * times), limit=PATIENCE)

    @property
    def port(self):
        """Of the observer where there is one, else of the listener that came last."""
        self.wait_for("listening on http://127.0.0.1:")
        observer = re.findall(r"observer ready address=http://127\.0\.0\.1:(\d+)", self.log)
        if observer:
            return int(observer[-1])
        return int(re.findall(r"listening on http://127\.0\.0\.1:(\d+)", self.log)[-1])

    def connect(self, timeout=PATIENCE):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def get(self, path):
        """(status, body) of one request on a connection of its own."""
        status, _, body = self.answer(path)
        return status, body

    def answer(self, path):
        """(status, header fields, body)."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            client.request("GET", path)
            answer = client.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            client.close()

    def gantry(self, *words):
        """One command of the command line beside the daemon."""
        return subprocess.run([GANTRY, *words, *self.arguments], env=self.env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE * 2)

    def call(self, contract, request="{}"):
        done = self.gantry("call", contract, request)
        if done.returncode != 0:
            raise AssertionError(f"{contract}: {done.stderr}")
        return json.loads(done.stdout)

    def metric(self, name):
        for line in self.call("gantry.kernel.metrics/1")["text"].splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise AssertionError(f"there is no metric {name}")

    def stop(self, number=signal.SIGTERM):
        """(exit code, seconds until it ended)."""
        begin = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.printed.join()
        return code, time.monotonic() - begin


def request(path, *fields):
    head = [f"GET {path} HTTP/1.1", "Host: localhost", *fields, "", ""]
    return "\r\n".join(head).encode()


def read_all(connection):
    """What still comes, until the other side closes."""
    received = b""
    try:
        while part := connection.recv(1 << 16):
            received += part
    except ConnectionError:
        pass
    return received


def reset(connection):
    """Closes with RST, as a client that crashed does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
