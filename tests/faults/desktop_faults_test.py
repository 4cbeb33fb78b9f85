#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The daemon on a desktop whose X server and accessibility bus are absent, killed and restarted.

Opens a private desktop of its own, because it kills parts of it.
"""
import ctypes
import glob
import json
import os
import signal
import subprocess
import sys
import unittest

from gantry_daemon import SOURCE, Daemon, wait_until

SESSION = os.path.join(SOURCE, "tools", "desktop-session")
INSIDE = "GANTRY_FAULTS_INSIDE"
DESKTOP = ["--profile", "desktop", "--set", "rest_observer.port=0"]


def session_processes(*names):
    """Pids of this session's processes whose command line holds one of the names."""
    mark = ("GANTRY_DESKTOP_SESSION=" + os.environ["GANTRY_DESKTOP_SESSION"]).encode()
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(folder + "/environ", "rb") as environ, open(folder + "/cmdline", "rb") as line:
                command = line.read().decode(errors="replace")
                if mark in environ.read().split(b"\0") and any(name in command for name in names):
                    found.append(int(folder[6:]))
        except OSError:
            continue  # gone, or not ours
    return found


def kill(*names):
    pids = session_processes(*names)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return pids


def spawn(*argv):
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def answer(daemon, path):
    status, body = daemon.get(path)
    return status, json.loads(body)


def elements(daemon):
    status, tree = answer(daemon, "/api/structure?window_index=0")
    return tree["element_count"] if status == 200 else 0


def not_ok(daemon):
    components = daemon.call("gantry.kernel.health/1")["components"]
    return {f"{c['plugin']}/{c['component']}" for c in components if c["state"] != "ok"}


def held():
    """Buttons and modifiers that the X server holds down, as its mask."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    windows, places = (ctypes.c_ulong * 2)(), (ctypes.c_int * 4)()
    mask = ctypes.c_uint()
    at = ctypes.addressof
    x11.XQueryPointer(display, ctypes.c_ulong(x11.XDefaultRootWindow(display)),
                      *[ctypes.c_void_p(at(windows) + 8 * i) for i in range(2)],
                      *[ctypes.c_void_p(at(places) + 4 * i) for i in range(4)], ctypes.byref(mask))
    x11.XCloseDisplay(display)
    return mask.value


class Faults(unittest.TestCase):
    """In this order: the last one takes the X server away."""

    def test_1_each_adapter_is_removed(self):
        rows = [("linux_x11", "/api/windows", "gantry.window.list/1"),
                ("linux_atspi", "/api/structure?window_index=0", "gantry.a11y.tree/1")]
        for name, path, contract in rows:
            off = ["--set", f"plugins.{name}=false"]
            with self.subTest(without=name), Daemon(arguments=DESKTOP + off, desktop=True) as daemon:
                status, body = answer(daemon, path)
                self.assertEqual((status, body["error"]["code"]), (501, "PlatformUnsupported"))
                self.assertIn(f"{contract} is not available", body["error"]["message"])
                self.assertIn(f"plugin {name} is disabled", body["error"]["message"])
                if name == "linux_atspi":
                    self.assertEqual(answer(daemon, "/api/windows")[0], 200)
                    self.assertEqual(answer(daemon, "/api/screenshot")[0], 200)
                self.assertEqual(daemon.stop()[0], 0)

    def test_2_no_desktop_at_all(self):
        with Daemon(arguments=DESKTOP) as daemon:
            status, body = answer(daemon, "/api/windows")
            self.assertEqual((status, body["error"]["code"]), (501, "PlatformUnsupported"))
            self.assertIn("DISPLAY is not set", body["error"]["message"])
            wait_until(lambda: {"linux_x11/display", "linux_atspi/accessibility_bus"} <= not_ok(daemon),
                       "both adapters say what is missing")
            supports = answer(daemon, "/api/capabilities")[1]["supports"]
            self.assertFalse(supports["accessibility_tree"])

    def test_3_the_made_up_desktop_steps_in(self):
        with Daemon(arguments=["--profile", "dev", "--set", "rest_observer.port=0"]) as daemon:
            wait_until(lambda: {"linux_x11/display", "linux_atspi/accessibility_bus"} <= not_ok(daemon),
                       "both adapters say what is missing")
            status, body = answer(daemon, "/api/windows")
            self.assertEqual((status, body.get("is_mock")), (200, True), body)
            self.assertGreater(elements(daemon), 0)

    def test_4_the_accessibility_bus_is_killed_and_comes_back(self):
        with Daemon(arguments=DESKTOP, desktop=True) as daemon:
            wait_until(lambda: elements(daemon) > 5, "the tree of the editor")
            self.assertTrue(kill("at-spi-bus-launcher", "at-spi2/accessibility.conf", "at-spi2-registryd"))
            daemon.wait_for("accessibility bus is down")
            self.assertEqual(answer(daemon, "/api/windows")[0], 200)
            # Looking for the bus has D-Bus start a new one. The editor of before has lost its bridge
            # for good, as toolkits do; a new one is read.
            daemon.wait_for("accessibility bus is up", times=2)  # the new one is found
            editor = spawn("mousepad", "--disable-server")
            try:
                wait_until(lambda: len(answer(daemon, "/api/windows")[1]["windows"]) == 2, "its window")
                wait_until(lambda: elements(daemon) > 5, "its tree")
            finally:
                editor.kill()
                editor.wait()
            self.assertEqual(not_ok(daemon), set())

    def test_4_what_is_held_is_let_go_at_a_stop(self):
        button_and_ctrl = 0x104
        with Daemon(arguments=DESKTOP, desktop=True) as daemon:
            body = json.dumps({"from": {"x": 10, "y": 10}, "to": {"x": 300, "y": 300},
                               "modifiers": ["ctrl"], "duration_s": 30})
            with daemon.connect() as client:
                client.sendall((f"POST /api/drag HTTP/1.1\r\nHost: localhost\r\n"
                                f"Content-Type: application/json\r\n"
                                f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
                wait_until(lambda: held() == button_and_ctrl, "the drag holds button and key")
                self.assertEqual(daemon.stop()[0], 0)
            self.assertEqual(held(), 0)

    def test_5_the_x_server_is_killed_and_comes_back(self):
        with Daemon(arguments=DESKTOP, desktop=True) as daemon:
            self.assertEqual(answer(daemon, "/api/screenshot")[0], 200)
            self.assertTrue(kill("Xvfb"))
            status, body = wait_until(lambda: (found := answer(daemon, "/api/windows"))[0] != 200 and
                                      "no X server answers" in found[1]["error"]["message"] and found,
                                      "the loss is noticed")
            self.assertEqual((status, body["error"]["code"]), (501, "PlatformUnsupported"))
            self.assertEqual(daemon.get("/api/healthz")[0], 200)
            wait_until(lambda: "linux_x11/display" in not_ok(daemon), "its health says so")
            server = spawn("Xvfb", os.environ["DISPLAY"], "-screen", "0", "1280x720x24", "-noreset",
                           "-nolisten", "tcp", "-auth", os.environ["XAUTHORITY"])
            try:
                wait_until(lambda: answer(daemon, "/api/windows")[0] == 200, "the new server is found")
                bounds = answer(daemon, "/api/screenshot")[1]["bounds"]
                self.assertEqual((bounds["width"], bounds["height"]), (1280, 720))
                wait_until(lambda: "linux_x11/display" not in not_ok(daemon), "its health says so")
            finally:
                server.kill()
                server.wait()


if __name__ == "__main__":
    if INSIDE in os.environ:
        unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
    else:
        os.environ[INSIDE] = "1"
        # --reuse would be a desktop that other tests use.
        os.environ.pop("GANTRY_DESKTOP_SESSION", None)
        os.execv(SESSION, [SESSION, "--app", "mousepad", "--", sys.executable, *sys.argv])
