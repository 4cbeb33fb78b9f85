#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""gantry ask in a terminal: consent before something acts, and Ctrl-C.

usage: ask_terminal_test.py GANTRY_BINARY
"""
import fcntl
import contextlib
import functools
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from agent_daemon import AgentDaemon, CallFailed  # noqa: E402
from eventually import eventually  # noqa: E402

GANTRY = ""
INTERRUPTED = 130
LIMIT_S = 60
QUESTION = "Allow it?"


class Terminal:
    """A command whose standard input, output and error are one terminal."""

    def __init__(self, arguments, cwd, env):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(arguments, stdin=slave, stdout=slave, stderr=slave, cwd=cwd,
                                        env=env, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.screen = ""

    def read(self, wait_s):
        """More of what was printed; False at the end."""
        if not select.select([self.master], [], [], wait_s)[0]:
            return True
        try:
            piece = os.read(self.master, 65536)
        except OSError:  # Linux says so when nobody has the terminal open any more
            return False
        self.screen += piece.decode("utf-8", "replace")
        return bool(piece)

    def wait_for(self, text, count=1):
        end = time.monotonic() + LIMIT_S
        while self.screen.count(text) < count:
            if not self.read(1) or time.monotonic() > end:
                raise AssertionError(f"{text!r} did not come {count} times:\n{self.screen}")

    def type(self, text):
        os.write(self.master, text.encode())

    def finish(self):
        """Exit code; all that was printed is in `screen`."""
        end = time.monotonic() + LIMIT_S
        while self.read(1):
            if time.monotonic() > end:
                raise AssertionError(f"it does not end:\n{self.screen}")
        return self.process.wait(LIMIT_S)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)


class AskTerminal(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.here = os.path.join(self.folder.name, "here")
        os.mkdir(self.here)
        self.daemon = AgentDaemon(GANTRY, self.folder.name,
                                  f"  tools_files: {{config: {{workspaces: [{self.folder.name}]}}}}\n")
        self.terminal = None

    def tearDown(self):
        if self.terminal:
            self.terminal.close()
        self.daemon.end()
        self.folder.cleanup()

    def ask(self, script):
        self.terminal = Terminal([GANTRY, "ask", "--socket", self.daemon.socket, script], self.here,
                                 self.daemon.environment())
        return self.terminal

    def there(self, name):
        return os.path.exists(os.path.join(self.here, name))

    @staticmethod
    def write(name):
        return f'@script tool write_file {{"file_path":"{name}","content":"x"}}\n'

    def test_nothing_is_done_before_yes(self):
        terminal = self.ask(self.write("note") + "@script reply ready")
        terminal.wait_for(QUESTION)
        self.assertFalse(self.there("note"))
        terminal.type("y\n")
        self.assertEqual(terminal.finish(), 0)
        self.assertTrue(self.there("note"))
        self.assertIn("ready", terminal.screen)

    def test_no_and_an_empty_line_are_no(self):
        for word in ("n\n", "\n", " NO \n"):
            terminal = self.ask(self.write("note") + "@script reply ready")
            terminal.wait_for(QUESTION)
            terminal.type(word)
            self.assertEqual(terminal.finish(), 0, word)
            self.assertFalse(self.there("note"), word)
            terminal.close()
            self.terminal = None

    def test_what_is_neither_yes_nor_no_is_asked_for_once_more(self):
        for second, written in (("Yes\n", True), ("n\n", False), ("why not\n", False)):
            terminal = self.ask(self.write("note") + "@script reply ready")
            terminal.wait_for(QUESTION)
            terminal.type("yessir\n")
            terminal.wait_for(QUESTION, 2)
            self.assertFalse(self.there("note"), second)
            terminal.type(second)
            self.assertEqual(terminal.finish(), 0, second)
            self.assertEqual(terminal.screen.count(QUESTION), 2, second)
            self.assertEqual(self.there("note"), written, second)
            told = "allowed: write_file" if written else "not allowed: write_file"
            self.assertIn("· " + told, terminal.screen)
            terminal.close()
            self.terminal = None
            if written:
                os.remove(os.path.join(self.here, "note"))

    def test_an_answer_without_a_decision_decides_nothing(self):
        terminal = self.ask(self.write("note") + "@script reply ready")
        terminal.wait_for(QUESTION)
        waiting = self.daemon.call("gantry.approval.list/1", {"principal": "local"})["approvals"]
        answer = {"principal": "local", "id": waiting[0]["id"]}
        for wrong in ({}, {"decison": "Allow"}, {"decision": "Open"}):
            with self.assertRaises(CallFailed) as refused:
                self.daemon.call("gantry.approval.answer/1", answer | wrong)
            self.assertEqual(refused.exception.code, "invalid_argument")
            self.assertIn("decision must be", refused.exception.message)
        self.assertEqual(
            self.daemon.call("gantry.approval.list/1", {"principal": "local"})["approvals"], waiting)
        self.daemon.call("gantry.approval.answer/1", answer | {"decision": "Allow"})
        eventually("the file", lambda: self.there("note"))
        terminal.type("\n")  # too late to deny it
        self.assertEqual(terminal.finish(), 0)

    def test_each_act_is_asked_for_unless_always_was_said(self):
        script = self.write("one") + self.write("two") + "@script reply ready"
        terminal = self.ask(script)
        terminal.wait_for(QUESTION)
        terminal.type("y\n")
        terminal.wait_for(QUESTION, 2)
        self.assertFalse(self.there("two"))
        terminal.type("n\n")
        self.assertEqual(terminal.finish(), 0)
        terminal.close()
        self.assertEqual((self.there("one"), self.there("two")), (True, False))
        os.remove(os.path.join(self.here, "one"))
        terminal = self.ask(script)
        terminal.wait_for(QUESTION)
        terminal.type("a\n")
        self.assertEqual(terminal.finish(), 0)
        self.assertEqual(terminal.screen.count(QUESTION), 1)
        self.assertEqual((self.there("one"), self.there("two")), (True, True))

    def test_ctrl_c_at_the_question_is_no_and_stops(self):
        terminal = self.ask(self.write("note") + "@script reply ready")
        terminal.wait_for(QUESTION)
        terminal.type("\x03")
        self.assertEqual(terminal.finish(), INTERRUPTED)
        self.assertFalse(self.there("note"))

    def press_until_it_ends(self, terminal, press, patience_s):
        """How often it was pressed; each time the command had so long to end."""
        presses, end = 0, time.monotonic() + LIMIT_S
        while terminal.process.poll() is None and time.monotonic() < end:
            presses += 1
            press()
            with contextlib.suppress(subprocess.TimeoutExpired):
                terminal.process.wait(patience_s)
        self.assertEqual(terminal.process.poll(), INTERRUPTED)
        return presses

    def test_ctrl_c_stops_the_turn(self):
        terminal = self.ask("@script reply begin\n@script delay 60s\n@script reply end")
        terminal.wait_for("begin")
        terminal.type("\x03")
        self.assertEqual(terminal.finish(), INTERRUPTED)
        self.assertEqual(self.daemon.call("gantry.session.list/1", {"principal": "local"})["sessions"][0]
                         .get("running_turn", ""), "")

    def test_two_ctrl_c_at_once_do_not_lose_the_stop(self):
        terminal = self.ask("@script reply begin\n@script delay 60s\n@script reply end")
        terminal.wait_for("begin")
        interrupt = functools.partial(terminal.process.send_signal, signal.SIGINT)
        self.press_until_it_ends(terminal, interrupt, 0.001)  # far more often than a finger can
        eventually("the end of the turn", lambda: not self.daemon.call(
            "gantry.session.list/1", {"principal": "local"})["sessions"][0].get("running_turn", ""),
            seconds=10)

    def test_a_second_ctrl_c_does_not_wait_for_a_daemon_that_hangs(self):
        terminal = self.ask("@script reply begin\n@script delay 60s\n@script reply end")
        terminal.wait_for("begin")
        self.daemon.process.send_signal(signal.SIGSTOP)
        try:
            self.assertGreaterEqual(self.press_until_it_ends(terminal, lambda: terminal.type("\x03"), 1), 2)
        finally:
            self.daemon.process.send_signal(signal.SIGCONT)


if __name__ == "__main__":
    GANTRY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
