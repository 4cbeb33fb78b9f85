#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""gantry observer: the published observer's command line and config.json, from outside.

usage: observer_cli_test.py GANTRY_BINARY
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support")
sys.path.insert(0, SUPPORT)
from eventually import eventually  # noqa: E402
from printed import Printed  # noqa: E402

GANTRY = ""
UNAVAILABLE, CONFIG, BAD_OPTION = 69, 78, 2

#: Keys as configurations of the published program have them, with two small limits.
PUBLISHED = {
    "logging": {"level": "INFO", "audit": True, "audit_path": "./audit.log",
                "audit_max_bytes": 2048, "audit_backups": 3},
    "audit": {"redact_arg_keys": ["text", "value", "password", "api_key", "Authorization"]},
    "redaction": {"enabled": True, "window_title_patterns": ["1Password"],
                  "element_name_patterns": ["Password", "PIN"],
                  "element_role_patterns": ["PasswordEdit"],
                  "ocr_text_patterns": ["\\b\\d{3}-\\d{2}-\\d{4}\\b"],
                  "replacement": "[REDACTED]", "blur_screenshots": False},
    "actions": {"allow": ["click_element", "focus_element", "wait_for"],
                "deny": ["press_key", "type_text"], "default": "allow"},
    "confirmation_required": [{"name_regex": "(?i)delete|remove|send|pay|sign"},
                              {"role": "Button", "name_regex": "(?i)submit"}],
    "confirmation": {"bbox_tolerance_px": 20, "ttl_seconds": 60},
    "tracing": {"dir": "./traces", "screenshot_every_n_actions": 5, "max_args_bytes": 4096,
                "redact_keys": ["api_key", "password", "Authorization", "token"]},
    "wait_for": {"max_timeout_ms": 100},
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Observer:
    """A running `gantry observer`; `stdin` is what it gets as standard input."""

    def __init__(self, folder, *options, stdin=subprocess.DEVNULL):
        self.out = open(os.path.join(folder, "stdout"), "w+b")
        self.process = subprocess.Popen([GANTRY, "observer", *options], stdin=stdin, cwd=folder,
                                        stdout=self.out, stderr=subprocess.PIPE,
                                        env=environment(folder))
        self.errors = Printed(self.process.stderr)

    def wait_until_ready(self, port):
        self.errors.wait_for(f"screen observer ready address=http://127.0.0.1:{port}")

    def output(self):
        self.out.seek(0)
        return self.out.read()

    def clean_up(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.errors.join()
        self.out.close()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.errors.join()
        self.errors_at_end, self.output_at_end = self.errors.text, self.output()
        return code


def environment(folder):
    """No desktop in reach, and no configuration of whoever runs the test."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
           and (not k.startswith("GANTRY_") or k == "GANTRY_BUILD_DIR")}
    env.update(HOME=folder, XDG_RUNTIME_DIR=folder, XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder)
    return env


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
        return json.load(answer)


def post(port, path, body):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def is_installed(plugin):
    return os.path.exists(os.path.join(os.path.dirname(GANTRY),
                                       f"../lib/gantry/plugins/{plugin}/plugin.yaml"))


class ObserverTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_to_end(self, *options, stdin=subprocess.DEVNULL):
        """Exit code and standard error; standard output must stay empty."""
        done = subprocess.run([GANTRY, "observer", *options], stdin=stdin, cwd=self.folder.name,
                              capture_output=True, env=environment(self.folder.name), timeout=60)
        self.assertEqual(done.stdout, b"")
        return done.returncode, done.stderr.decode()

    def config(self, content):
        path = os.path.join(self.folder.name, "config.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def start(self, *options, port=None):
        observer = Observer(self.folder.name, *options)
        self.addCleanup(observer.clean_up)
        observer.wait_until_ready(port)
        return observer

    def test_help_goes_to_standard_error(self):
        code, errors = self.run_to_end("--help")
        self.assertEqual(code, 0)
        for option in ("--mode", "--config", "--mock", "--scenario", "--port", "--host",
                       "--max-actions", "--max-screenshots", "--max-vlm-tokens",
                       "--max-session-seconds", "--actions-per-minute"):
            self.assertIn(option + " ", errors)

    def test_bad_options_leave_with_the_published_code(self):
        for options in (["--mode", "fast"], ["--port", "abc"], ["--port"], ["--port=-1"], ["--nope"],
                        ["--mock=yes"], ["stray"], ["--ma", "1"]):
            code, errors = self.run_to_end(*options)
            self.assertEqual(code, BAD_OPTION, options)
            self.assertIn("gantry: ", errors)

    def test_modes_that_speak_mcp_say_that_they_cannot_without_the_plugin(self):
        if is_installed("mcp"):
            return
        for options in (["--mode", "mcp"], ["--mode", "both"], ["--mode=both", "--mock"]):
            code, errors = self.run_to_end(*options)
            self.assertEqual(code, UNAVAILABLE)
            self.assertIn("[unavailable]", errors)
        code, errors = self.run_to_end(stdin=subprocess.PIPE)
        self.assertEqual(code, UNAVAILABLE, "auto with a pipe means both")

    def speak(self, *options, command="observer"):
        """One ping over standard input; the answer, standard error, and the exit status."""
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        done = subprocess.run([GANTRY, command, *options], input=ping, cwd=self.folder.name,
                              capture_output=True, env=environment(self.folder.name), timeout=60)
        lines = done.stdout.decode().splitlines()
        self.assertEqual(len(lines), 1, (lines, done.stderr.decode()))
        return json.loads(lines[0]), done.stderr.decode(), done.returncode

    def test_modes_that_speak_mcp_end_with_their_input(self):
        if not is_installed("mcp"):
            return
        for options in (["--mode", "mcp"], ["--mode", "both", "--set", "rest_observer.port=0"],
                        ["--set", "rest_observer.port=0"]):
            answer, errors, code = self.speak("--mock", *options)
            self.assertEqual(answer, {"jsonrpc": "2.0", "id": 1, "result": {}})
            self.assertEqual(code, 0, errors)
            self.assertEqual("screen observer ready" in errors, options[:2] != ["--mode", "mcp"])

    def test_mcp_is_short_for_the_mode(self):
        """With the options of the observer; a mode that is given counts."""
        if not is_installed("mcp"):
            return
        answer, errors, code = self.speak("--mock", command="mcp")
        self.assertEqual(answer, {"jsonrpc": "2.0", "id": 1, "result": {}})
        self.assertNotIn("screen observer ready", errors)
        self.assertEqual(code, 0, errors)
        answer, errors, _ = self.speak("--mock", "--mode", "both", "--set", "rest_observer.port=0",
                                       command="mcp")
        self.assertIn("screen observer ready", errors)

    def test_a_port_that_is_taken_does_not_keep_mcp_from_its_client(self):
        if not is_installed("mcp"):
            return
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            answer, errors, code = self.speak("--mock", "--mode", "both", "--port",
                                              str(other.getsockname()[1]))
        self.assertEqual((answer["result"], code), ({}, 0), errors)

    def test_auto_without_anyone_at_standard_input_serves_http(self):
        port = free_port()
        observer = self.start("--mock", "--port", str(port), port=port)
        self.assertEqual(get(port, "/api/windows")["count"], 3)
        self.assertTrue(get(port, "/openapi.json")["openapi"].startswith("3.1"))
        self.assertEqual(observer.end(), 0)
        self.assertEqual(observer.output_at_end, b"")

    def test_a_port_that_is_taken_is_an_error(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            code, errors = self.run_to_end("--mode", "inspect", "--mock", "--port",
                                           str(other.getsockname()[1]))
        self.assertEqual(code, UNAVAILABLE)
        self.assertIn("--port", errors)

    def test_broken_json_names_the_place(self):
        self.config('{\n  "web_ui": {"port": 1,}\n}\n')
        code, errors = self.run_to_end("--mode", "inspect", "--mock")
        self.assertEqual(code, CONFIG)
        self.assertRegex(errors, r"line 2, column 2\d")

    def test_a_value_of_the_wrong_kind_names_our_key(self):
        self.config({"web_ui": {"port": "high"}})
        code, errors = self.run_to_end("--mode", "inspect", "--mock")
        self.assertEqual(code, CONFIG)
        self.assertIn("rest_observer", errors)

    def test_published_keys_take_effect(self):
        port = free_port()
        self.config({"mock": True, "web_ui": {"port": port, "host": "127.0.0.1", "debug": False},
                     "ascii_sketch": {"grid_width": 50, "grid_height": 20, "unicode_box": True},
                     "tree": {"default_depth": 1, "cache_ttl_s": 0.5, "strategy": "merged"},
                     "vlm": {"enabled": False, "api_key": "sk-very-secret"},
                     "ascii_scetch": {"grid_width": 1}})
        observer = self.start(port=port)
        self.assertEqual(get(port, "/api/sketch")["grid_width"], 50)
        self.assertIn("\u250c", get(port, "/api/sketch")["sketch"])
        self.assertEqual(get(port, "/api/structure")["depth_used"], 1)
        self.assertEqual(observer.end(), 0)
        errors = observer.errors_at_end
        self.assertRegex(errors, r"warning: ascii_scetch.*unknown key.*")
        self.assertRegex(errors, r"warning: tree.strategy: has no effect")
        self.assertNotIn("very-secret", errors)

    def test_the_published_samples_are_taken_as_they_stand(self):
        if not is_installed("guard"):
            self.skipTest("guard is not built")
        port = free_port()
        self.config({**PUBLISHED, "mock": True, "web_ui": {"port": port}})
        observer = self.start(port=port)
        status = get(port, "/api/redaction_status")  # before anything else has been asked
        self.assertEqual((status["enabled"], status["active"], status["patterns_count"]),
                         (True, True, 5))
        with self.assertRaises(urllib.error.HTTPError) as refused:
            post(port, "/api/action", {"action": "type", "value": "x"})
        self.assertEqual(refused.exception.code, 403)
        refused.exception.close()
        with self.assertRaises(urllib.error.HTTPError) as late:
            post(port, "/api/wait_for", {"any_of": [{"type": "text_visible", "regex": "never"}],
                                         "timeout_ms": 60000})
        with late.exception as answer:
            self.assertLess(json.load(answer)["elapsed_ms"], 20000)
        for _ in range(60):
            get(port, "/api/windows")
        eventually("the log to rotate", lambda: os.path.exists(self.folder.name + "/audit.log.1"))
        self.assertEqual(observer.end(), 0)
        self.assertNotIn("error:", observer.errors_at_end)

    def vision_server(self):
        """A double of a server with a vision model, and its port."""
        process = subprocess.Popen([sys.executable, os.path.join(SUPPORT, "vision_server.py")],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def end():
            process.stdin.close()
            process.wait(30)
            process.stdout.close()
        self.addCleanup(end)
        return int(process.stdout.readline())

    def test_published_keys_of_the_vision_model_take_effect_within_its_budget(self):
        if not (is_installed("vision_vlm") and is_installed("guard")):
            self.skipTest("vision_vlm or guard is not built")
        model, port = self.vision_server(), free_port()
        self.config({"mock": True, "web_ui": {"port": port}, "ocr": {"enabled": False},
                     "vlm": {"enabled": True, "base_url": f"http://127.0.0.1:{model}",
                             "api_key": "sk-very-secret", "model": "size", "mode": "single",
                             "max_tokens": 77, "temperature": 0.5, "timeout_s": 20,
                             "image_max_dim": 200, "prompt": "Say what you see.",
                             "ollama_runner": None, "ground_with_sketch": True}})
        observer = self.start("--max-vlm-tokens", "150", port=port)
        self.assertTrue(get(port, "/api/capabilities")["supports"]["vlm"])
        first = get(port, "/api/description")
        self.assertEqual((first["vlm"], first["vlm_route"], first["untrusted"]),
                         ("200x150", "size", True))
        self.assertIn("[vlm]\n200x150", first["description"])
        sent = get(model, "/_log")[-1]
        self.assertEqual((sent["model"], sent["key"], sent["max_tokens"]),
                         ("size", "Bearer sk-very-secret", 77))
        self.assertTrue(sent["prompt"].startswith("Say what you see."), sent)
        # Two answers of 100 tokens are more than the budget: the third is not asked for.
        self.assertEqual(get(port, "/api/budget_status")["vlm_tokens"],
                         {"used": 100, "limit": 150, "remaining": 50})
        self.assertEqual(get(port, "/api/description")["vlm"], "200x150")
        asked = len(get(model, "/_log"))
        over = get(port, "/api/description")
        self.assertEqual(over["vlm_error_code"], "BudgetExceeded")
        self.assertIn("max_vlm_tokens reached", over["vlm"])
        self.assertIn("notepad.exe", over["accessibility"])
        self.assertEqual(len(get(model, "/_log")), asked)
        self.assertEqual(observer.end(), 0)
        self.assertRegex(observer.errors_at_end, "warning: vlm.ground_with_sketch: has no effect")
        self.assertNotIn("very-secret", observer.errors_at_end)

    def test_the_published_level_of_the_log_takes_effect(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            for level, informs in (("INFO", True), ("WARNING", False)):
                self.config({"mock": True, "logging": {"level": level},
                             "web_ui": {"port": other.getsockname()[1]}})
                code, errors = self.run_to_end("--mode", "inspect")
                self.assertEqual(code, UNAVAILABLE, errors)
                self.assertEqual(" INFO " in errors, informs, errors)

    def test_options_win_over_the_file(self):
        port = free_port()
        self.config({"web_ui": {"port": 1}})
        observer = self.start("--mock", "--port", str(port), port=port)
        self.assertEqual(observer.end(), 0)

    def test_a_file_that_is_missing_is_a_warning(self):
        port = free_port()
        observer = self.start("--mock", "--config", "nowhere.json", f"--port={port}", port=port)
        self.assertEqual(observer.end(), 0)
        self.assertIn("nowhere.json", observer.errors_at_end)

    def test_limits_are_honoured_or_refused(self):
        options = ["--mode", "inspect", "--mock", "--max-actions", "0"]
        if not is_installed("guard"):
            code, errors = self.run_to_end(*options)
            self.assertEqual(code, CONFIG)
            self.assertIn("--max-actions: error: cannot be honoured", errors)
            self.config({"actions": {"deny": ["type_text"]}})
            code, errors = self.run_to_end("--mode", "inspect", "--mock")
            self.assertEqual(code, CONFIG)
            self.assertIn("actions.deny", errors)
            return
        port = free_port()
        observer = self.start(*options, "--port", str(port), port=port)
        status = get(port, "/api/budget_status")
        self.assertEqual((status["configured"], status["actions"]["limit"]), (True, 0))
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/action",
                                         json.dumps({"action": "key", "value": "tab"}).encode())
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=20)
        self.assertEqual(refused.exception.code, 429)
        refused.exception.close()
        self.assertEqual(observer.end(), 0)

    def test_a_scenario_that_cannot_be_loaded_ends_it(self):
        code, errors = self.run_to_end("--mode", "inspect", "--mock", "--scenario", "gone.yaml",
                                       "--port", str(free_port()))
        self.assertEqual(code, 1)
        self.assertIn("gone.yaml", errors)


if __name__ == "__main__":
    GANTRY = os.path.realpath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
