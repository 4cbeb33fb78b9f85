#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The daemon without a display, treated badly: plugins taken away, clients that misbehave, signals."""
import concurrent.futures
import contextlib
import fcntl
import json
import os
import signal
import socket
import sys
import threading
import unittest

from gantry_daemon import BUILD, Daemon, read_all, request, reset, wait_until

PLUGINS = ["transport", "control", "mock", "guard", "observation", "rest_observer"]
ALL = """
plugins:
  transport: {}
  control: {}
  mock: {}
  guard: {}
  observation: {}
  rest_observer: {config: {port: 0}}
"""


def without(name):
    lines = [line for line in ALL.splitlines() if not line.startswith(f"  {name}:")]
    return "\n".join(lines) + "\n"


def daemon_with(transport):
    return Daemon(ALL.replace("transport: {}", "transport: {config: {" + transport + "}}"))


class Doctor(unittest.TestCase):
    """The whole command; what it says of single things is kernel/tests/cases/doctor.yaml."""

    def report(self, daemon):
        self.addCleanup(daemon.__exit__)
        done = daemon.gantry("doctor", "--json")
        report = json.loads(done.stdout)
        return done.returncode, report, {(line["area"], line["grade"]): line for line in report["lines"]}

    def test_a_machine_without_a_desktop_is_ready_and_told_the_cure(self):
        code, report, lines = self.report(Daemon(ALL))
        self.assertEqual((code, report["ready"]), (0, True), report)
        self.assertIn("no daemon was asked", report["asked"])
        self.assertIn("gantry run --profile server", lines["display", "note"]["cure"])
        self.assertIn("DBUS_SESSION_BUS_ADDRESS", lines["session bus", "ok"]["finding"])
        self.assertIn("mock scores", str(report["lines"]))

    def test_a_port_that_is_taken_is_bad_and_named(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            code, report, lines = self.report(Daemon(ALL.replace("port: 0", f"port: {port}")))
        self.assertEqual((code, report["ready"]), (1, False), report)
        self.assertIn(f"plugins.rest_observer.config.port = {port}", lines["ports", "bad"]["finding"])
        self.assertIn(f"ss -ltnp 'sport = :{port}'", lines["ports", "bad"]["cure"])

    def test_a_running_daemon_answers_for_itself(self):
        with Daemon(ALL) as daemon:
            code, report, lines = self.report(daemon)
            self.assertEqual((code, report["ready"]), (0, True), report)
            self.assertIn("the daemon at ", report["asked"])
            self.assertIn(" at ", lines["listeners", "ok"]["finding"])
            self.assertNotIn(("ports", "bad"), lines)

    def test_a_configuration_that_is_wrong_is_bad(self):
        code, report, lines = self.report(Daemon("kernel: {threads: many}\n"))
        self.assertEqual((code, report["ready"]), (1, False), report)
        self.assertIn("kernel.threads", lines["configuration", "bad"]["finding"])


class Traces(unittest.TestCase):
    def test_what_caused_what(self):
        with Daemon(ALL) as daemon:
            self.assertEqual(daemon.get("/api/windows")[0], 200)
            shown = daemon.gantry("trace", "--json", "--limit", "1000")
            entries = {entry["contract"]: entry for entry in json.loads(shown.stdout)["entries"]}
            request = entries["gantry.http.handle/1"]
            tool = entries["gantry.observe.tool/1"]
            windows = entries["gantry.window.list/1"]
            self.assertEqual(request["parent"], "", "a client's request comes from nobody here")
            self.assertEqual(tool["parent"], request["span"])
            self.assertEqual(windows["parent"], tool["span"])
            self.assertEqual({request["trace"]}, {tool["trace"], windows["trace"]})
            table = daemon.gantry("trace", "gantry.observe.tool/1", "--limit", "1").stdout.split("\n")
            self.assertEqual(table[0].split()[-3:], ["TRACE", "SPAN", "PARENT"])
            self.assertEqual(table[1].split()[-2:], [tool["span"][-8:], tool["parent"][-8:]])


class RemovedPlugins(unittest.TestCase):
    """Each plugin in turn is not configured: the rest works and says what is missing."""

    def check_rest(self, daemon, name):
        """What is expected without `name`."""
        if name in ("transport", "rest_observer"):
            self.assertNotIn("listening on http://", daemon.log)
        else:
            status, body = daemon.get("/api/windows")
            if name in ("control", "guard"):
                self.assertEqual((status, json.loads(body)["is_mock"]), (200, True))
            else:
                missing = {"mock": "gantry.window.list/1", "observation": "gantry.observe.tool/1"}
                self.assertEqual(status, 501, body)
                self.assertIn(f"{missing[name]} is not available", body)
                self.assertIn(name, body)
        if name == "guard":  # reading goes on, acting does not
            act = daemon.call("gantry.observe.tool/1",
                              '{"tool": "click_at", "arguments": {"x": 100, "y": 100}}')
            self.assertEqual(act["error_code"], "PermissionDenied")
            self.assertIn("without the plugin guard", act["message"])
        if name == "observation":
            self.assertEqual(daemon.get("/api/healthz")[0], 503)

    def check_command_line(self, daemon, name):
        listed = daemon.gantry("plugins", "--json")
        states = {plugin["name"]: plugin["state"] for plugin in json.loads(listed.stdout)["plugins"]}
        self.assertNotIn(name, states)
        if name in ("transport", "control"):
            self.assertEqual(daemon.gantry("trace").returncode, 69)
        else:
            self.assertEqual(daemon.call("gantry.kernel.health/1")["ready"], True)
        if name != "mock":
            self.assertEqual(len(daemon.call("gantry.window.list/1")["windows"]), 3)

    def test_each(self):
        for name in PLUGINS:
            with self.subTest(without=name), Daemon(without(name)) as daemon:
                if name == "transport":
                    for user in ("control", "rest_observer"):
                        self.assertIn(f"plugin not opened name={user} reason=\"requires "
                                      "gantry.http.listen/1, which no enabled plugin serves", daemon.log)
                else:
                    self.assertNotIn("ERROR", daemon.log)
                self.check_rest(daemon, name)
                self.check_command_line(daemon, name)
                code, seconds = daemon.stop()
                self.assertEqual(code, 0)
                self.assertLess(seconds, 5)

    def test_removed_while_it_runs(self):
        with Daemon(ALL) as daemon:
            self.assertEqual(daemon.get("/api/windows")[0], 200)
            daemon.configure(without("observation"))
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for("configuration reloaded")
            self.assertEqual(daemon.get("/api/windows")[0], 501)
            daemon.configure(ALL)
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for("configuration reloaded", times=2)
            self.assertEqual(daemon.get("/api/windows")[0], 200, "the engine is back")


class BadClients(unittest.TestCase):
    def check_idle(self, daemon):
        """Nothing is left of the clients, and it answers."""
        wait_until(lambda: daemon.metric("gantry_transport_connections_open") <= 2,
                   "all connections but those of this question are closed")
        # The system may still hand over clients that have gone, and they fill it once more.
        wait_until(lambda: daemon.get("/api/healthz")[0] == 200, "it answers")

    def test_200_at_once_beside_one_that_never_reads_and_slow_ones(self):
        with daemon_with("send_timeout: 1s, head_timeout: 2s") as daemon, contextlib.ExitStack() as stack:
            deaf = stack.enter_context(daemon.connect(timeout=0.5))
            with contextlib.suppress(TimeoutError, ConnectionError):
                while True:  # until neither side takes another byte
                    deaf.sendall(request("/api/screenshot") * 100)
            slow = [stack.enter_context(daemon.connect()) for _ in range(20)]
            ended = threading.Event()

            def drip():
                for byte in request("/api/windows", "X-Filler: " + "x" * 500):
                    if ended.wait(0.1):
                        return
                    for one in slow:
                        with contextlib.suppress(OSError):
                            one.send(bytes([byte]))

            dripping = threading.Thread(target=drip)
            dripping.start()
            with concurrent.futures.ThreadPoolExecutor(200) as pool:
                answers = list(pool.map(lambda _: [daemon.get("/api/windows")[0] for _ in range(5)],
                                        range(200)))
            self.assertEqual({status for many in answers for status in many}, {200})
            for one in slow:
                self.assertIn(b" 408 ", read_all(one))
            ended.set()
            dripping.join()
            self.check_idle(daemon)

    def test_clients_that_go_while_their_call_runs(self):
        with Daemon(ALL) as daemon:
            for number in range(200):
                client = daemon.connect()
                client.sendall(request("/api/screenshot") * 3)
                reset(client) if number % 2 else client.close()
            self.check_idle(daemon)

    def test_more_clients_than_open_files(self):
        daemon = Daemon(ALL, open_files=96)
        with daemon, contextlib.ExitStack() as stack:
            for _ in range(150):
                stack.enter_context(daemon.connect())
            with daemon.connect() as refused:
                self.assertIn(b" 503 ", read_all(refused))
            stack.close()
            wait_until(lambda: daemon.get("/api/healthz")[0] == 200, "there is room again")
            self.check_idle(daemon)

    def test_connection_limit(self):
        with daemon_with("connections_loopback: 12") as daemon, contextlib.ExitStack() as stack:
            for _ in range(12):
                stack.enter_context(daemon.connect())
            with daemon.connect() as refused:
                self.assertIn(b" 503 ", read_all(refused))
            stack.close()
            wait_until(lambda: daemon.get("/api/healthz")[0] == 200, "there is room again")

    def test_bodies_that_are_too_much(self):
        rows = [(413, b"x" * 20_000_000), (400, b"[" * 1_000_000), (400, b'{"a":' * 200_000),
                (400, b'{"action":"type","value":"\xff\xfe\xed\xa0\x80"}')]
        with Daemon(ALL) as daemon:
            for status, body in rows:
                with self.subTest(status=status, body=body[:30]), daemon.connect() as client:
                    client.sendall(b"POST /api/action HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                   b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
                    with contextlib.suppress(ConnectionError):
                        client.sendall(body)
                    self.assertIn(b"HTTP/1.1 %d " % status, read_all(client))
            self.check_idle(daemon)


class Ends(unittest.TestCase):
    def test_sigterm_with_clients_of_every_kind(self):
        with Daemon(ALL) as daemon, contextlib.ExitStack() as stack:
            silent, half, deaf = (stack.enter_context(daemon.connect(timeout=0.5)) for _ in range(3))
            half.sendall(b"POST /api/action HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
            with contextlib.suppress(TimeoutError, ConnectionError):
                while True:
                    deaf.sendall(request("/api/screenshot") * 100)
            code, seconds = daemon.stop()
            self.assertEqual(code, 0, daemon.log)
            self.assertLess(seconds, 5)
            self.assertIn("kernel: stopped", daemon.log)
            silent.settimeout(5)
            self.assertEqual(read_all(silent), b"")

    def test_a_stopped_daemon_does_not_hang_the_command_line(self):
        with Daemon(ALL) as daemon:
            daemon.process.send_signal(signal.SIGSTOP)
            called = daemon.gantry("call", "gantry.kernel.health/1", "--timeout", "200")
            self.assertEqual(called.returncode, 69, called.stderr)
            self.assertIn("has not answered", called.stderr)
            self.assertEqual(daemon.gantry("doctor").returncode, 1)
            daemon.process.send_signal(signal.SIGCONT)
            self.assertEqual(daemon.stop()[0], 0)

    def test_killed_and_started_again(self):
        with Daemon(ALL) as daemon:
            with daemon.connect() as client:
                client.sendall(request("/api/screenshot"))
                daemon.stop(signal.SIGKILL)
            daemon.start()
            self.assertNotIn("ERROR", daemon.log)
            self.assertEqual(daemon.get("/api/windows")[0], 200)
            self.assertEqual(daemon.call("gantry.kernel.health/1")["ready"], True)

    def test_a_port_that_is_taken_for_a_while(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            daemon = Daemon(ALL.replace("port: 0", f"port: {port}"))
            daemon.start()
        with daemon:
            self.assertIn("plugin failed name=rest_observer", daemon.log)
            self.assertIn(f"127.0.0.1:{port}", daemon.log)
            daemon.wait_for("listening on http://127.0.0.1:")  # the kernel tries again
            daemon.wait_for("screen observer ready")
            self.assertEqual(daemon.get("/api/windows")[0], 200)

    def test_a_second_daemon_in_the_same_folders_leaves_and_names_the_first(self):
        with Daemon("plugins: {transport: {}, control: {}}\n") as daemon:
            second = daemon.gantry("run")
            self.assertEqual(second.returncode, 69, second.stderr)
            self.assertIn(f"process {daemon.process.pid} (gantry)", second.stderr)
            self.assertNotIn("listening on", second.stderr)
            self.assertTrue(daemon.call("gantry.kernel.health/1")["ready"])

    def test_a_second_daemon_leaves_also_while_the_first_is_starting(self):
        daemon = Daemon("plugins: {transport: {}, control: {}}\n")
        self.addCleanup(daemon.__exit__)
        os.makedirs(daemon.env["GANTRY_RUNTIME_DIR"], 0o700)
        path = os.path.join(daemon.env["GANTRY_RUNTIME_DIR"], "control.sock.lock")
        with open(path, "w", encoding="utf-8") as first:
            fcntl.flock(first, fcntl.LOCK_EX)
            first.write(f"{os.getpid()}\n")
            first.flush()
            second = daemon.gantry("run")
        self.assertEqual(second.returncode, 69, second.stderr)
        self.assertIn(f"process {os.getpid()} (", second.stderr)
        self.assertNotIn("listening on", second.stderr)
        with daemon:  # the lock of one that is gone keeps nobody out
            self.assertTrue(daemon.call("gantry.kernel.health/1")["ready"])
            with open(path, encoding="utf-8") as lock:
                self.assertEqual(int(lock.read()), daemon.process.pid)

    def test_a_daemon_that_nobody_could_reach_leaves_and_says_who_has_the_port(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            daemon = Daemon(f"plugins: {{transport: {{}}, rest_observer: {{config: {{port: {port}}}}}}}\n")
            self.addCleanup(daemon.__exit__)
            done = daemon.gantry("run")
        self.assertEqual(done.returncode, 69, done.stderr)
        self.assertIn(f"plugins.rest_observer.config.port: process {os.getpid()} (", done.stderr)
        self.assertIn("kernel: stopped", done.stderr)

    def test_ready_means_reachable(self):
        with Daemon(ALL) as daemon:
            self.assertLess(daemon.log.index("screen observer ready"), daemon.log.index("ready version="))

    def test_what_is_not_mounted_yet_is_not_missing(self):
        # A plugin of the same listener could still be to come: this one does not come to an end.
        hangs = os.path.join(BUILD, "tests/plugins_bad/hangs_in_start")
        daemon = Daemon("kernel: {start_timeout: 60s}\n" + ALL +
                        f"  hangs_in_start: {{path: '{hangs}', trust: in-process}}\n")
        daemon.start(until="listening on http://127.0.0.1:")
        with daemon:
            self.assertEqual(daemon.get("/api/tools")[0], 200)
            status, fields, body = daemon.answer("/api/later")
            self.assertEqual((status, fields["Retry-After"]), (503, "1"), body)
            self.assertIn("starting", body)
            self.assertNotIn("ready version=", daemon.log)

    def test_config_show_tells_what_is_in_force(self):
        with Daemon(ALL) as daemon:
            daemon.configure(ALL.replace("port: 0", "port: 0, tool_timeout: 7s"))

            def shown(*options):
                done = daemon.gantry("config", "show", "--json", *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                return json.loads(done.stdout)["plugins"]["rest_observer"]["config"]["tool_timeout"]

            self.assertEqual((shown(), shown("--in-process")), (65000, 7000))
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for("configuration reloaded")
            self.assertEqual(shown(), 7000)
            self.assertIn("tool_timeout: 7000\n", daemon.gantry("config", "show").stdout)
            self.assertEqual(shown("--set", "rest_observer.tool_timeout=9s"), 9000)

    def test_reload_of_a_broken_file(self):
        with Daemon(ALL) as daemon:
            for number, broken in enumerate(["plugins: [\n", "kernel: {threads: many}\n", "\x00"], 1):
                daemon.configure(broken)
                daemon.process.send_signal(signal.SIGHUP)
                daemon.wait_for("configuration not reloaded", times=number)
                self.assertEqual(daemon.get("/api/windows")[0], 200)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
