# SPDX-License-Identifier: Apache-2.0
"""What the tests on private desktops share: a daemon, its REST interface, and the desktop around."""
import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from any_ports import ANY_PORTS  # noqa: E402
from eventually import eventually  # noqa: E402
from printed import Printed  # noqa: E402

PYTHON = "/usr/bin/python3"  # the one that has the system's GTK bindings


class Observer:
    """The REST interface of one daemon."""

    def __init__(self, base):
        self.base = base

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def get(self, path):
        return self.call("GET", path)[1]

    def act(self, verb, **body):
        status, answer = self.call("POST", "/api/element/" + verb, body)
        assert status == 200 and answer["ok"], f"{verb} {body}: {status} {answer}"
        return answer

    def wait_for(self, *conditions, **more):
        status, answer = self.call("POST", "/api/wait_for", {"any_of": conditions, **more})
        assert status == 200, answer
        return answer

    def screenshot(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.get("/api/screenshot")["data"]))


def check(what, found, wanted):
    assert found == wanted, f"{what}: found {found!r}, wanted {wanted!r}"


def confirmed(receipt):
    assert receipt["effect"] == "confirmed", receipt
    assert receipt["evidence"], receipt
    return receipt


@contextlib.contextmanager
def running(gantry, folder, *options):
    """The REST interface of a daemon that ends with the block."""
    env = {**os.environ, **ANY_PORTS, "GANTRY_STATE_DIR": os.path.join(folder, "state")}
    daemon = subprocess.Popen([gantry, "run", "--set", "plugins.rest_observer.config.port=0",
                               *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=env)
    printed = Printed(daemon.stdout, os.path.join(folder, "gantry.log"))
    try:
        ready, = printed.wait_for(r"screen observer ready address=(http://[0-9.:]+)")
        observer = Observer(ready.group(1))
        # The first list of windows waits for the adapters; the observer is healthy when all plugins
        # have started.
        observer.get("/api/windows")
        eventually("a healthy observer", lambda: observer.call("GET", "/api/healthz")[0] == 200)
        yield observer
    finally:
        daemon.send_signal(signal.SIGINT)
        daemon.wait(15)


def gtk_installed(version):
    code = f"import gi; gi.require_version('Gtk', '{version}.0'); from gi.repository import Gtk"
    return subprocess.run([PYTHON, "-c", code], capture_output=True, check=False).returncode == 0


def skip(why):
    print("SKIPPED: " + why)
    sys.exit(77)


def empty_folder(*parts):
    folder = os.path.join(*parts)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def on_private_desktop(source, apps, *arguments):
    """Runs this program with --inside and the arguments where the applications are; its status."""
    environment = {k: v for k, v in os.environ.items() if k != "GANTRY_DESKTOP_SESSION"}
    command = [os.path.join(source, "tools", "desktop-session")]
    for app in apps:
        command += ["--app", app]
    command += ["--", sys.executable, os.path.abspath(sys.argv[0]), "--inside", *arguments]
    return subprocess.run(command, env=environment, timeout=200, check=False).returncode
