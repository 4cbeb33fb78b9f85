#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes over HTTP of requests that get no response: cancelled ones, and those of a session that
is deleted. Their connections end; nobody waits for what does not come.

usage: unanswered_test.py GANTRY_BINARY
"""
import http.client
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import mcp_support as support  # noqa: E402

GANTRY = ""
EITHER = "application/json, text/event-stream"
NEVER = {"name": "wait_for", "arguments": {
    "any_of": [{"type": "text_visible", "regex": "never there"}], "timeout_ms": 120000}}


class UnansweredTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = support.Daemon(GANTRY, [*support.OBSERVER, "--mode", "inspect"])
        cls.addClassCleanup(cls.daemon.stop)

    def client(self, version="2025-11-25"):
        client = support.HttpClient(self.daemon.port)
        client.initialize(version)
        return client

    def begin(self, client, messages, accept=EITHER):
        """Sends it and waits for nothing but that the server has it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=support.LIMIT_S)
        self.addCleanup(connection.close)
        connection.request("POST", "/mcp", json.dumps(messages), {
            **client.headers, "Accept": accept, "Content-Type": "application/json"})
        first = (messages if isinstance(messages, list) else [messages])[0]
        while True:  # while it is under way its id is taken
            again = client.post({"id": first["id"], "method": "ping"})
            taken = b"under way" in again.read()
            if taken:
                return connection

    @staticmethod
    def call(number, progress=False):
        params = {**NEVER, "_meta": {"progressToken": "p"}} if progress else NEVER
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}

    @staticmethod
    def cancel(client, number):
        client.post({"method": "notifications/cancelled", "params": {"requestId": number}}).read()

    @staticmethod
    def delete(client, _):
        client.open("DELETE").read()

    def test_a_plain_answer_that_does_not_come_is_202(self):
        for end in (self.cancel, self.delete):
            for accept in ("application/json", EITHER, "text/event-stream"):
                with self.subTest(end=end.__name__, accept=accept):
                    client = self.client()
                    connection = self.begin(client, self.call(7), accept)
                    end(client, 7)
                    response = connection.getresponse()
                    self.assertEqual((response.status, response.read()), (202, b""))

    def test_a_stream_ends_without_the_answer(self):
        for end in (self.cancel, self.delete):
            with self.subTest(end=end.__name__):
                client = self.client()
                connection = self.begin(client, self.call(7, progress=True))
                response = connection.getresponse()
                self.assertEqual(response.status, 200)
                end(client, 7)
                messages = list(client.messages_of(response))
                self.assertTrue(messages)
                self.assertEqual([m for m in messages if "id" in m], [])

    def test_the_others_of_a_batch_are_answered(self):
        client = self.client("2025-03-26")
        ping = {"jsonrpc": "2.0", "id": 8, "method": "ping"}
        connection = self.begin(client, [self.call(7), ping])
        self.cancel(client, 7)
        answers = json.loads(connection.getresponse().read())
        self.assertEqual([one["id"] for one in answers], [8])
        connection = self.begin(client, [self.call(9)])
        self.cancel(client, 9)
        response = connection.getresponse()
        self.assertEqual((response.status, response.read()), (202, b""))

    def test_an_unknown_revision_is_refused_whatever_is_asked(self):
        client = self.client()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for verb, body in (("POST", ping), ("POST", [ping]), ("GET", None), ("DELETE", None)):
            with self.subTest(verb=verb, body=body):
                response = client.open(verb, body, **{"MCP-Protocol-Version": "1999-12-31"})
                self.assertEqual(response.status, 400)
                error = json.loads(response.read())["error"]
                self.assertEqual(error["data"]["requested"], "1999-12-31")
        self.assertEqual(client.request("ping"), {})


if __name__ == "__main__":
    GANTRY = os.path.realpath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
