# SPDX-License-Identifier: Apache-2.0
"""A daemon with the agent engine, its store and the scripted model, driven over the control socket."""
import http.client
import json
import os
import signal
import socket
import subprocess
import time

from printed import Printed


class CallFailed(Exception):
    """A contract's refusal."""

    def __init__(self, contract, error):
        super().__init__(f"{contract}: {error}")
        # Before the routes are there the transport answers with a plain text.
        self.code = error["code"] if isinstance(error, dict) else "unavailable"
        self.message = error["message"] if isinstance(error, dict) else error


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class AgentDaemon:
    """Starts at once; `plugins` are lines of YAML beside the usual plugins."""

    def __init__(self, gantry, folder, plugins=""):
        self.gantry, self.folder = gantry, folder
        self.socket = os.path.join(folder, "control.sock")
        self.config = os.path.join(folder, "gantry.yaml")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write("profile: minimal\nplugins:\n"
                       "  transport: {}\n"
                       f"  control: {{config: {{socket: {self.socket}}}}}\n"
                       f"  store: {{config: {{path: {folder}/store.db}}}}\n"
                       "  llm_scripted: {}\n"
                       "  agent_engine: {}\n" + plugins)
        self.process = None
        self.start()

    def environment(self):
        """No desktop in reach, and no configuration of whoever runs the test."""
        env = {k: v for k, v in os.environ.items()
               if k not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
               and (not k.startswith("GANTRY_") or k == "GANTRY_BUILD_DIR")}
        env.update(HOME=self.folder, XDG_RUNTIME_DIR=self.folder, XDG_STATE_HOME=self.folder,
                   XDG_CONFIG_HOME=self.folder)
        return env

    def start(self):
        self.process = subprocess.Popen([self.gantry, "run", "--config", self.config],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, cwd=self.folder,
                                        env=self.environment())
        self.printed = Printed(self.process.stdout, os.path.join(self.folder, "daemon.log"))
        self.printed.wait_for(" kernel: ready ")
        plugins = self.call("gantry.kernel.plugins/1", {})["plugins"]
        assert all(p["state"] in ("running", "lazy", "disabled") for p in plugins), self.log()

    def log(self):
        with open(os.path.join(self.folder, "daemon.log"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                return self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode

    def call(self, contract, request, timeout_s=20):
        connection = UnixConnection(self.socket, timeout_s)
        try:
            connection.request("POST", f"/v1/call/{contract}?timeout_ms={timeout_s * 1000}",
                               json.dumps(request), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            body = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != 200:
            raise CallFailed(contract, body.get("error", ""))
        return body

    def events(self, session, after=0):
        """Everything that is in the log after a number."""
        out = []
        while True:
            page = self.call("gantry.session.poll/1",
                             {"session": session, "after_sequence": after, "limit": 500})["events"]
            if not page:
                return out
            out += page
            after = page[-1]["sequence"]

    def follow(self, session, after, until, limit_s=60):
        """Events one by one until `until(event)`; gives them all."""
        out, end = [], time.monotonic() + limit_s
        while time.monotonic() < end:
            for event in self.call("gantry.session.poll/1",
                                   {"session": session, "after_sequence": after, "limit": 1,
                                    "wait_ms": 1000})["events"]:
                out.append(event)
                after = event["sequence"]
                if until(event):
                    return out
        raise AssertionError(f"it did not come within {limit_s} s; there were {out}")
