#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/desktop-session passes exit codes on, and leaves no process and no folder, however it ends.

usage: desktop_session_test.py PATH_OF_DESKTOP_SESSION
"""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from eventually import eventually  # noqa: E402

SESSION = ""
DEADLINE = 20.0  # seconds; far above what is measured (below 1 s), for loaded machines


def members(folder):
    """Pids of living processes that carry the session's folder in their environment."""
    mark = ("GANTRY_DESKTOP_SESSION=" + folder).encode()
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as environ:
                if mark in environ.read().split(b"\0"):
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


class Endings(unittest.TestCase):
    """Each case starts a session with a daemonized process in it, and ends the session some way."""

    def setUp(self):
        self.note = os.path.join(tempfile.mkdtemp(), "ready")
        # The detached sleep is in no process group and no parentage that a simple script would see.
        script = f'setsid sleep 600 & echo "$GANTRY_DESKTOP_SESSION" > {self.note}.new && ' \
                 f'mv {self.note}.new {self.note}; exec sleep 600'
        environment = {k: v for k, v in os.environ.items() if k != "GANTRY_DESKTOP_SESSION"}
        self.outer = subprocess.Popen([SESSION, "--app", "xterm", "--", "bash", "-c", script],
                                      env=environment, start_new_session=True)
        eventually("a session that is ready", lambda: os.path.exists(self.note))
        with open(self.note, encoding="utf-8") as file:
            self.folder = file.read().strip()
        self.assertGreater(len(members(self.folder)), 3)

    def check_gone(self):
        eventually("the end of its processes", lambda: not members(self.folder))
        eventually("the end of its folder", lambda: not os.path.exists(self.folder))

    def test_signals_become_the_exit_code(self):
        self.outer.send_signal(signal.SIGTERM)
        self.assertEqual(self.outer.wait(DEADLINE), 128 + signal.SIGTERM)
        self.check_gone()

    def test_interrupt(self):
        self.outer.send_signal(signal.SIGINT)
        self.assertEqual(self.outer.wait(DEADLINE), 128 + signal.SIGINT)
        self.check_gone()

    def test_outer_killed(self):
        self.outer.kill()
        self.outer.wait()
        self.check_gone()

    def test_keeper_killed(self):
        os.kill(children(self.outer.pid)[0], signal.SIGKILL)
        self.assertEqual(self.outer.wait(DEADLINE), 128 + signal.SIGKILL)
        self.check_gone()

    def test_both_killed_at_once_then_swept_by_the_next(self):
        os.kill(children(self.outer.pid)[0], signal.SIGSTOP)  # so that it cannot react in between
        keeper = children(self.outer.pid)[0]
        self.outer.kill()
        os.kill(keeper, signal.SIGKILL)
        self.outer.wait()
        subprocess.run([SESSION, "--no-dbus", "--no-wm", "--", "true"], check=True)
        self.check_gone()


class Results(unittest.TestCase):
    def run_session(self, *arguments):
        done = subprocess.run([SESSION, *arguments], capture_output=True, text=True, check=False,
                              env={k: v for k, v in os.environ.items()
                                   if k != "GANTRY_DESKTOP_SESSION"})
        return done.returncode, done.stdout, done.stderr

    def test_exit_code_of_the_command(self):
        self.assertEqual(self.run_session("--no-dbus", "--no-wm", "--", "sh", "-c", "exit 7")[0], 7)

    def test_command_that_does_not_exist(self):
        code, _, errors = self.run_session("--no-dbus", "--no-wm", "--", "no-such-command")
        self.assertEqual(code, 127)
        self.assertIn("no-such-command", errors)

    def test_application_that_fails_at_start(self):
        code, _, errors = self.run_session("--app", "mousepad --no-such-option", "--", "true")
        self.assertEqual(code, 1)
        self.assertIn("Unknown option --no-such-option", errors)

    def test_an_application_that_is_not_there_or_does_not_stay_says_what_to_do(self):
        for app, told in (("no-such-program --x", "there is no program 'no-such-program'"),
                          ("", "is empty"), ("mousepad 'a", "cannot be read"),
                          ("true", "has to open a window and stay")):
            with self.subTest(app=app):
                code, _, errors = self.run_session("--no-wm", "--no-a11y", "--no-dbus", "--app", app, "--", "true")
                self.assertEqual(code, 1)
                self.assertIn(told, errors)
                self.assertNotIn("Traceback", errors)

    def test_nothing_of_the_user_is_visible(self):
        code, output, _ = self.run_session("--no-wm", "--", "sh", "-c",
                                           'echo "$HOME $XDG_RUNTIME_DIR $XAUTHORITY"')
        self.assertEqual(code, 0)
        for path in output.split():
            self.assertIn("/gantry-desktop-", path)


if __name__ == "__main__":
    SESSION = sys.argv.pop(1)
    unittest.main(verbosity=2)
