#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The daemon is killed at every event of a turn; nothing that was sent may be missing afterwards.

usage: chaos_test.py GANTRY_BINARY
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from agent_daemon import AgentDaemon  # noqa: E402

GANTRY = ""
SCRIPT = ("@script thinking let me see\n"
          '@script chunks ["I will ", "ask you ", "first. "] every 30ms\n'
          '@script batch [{"tool":"questionnaire","args":{"questions":[{"id":"q","question":"Which?",'
          '"type":"text"}]}},{"tool":"look","args":{}}]\n'
          '@script chunks ["Now ", "it is ", "done."] every 30ms')


def pairs_are_complete(rows):
    """Every call has its one output before anything else is said."""
    waiting = []
    for row in rows:
        if row["role"] == "Tool":
            waiting.remove(row["call"])
            continue
        assert not waiting, f"{waiting} have no output before {row}"
        waiting = [call["id"] for call in row["calls"]]
    assert not waiting, f"{waiting} have no output at the end"


class Chaos(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.daemon = AgentDaemon(GANTRY, self.folder.name)

    def tearDown(self):
        self.daemon.end()
        self.folder.cleanup()

    def start(self, session, text, turn):
        return self.daemon.call("gantry.turn.start/1", {
            "session": session, "turn": turn, "text": text, "caller": "chaos",
            "options": {"tools": {"questionnaires": True},
                        "client_tools": [{"name": "look", "description": "looks"}]}})

    def serve(self, event):
        """What a client does at an event."""
        if event["kind"] == "ToolCalls":
            for call in event["body"]["calls"]:
                if call["place"] == "Client":
                    self.daemon.call("gantry.turn.results/1", {
                        "principal": "ann",
                        "results": [{"call": call["request"], "output": "seen"}]})
        if event["kind"] == "QuestionnaireRequested":
            self.daemon.call("gantry.questionnaire.answer/1", {
                "principal": "ann", "id": event["body"]["id"], "responses": {"q": "red"},
                "by": "chaos"})

    def play(self, session, turn, stop_after):
        """A turn up to so many events; those that were seen."""
        seen = []

        def until(event):
            seen.append(event)
            if len(seen) >= stop_after or event["kind"] == "TurnFinished":
                return True
            self.serve(event)
            return False

        self.daemon.follow(session, 0, until)
        return seen

    def test_a_whole_turn(self):
        session = {"principal": "ann", "workspace": "", "key": "whole"}
        self.start(session, SCRIPT, "t1")
        kinds = [event["kind"] for event in self.play(session, "t1", 1000)]
        for kind in ("TurnAccepted", "UserMessage", "ThinkingDelta", "TextDelta", "ToolCalls",
                     "QuestionnaireRequested", "QuestionnaireAnswered", "ToolResult", "TurnFinished"):
            self.assertIn(kind, kinds)

    def test_killed_at_every_event(self):
        session = {"principal": "ann", "workspace": "", "key": "measure"}
        self.start(session, SCRIPT, "t1")
        count = len(self.play(session, "t1", 1000))
        self.assertGreater(count, 15)
        for stop_after in range(1, count + 1):
            with self.subTest(killed_after=stop_after):
                self.killed_after(stop_after)

    def killed_after(self, stop_after):
        session = {"principal": "ann", "workspace": "", "key": f"k{stop_after}"}
        self.start(session, SCRIPT, "t1")
        waits = self.start(session, "@script reply waits", "t2")
        self.assertEqual(waits["position"], 1)
        seen = self.play(session, "t1", stop_after)
        self.daemon.kill()
        self.daemon.start()
        log = self.daemon.events(session)
        self.assertEqual(log[:len(seen)], seen)
        self.assertEqual([event["sequence"] for event in log], list(range(1, len(log) + 1)))
        for turn in ("t1", "t2"):
            ends = [e["body"] for e in log if e["kind"] == "TurnFinished" and e["turn"] == turn]
            self.assertEqual(len(ends), 1)
            if turn == "t1" and seen[-1]["kind"] == "TurnFinished":
                self.assertEqual(ends[0]["end"], "Completed")
            elif turn == "t1":
                self.assertIn(ends[0]["end"], ("Restarted", "Completed"))
            said = [e for e in log if e["kind"] == "UserMessage" and e["turn"] == turn]
            self.assertEqual(len(said), 1)
        asked = [e["body"]["id"] for e in log if e["kind"] == "QuestionnaireRequested"]
        answered = [e["body"]["id"] for e in log if e["kind"] == "QuestionnaireAnswered"]
        self.assertEqual(asked, answered)
        rows = self.daemon.call("gantry.session.history/1", {"session": session})["rows"]
        pairs_are_complete(rows)
        self.start(session, "@script reply alive", "t3")
        last = self.daemon.follow(session, len(log), lambda e: e["kind"] == "TurnFinished")[-1]
        self.assertEqual(last["body"]["final_text"], "alive")

    def test_killed_while_nothing_is_written_yet_loses_nothing_that_was_answered(self):
        for round_number in range(5):
            session = {"principal": "ann", "workspace": "", "key": f"r{round_number}"}
            self.start(session, "@script delay 10s\n@script reply late", "t1")
            self.daemon.kill()
            self.daemon.start()
            log = self.daemon.events(session)
            self.assertEqual(log[0]["kind"], "TurnAccepted")
            self.assertEqual(log[-1]["body"]["end"], "Restarted")
            rows = self.daemon.call("gantry.session.history/1", {"session": session})["rows"]
            self.assertEqual([row["role"] for row in rows], ["User"])


if __name__ == "__main__":
    GANTRY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
