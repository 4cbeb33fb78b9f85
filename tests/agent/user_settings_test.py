#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a user sets over the agent's WebSocket is there after the daemon was killed.

usage: user_settings_test.py GANTRY_BINARY
"""
import json
import os
import re
import socket
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from agent_daemon import AgentDaemon  # noqa: E402

GANTRY = ""
PLUGINS = ("  identity: {config: {install_auth_enabled: false}}\n"
           "  agent_ws: {config: {port: 0, defaults: {interaction_mode: chat}}}\n")
KEY = "sk-very-secret"


class Client:
    """A WebSocket with what this test needs of RFC 6455: short text frames."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.file = self.socket.makefile("rb")
        self.socket.sendall((f"GET /ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\n"
                             "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        assert b" 101 " in self.file.readline()
        while self.file.readline().strip():
            pass
        self.say({"type": "handshake", "user_id": "ann"})
        self.hear("remote-tool-catalog")

    def say(self, message):
        data = json.dumps(message).encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + size + bytes(4) + data)  # masked with zeros

    def hear(self, wanted):
        """The next message of that type."""
        while True:
            first, size = self.file.read(2)
            if size == 126:
                size = struct.unpack(">H", self.file.read(2))[0]
            data = self.file.read(size)
            if first != 0x81:  # not text: a ping
                continue
            message = json.loads(data)
            if message["type"] == wanted:
                return message["payload"]

    def update(self, settings):
        self.say({"id": "u", "type": "update-settings", "payload": settings})
        return self.hear("settings-updated")

    def config(self):
        self.say({"id": "l", "type": "load-settings", "payload": {}})
        return self.hear("settings-loaded")["config"]

    def close(self):
        self.file.close()
        self.socket.close()


class UserSettings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.daemon = AgentDaemon(GANTRY, self.folder.name, PLUGINS)

    def tearDown(self):
        self.daemon.end()
        self.folder.cleanup()

    def client(self):
        client = Client(re.findall(r"agent WebSocket ready.*?http://([^\s\"]+)", self.daemon.log())[-1])
        self.addCleanup(client.close)
        return client

    def test_what_was_acknowledged_outlives_the_daemon_but_for_keys(self):
        client = self.client()
        self.assertEqual(client.config()["interaction_mode"], "chat")
        client.update({"selected_model_id": "m1", "wakeword_enabled": True,
                       "provider_api_keys": {"openai": {"enabled": True, "api_key": KEY}}})
        client.update({"selected_model_id": "m2"})
        self.assertEqual(client.config()["provider_api_keys"], {"openai": {"api_key": "", "enabled": True}})
        self.daemon.kill()
        for name in os.listdir(self.folder.name):
            path = os.path.join(self.folder.name, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    self.assertNotIn(KEY.encode(), file.read(), name)
        self.daemon.start()
        found = self.client().config()
        self.assertEqual({name: found[name] for name in (
            "selected_model_id", "wakeword_enabled", "interaction_mode", "provider_api_keys")},
            {"selected_model_id": "m2", "wakeword_enabled": True, "interaction_mode": "chat",
             "provider_api_keys": {}})


if __name__ == "__main__":
    GANTRY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
