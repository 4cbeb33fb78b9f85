#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Commands and files through the daemon: gantry ask, two principals, and the examples of docs/tools.md.

usage: tools_test.py GANTRY_BINARY SOURCE_FOLDER
Where no sandbox can be made the daemon says so (unavailable); then what needs one is left out, and the
exit code is 77.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from agent_daemon import AgentDaemon  # noqa: E402
from eventually import eventually  # noqa: E402

GANTRY, SOURCE = "", ""
PLUGINS = "  tools_shell: {}\n  tools_files: {}\n"
NO_SANDBOX = "commands run in a sandbox|the sandbox could not be made"
skipped = []


class SecretiveDaemon(AgentDaemon):
    """Has a secret in its environment, and its own configuration."""

    def environment(self):
        return super().environment() | {"SOME_API_KEY": "hush-key", "GANTRY_LOG_LEVEL": "info"}


class Tools(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.daemon = SecretiveDaemon(GANTRY, self.folder.name, PLUGINS)
        self.workspaces = os.path.join(self.folder.name, "gantry/workspaces")

    def tearDown(self):
        self.daemon.end()
        self.folder.cleanup()

    def ask(self, script, *options):
        return subprocess.run([GANTRY, "ask", "--socket", self.daemon.socket, *options, script],
                              capture_output=True, timeout=100, text=True, check=False,
                              stdin=subprocess.DEVNULL, env=self.daemon.environment())

    def tool(self, name, arguments, session="s"):
        """The body of the result of one call."""
        done = self.ask(f"@script tool {name} {json.dumps(arguments)}\n@script reply done",
                        "--yes", "--json", "--session", session)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        results = [e["body"] for e in events if e["kind"] == "ToolResult"]
        self.assertEqual(len(results), 1, done.stdout + done.stderr)
        if re.search(NO_SANDBOX, results[0]["output"]):
            skipped.append(results[0]["output"])
            self.skipTest(results[0]["output"])
        return results[0]

    def turn(self, principal, name, arguments):
        """The same as any principal, by the contracts."""
        session = {"principal": principal, "workspace": "", "key": "s"}
        policy = {"daemon_tools": ["*"], "act": "Allow", "execute": "Allow"}
        started = self.daemon.call("gantry.turn.start/1", {
            "session": session, "text": f"@script tool {name} {json.dumps(arguments)}",
            "options": {"tools": policy, "linger_ms": -1}})
        events = self.daemon.follow(session, started["sequence"] - 1,
                                    lambda event: event["kind"] == "TurnFinished")
        return [e["body"] for e in events if e["kind"] == "ToolResult"][0]

    def test_ask_runs_a_command_and_reads_what_it_wrote(self):
        self.tool("run_shell_command", {"command": "true"})
        done = self.ask('@script tool run_shell_command {"command":"echo from the shell > note"}\n'
                        '@script tool read_file {"file_path":"note"}\n@script show messages', "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout,
                         r'<tool_output tool=\\?"run_shell_command\\?" trust=\\?"untrusted')
        self.assertIn("from the shell", done.stdout)
        self.assertIn("· run_shell_command", done.stderr)
        with open(os.path.join(self.workspaces, "local/note"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "from the shell\n")

    def test_without_consent_nothing_is_run_or_written(self):
        for call in ('run_shell_command {"command":"touch made"}',
                     'write_file {"file_path":"made","content":"x"}'):
            done = self.ask(f"@script tool {call}\n@script reply done")
            self.assertIn("must not be used", done.stderr)
        done = self.ask('@script tool list_directory {}\n@script show messages')
        self.assertIn("There is nothing.", done.stdout)  # reading needs no consent

    def test_commands_see_no_secret_of_the_daemon_and_not_its_files(self):
        seen = self.tool("run_shell_command", {
            "command": "env; cat /proc/*/environ | tr '\\0' '\\n'; "
                       f"ls {self.folder.name}; ls {self.folder.name}/gantry/workspaces"})["output"]
        self.assertNotIn("hush-key", seen)
        self.assertNotIn("GANTRY_", seen)
        self.assertNotIn("store.db", seen)
        self.assertIn("local\n", seen)

    def test_principals_do_not_share_commands_or_files(self):
        self.tool("run_shell_command", {"command": "true"})
        started = self.turn("ann", "run_shell_command",
                            {"command": "echo of-ann; sleep 1000", "run_in_background": True})
        self.assertIn("bg1", started["output"])
        self.turn("ann", "write_file", {"file_path": "diary", "content": "of ann"})
        self.assertIn("no background commands",
                      self.turn("bob", "process", {"action": "list"})["output"])
        for action in ("poll", "log", "kill"):
            refused = self.turn("bob", "process", {"action": action, "session_id": "bg1"})
            self.assertTrue(refused["is_error"])
            self.assertNotIn("of-ann", refused["output"])
        self.assertTrue(self.turn("bob", "read_file", {"file_path": "diary"})["is_error"])
        diary = os.path.join(self.workspaces, "ann/diary")
        self.assertIn("permission_denied",
                      self.turn("bob", "read_file", {"file_path": diary})["output"])
        self.assertNotIn("of ann", self.turn("bob", "run_shell_command",
                                             {"command": f"cat {diary} 2>&1"})["output"])
        self.assertIn("of-ann", self.turn("ann", "process", {"action": "log", "session_id": "bg1"})
                      ["output"])

    def test_a_daemon_that_ends_takes_its_commands_along(self):
        for end in (self.daemon.end, self.daemon.kill):
            self.tool("run_shell_command", {"command": "sleep 577215", "run_in_background": True})
            self.assertTrue(processes_with("sleep 577215"))
            end()
            eventually("the end of its processes", lambda: not processes_with("sleep 577215"))
            self.daemon.start()

    def test_the_examples_of_the_page(self):
        with open(os.path.join(SOURCE, "docs/tools.md"), encoding="utf-8") as file:
            page = file.read()
        examples = re.findall(r"```tool\n(.*?)```", page, re.S)
        self.assertGreaterEqual(len(examples), 8)
        for example in examples:
            call, expected = example.split("\n", 1)
            name, arguments = call.split(" ", 1)
            found = self.tool(name, json.loads(arguments))["output"].rstrip("\n") + "\n"
            found = found.replace(os.path.join(self.workspaces, "local"), "/…/workspaces/local")
            found = re.sub(r"\d+\.\d s\b", "… s", found)
            self.assertEqual(found, expected, call)


def processes_with(words):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if words in file.read().replace(b"\0", b" ").decode(errors="replace"):
                    found.append(pid)
        except OSError:
            pass
    return found


if __name__ == "__main__":
    GANTRY, SOURCE = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
    program = unittest.main(verbosity=2, exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if skipped else 0)
