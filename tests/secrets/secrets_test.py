#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""No seeded secret survives in anything that leaves the daemon.

A made-up desktop is filled with random secrets: in titles, names, values, descriptions, password
fields, what is typed, and words in pictures. Every tool is called while a trace records; then all
answers, the trace's files, its page, the replay's reports, audit, log, metrics, health and flight
recorder are searched. Pictures are decoded: two desktops that differ in their secrets only must give
the same pixels.

usage: secrets_test.py GANTRY_BINARY SEEN_WORDS_FOLDER
"""
import base64
import itertools
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from eventually import eventually  # noqa: E402

GANTRY, SEEN_WORDS = "", ""
SECRET_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class Secrets:
    """Random texts of a fixed form; `all` has every one that was given out."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.all = []

    def word(self):
        self.all.append("zq" + "".join(self.random.choice(SECRET_LETTERS) for _ in range(10)))
        return self.all[-1]

    def account(self):
        """What a rule about texts fits."""
        self.all.append("AC-" + "".join(self.random.choice("123456789") for _ in range(8)))
        return self.all[-1]


def row(role, name, top, **more):
    return {"role": role, "name": name, "bounds": {"x": 60, "y": top, "width": 380, "height": 24},
            **more}


def window(uid, title, left, *children):
    box = {"x": left, "y": 20, "width": 420, "height": 460}
    return {"uid": uid, "title": title, "process": "app", "bounds": box,
            "tree": {"role": "Window", "name": title, "children": list(children)}}


class World:
    """A scenario, and what is typed into it."""

    def __init__(self, seed):
        self.secrets = Secrets(seed)
        word, account = self.secrets.word, self.secrets.account
        self.password, self.pin, self.typed = word(), word(), word()
        self.by_keys, self.refused, self.in_words = word(), word(), word()
        self.misspelt, self.chosen, self.expected = word(), word(), word()
        self.window_name = "Form"
        shown = word()
        form = window(
            "mock:form", "Form", 40,
            row("Edit", "Password", 60, id="pw", value="", secret=True),
            row("Edit", "PIN", 90, id="pin", value=shown, description=word()),
            row("Label", "your PIN", 120, id="repeated", value=shown),
            row("Label", "you typed", 150, id="echo", value=""),
            row("Edit", "TOPSECRET " + word(), 180, value=word(), keyboard_shortcut="ctrl+t"),
            row("Document", "Notes", 210, value="pay to " + account() + " now"),
            row("Button", "TOPSECRET " + word(), 240, id="dark", description=word()),
            row("Edit", "Old password", 270, secret=True, enabled=False, value=word()),
            row("Button", "Log in", 300, id="login"),
            row("Edit", "Name", 330, id="name", value="Ann"))
        after = json.loads(json.dumps(form))
        after["tree"]["children"].append(row("Label", "welcome", 360))
        vault = window("mock:vault", "Vault " + word(), 480,
                       row("Label", word(), 60, value=word()),
                       row("Edit", "code", 90, value=word(), secret=True))
        mail = window("mock:mail", "Mail about " + account(), 920, row("Label", account(), 60))
        dialog = window("mock:dialog", "Vault of " + word(), 480, row("Label", word(), 60))
        reaction = "(.*)"
        self.scenario = {
            "name": "seeded", "initial_state": "start", "show_focus": True,
            "states": {"start": {"windows": [form, vault, mail]},
                       "done": {"windows": [after, dialog, mail]}},
            "reactions": [
                {"match": {"tool": "type_text", "target_id": "pw", "text_regex": reaction},
                 "set": [{"id": "pw", "value": "{text}"}, {"id": "echo", "value": "{text}"}]},
                {"match": {"tool": "type_text", "target_id": "pin", "text_regex": reaction},
                 "set": [{"id": "pin", "value": "{text}"}, {"id": "repeated", "value": "{text}"}]},
                {"match": {"tool": "click_element", "target_id": "login"},
                 "transition_to": "done"}]}
        # The last one lies on no element: that it is secret is known from when it was typed.
        self.words = ["10 10 60 12 Notes", f"70 94 200 12 {self.in_words}",
                      f"300 400 90 12 {account()}", f"300 420 90 12 {self.password}"]

    def arguments(self):
        """Arguments that most tools can do something with, none of them a secret."""
        return [
            {}, {"window_uid": "mock:vault"}, {"window_uid": "mock:mail"},
            {"window_title": "form", "format": "lines"},
            {"window_uid": "mock:vault", "selector": "//Edit"},
            {"selector": '//Edit[index=1]', "value": "x", "keys": "a", "text": "x",
             "option_index": 0},
            {"element_id": "root.1", "value": "x", "keys": "a", "text": "x", "option_name": "none"},
            {"selector": "//Nope", "value": "x", "option_index": 1},
            {"x": 70, "y": 250, "text": "x", "keys": "a", "hover_ms": 0},
            {"x": 500, "y": 70, "window_uid": "mock:vault", "hover_ms": 0},
            {"x": 9999, "y": 70, "window_uid": "mock:mail", "hover_ms": 0},
            {"from": {"selector": "//Document"}, "to": {"x": 70, "y": 190}, "duration_s": 0},
            {"any_of": [{"type": "text_visible", "regex": "TOPSECRET"},
                        {"type": "window_appears", "title_regex": "Vault"}], "timeout_ms": 60},
            {"predicates": [{"kind": "text_visible", "regex": "zq"},
                            {"kind": "value_equals", "selector": "//Edit[index=1]",
                             "expected": "x"},
                            {"kind": "window_exists", "title_regex": "Vault"},
                            {"kind": "text_visible", "regex": "zq", "mode": "ocr"}]},
            {"action": "click_element", "args": {"selector": "//Button"}},
            {"name_regex": "zq", "max_nodes": 3},
        ]

    def type_password(self):
        """The (tool, arguments) that types the password; from then on the pixels repeat it."""
        return "set_value", {"window_uid": "mock:form", "selector": '//Edit[name="Password"]',
                             "value": self.password}

    def acts(self):
        """(tool, arguments) that type secrets, in every way that there is."""
        here = {"window_uid": "mock:form"}
        pw = {"selector": '//Edit[name="Password"]', **here}
        pin = {"element_id": "root.1", **here}
        yield self.type_password()
        yield "focus_element", pw
        yield "type_text", {"text": self.typed}
        yield "type_and_observe", {"text": self.typed}
        for letter in self.by_keys:
            yield "press_key", {"keys": letter}
        yield "key_into_element", {**pw, "keys": self.by_keys[0]}
        yield "propose_action", {"action": "type_text", "args": {"text": self.typed}}
        yield "propose_action", {"action": "set_value", "args": {**pw, "value": self.password}}
        yield "set_value", {**pw, "value": self.password, "val": self.misspelt}
        yield "propose_action", {"action": "set_value", "args": {**pw, "valeu": self.misspelt}}
        yield "propose_action", {"action": "no_such_tool", "args": {**pw, "value": self.misspelt,
                                                                    "as": self.misspelt}}
        yield "propose_action", {"action": "set_value",
                                 "args": json.dumps({**pw, "value": self.misspelt})}
        yield "select_option", {**pw, "option_name": self.chosen}
        yield "propose_action", {"action": "select_option", "args": {**pw, "option_name": self.chosen}}
        yield "set_valeu", {**pw, "valeu": self.misspelt}
        yield "set_value", {**pw, self.misspelt: 1}
        yield "replay_start", {"path": "nowhere", "secrets": {"1": self.typed},
                               "secerts": {"1": self.misspelt}}
        yield "set_value", {**pin, "value": self.pin}
        yield "click_element", pin
        yield "type_text", {"text": self.pin}
        yield "set_value", {"selector": '//Edit[name="Old password"]', "value": self.refused, **here}
        yield "set_value", {"selector": "//Nope", "value": self.refused, **here}
        yield "type_text", {"texts": self.misspelt}
        yield "find_element", {**pw, "value": self.refused, self.misspelt: True}
        yield "click_at", {"x": self.misspelt, "y": 70}
        # What somebody expects of a password field is a password, right or wrong.
        for kind in ("kind", "type"):
            for name in ("expected", "regex", "value"):
                for matched in ("value_equals", "value_matches", "value_is"):
                    yield "assert_state", {"predicates": [{kind: matched, **pw, name: self.expected}]}
        yield "assert_state", {"predicate": [self.expected, {"expected": self.expected}]}
        yield "assert_state", {"predicates": self.expected}
        yield "wait_for", {"timeout_ms": 60, "any_of": [
            {"type": "value_equals", **pw, "value": self.expected}]}
        yield "wait_for", {"timeout_ms": 60, "any_of": json.dumps([{"type": self.expected}])}
        yield "assert_state", {"predicates": [
            {"kind": "value_equals", "selector": '//Edit[name="Name"]',
             "expected": self.password}]}
        yield "wait_for", {"timeout_ms": 60, "any_of": [
            {"type": "text_visible", "regex": self.password}]}
        yield "find_element", {"selector": f'//*[value="{self.pin}"]', **here}
        yield "click_element", {"selector": '//Button[name="Log in"]', **here}


PLAIN_ROUTES = ["/", "/openapi.json", "/api/windows", "/api/structure", "/api/structure?depth=x",
                "/api/description", "/api/sketch?structured=1&ocr=1",
                "/api/sketch?window_uid=mock:vault", "/api/screenshot",
                "/api/screenshot?window_uid=mock:vault", "/api/full_screenshot",
                "/api/full_screenshot?window_uid=mock:mail", "/api/screenshot/cropped",
                "/api/screenshot/cropped?element_id=root.1", "/api/ocr?window_uid=mock:form",
                "/api/ocr?window_uid=mock:vault", "/api/visible_areas?window_uid=mock:mail",
                "/api/bring_to_foreground?window_uid=mock:vault",
                "/api/bring_to_foreground?window_uid=mock:form", "/api/capabilities",
                "/api/healthz", "/api/metrics", "/api/trace/status", "/api/redaction_status",
                "/api/budget_status", "/api/nowhere"]
#: They end the recording or the world that the test works with, or wait for nothing but time.
NOT_CALLED = {"trace_start", "trace_stop", "load_scenario", "wait_idle"}


class Daemon:
    def __init__(self, folder, world, hidden):
        self.folder = folder
        self.answers = []  # texts, in the order in which they came
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.base = f"http://127.0.0.1:{probe.getsockname()[1]}"
        os.makedirs(folder)
        with open(f"{folder}/seeded.yaml", "w", encoding="utf-8") as file:
            json.dump(world.scenario, file)  # JSON is YAML
        with open(f"{folder}/gantry.yaml", "w", encoding="utf-8") as file:
            json.dump(self.config(world, hidden), file)
        env = {k: v for k, v in os.environ.items()
               if k not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
               and (not k.startswith("GANTRY_") or k == "GANTRY_BUILD_DIR")}
        self.env = {**env, "HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder,
                    "XDG_CONFIG_HOME": folder}
        self.err = open(f"{folder}/stderr", "w+b")
        self.process = subprocess.Popen(
            [GANTRY, "run", "--config", f"{folder}/gantry.yaml"], cwd=folder, env=self.env,
            stdin=subprocess.DEVNULL, stdout=self.err, stderr=self.err)

    def config(self, world, hidden):
        redaction = {"window_title_patterns": ["^Vault"], "blur_screenshots": True,
                     "element_name_patterns": ["^PIN$", "TOPSECRET"],
                     "ocr_text_patterns": [r"AC-\d{8}"]}
        guard = {"audit": {"enabled": True, "path": f"{self.folder}/audit.log"},
                 "confirmation_required": [{"name_regex": "Never asked for"}]}
        if hidden:
            guard["redaction"] = redaction
        port = int(self.base.rsplit(":", 1)[1])
        tracing = {"dir": f"{self.folder}/traces", "screenshot_every_n_actions": 7}
        return {
            "profile": "observer-mock", "log": {"level": "trace"},
            "plugins": {
                "control": {}, "guard": {"config": guard},
                "mock": {"config": {"scenario": f"{self.folder}/seeded.yaml"}},
                "observation": {"config": {"tracing": tracing}},
                "rest_observer": {"config": {"port": port}},
                "seen_words": {"path": SEEN_WORDS, "trust": "in-process",
                               "config": {"words": world.words}}}}

    def wait_until_ready(self):
        def answers():
            assert self.process.poll() is None, self.log()
            with urllib.request.urlopen(self.base + "/api/healthz", timeout=5):
                return True

        eventually("the observer", answers, not_yet=OSError)

    def ask(self, path, body=None):
        """The answer as text, whatever its status."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data,
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode()
        self.answers.append((path, json.dumps(body), text))
        return text

    def tool(self, name, arguments):
        return json.loads(self.ask("/api/tool/" + name, arguments))

    def gantry(self, *arguments):
        done = subprocess.run([GANTRY, *arguments, "--config", f"{self.folder}/gantry.yaml"],
                              cwd=self.folder, env=self.env, capture_output=True, timeout=60,
                              check=False)
        return (done.stdout + done.stderr).decode()

    def log(self):
        self.err.flush()
        with open(f"{self.folder}/stderr", encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0, self.log()

    def clean_up(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.err.close()


def call_everything(daemon, world):
    """Every route and tool; the folder of the trace that recorded it."""
    daemon.tool(*world.type_password())  # so that the label repeats what is known to be secret
    trace = daemon.tool("trace_start", {"label": f"secrets, {world.password}"})
    tools = [t for t in json.loads(daemon.ask("/api/tools"))["tools"] if t not in NOT_CALLED]
    daemon.tool(*world.type_password())
    for path in PLAIN_ROUTES:
        daemon.ask(path)
    before = daemon.tool("snapshot", {})["snapshot_id"]
    daemon.tool("wait_idle", {"quiet_ms": 1, "timeout_ms": 60})
    for tool, arguments in itertools.product(tools, world.arguments()):
        daemon.tool(tool, arguments)
    start_anew(daemon)
    for tool, arguments in world.acts():
        daemon.tool(tool, arguments)
        daemon.ask("/api/structure?depth=8")
        daemon.ask("/api/screenshot")
    after = daemon.tool("snapshot", {})["snapshot_id"]
    for snapshot in (before, after):
        daemon.tool("snapshot_get", {"snapshot_id": snapshot})
    daemon.tool("snapshot_diff", {"a": before, "b": after})
    for path in PLAIN_ROUTES:
        daemon.ask(path)
    daemon.tool("trace_stop", {})
    return trace["dir"]


def start_anew(daemon):
    answer = daemon.tool("load_scenario", {"path": f"{daemon.folder}/seeded.yaml"})
    assert answer["ok"], answer


def replay(daemon, folder):
    """Repeats the recording on a new copy of the world and reads what is reported."""
    start_anew(daemon)
    started = daemon.tool("replay_start", {"path": folder, "mode": "verify"})
    here = {"replay_id": started["replay_id"]}
    while not daemon.tool("replay_step", here)["finished"]:
        pass
    daemon.tool("replay_status", here)


def whole_png(png):
    """The picture, once its chunks are read and its pixels unpacked (8 bits, not interlaced)."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        data = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[:10])
        packed += data if kind == b"IDAT" else b""
        at += 12 + size
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    assert len(zlib.decompress(packed)) == height * (1 + width * channels * depth // 8)
    return png


def pictures_in(text):
    """PNGs that a text carries as base64."""
    return [base64.b64decode(found) for found in re.findall(r"iVBORw0KGgo[A-Za-z0-9+/=]+", text)]


class Run:
    """One daemon, driven to its end, and everything that it left behind, as {where: text}."""

    def __init__(self, folder, seed, hidden=True):
        self.world = World(seed)
        daemon = Daemon(folder, self.world, hidden)
        try:
            daemon.wait_until_ready()
            recorded = call_everything(daemon, self.world)
            replay(daemon, recorded)
            self.left = {"flight recorder": daemon.gantry("trace", "-n", "1000"),
                         "flight recorder, JSON": daemon.gantry("trace", "-n", "1000", "--json"),
                         "doctor": daemon.gantry("doctor"),
                         "plugins": daemon.gantry("plugins", "--json")}
            page = f"{folder}/page.html"
            self.left["export"] = daemon.gantry("trace", "export", recorded, page)
            daemon.end()
            self.left["log"] = daemon.log()
        finally:
            daemon.clean_up()
        self.known = {}  # what the caller itself has just said
        for i, (path, body, text) in enumerate(daemon.answers):
            self.left[f"answer {i} of {path}"] = text
            self.known[f"answer {i} of {path}"] = body
        self.left["page"] = read(page)
        self.left["audit"] = read(f"{folder}/audit.log")
        self.files = []
        for where, _, names in sorted(os.walk(recorded)):
            for name in sorted(names):
                path = os.path.join(where, name)
                self.files.append(path)
                self.left["trace " + name] = read(path)

    def leaks(self):
        """Where a secret is, and what stands around it."""
        found = []
        for where, text in self.left.items():
            for secret in self.world.secrets.all:
                at = text.find(secret)
                if at >= 0 and secret not in self.known.get(where, ""):
                    found.append(f"{where}: …{text[max(0, at - 150):at + 40]}…")
            # What was typed key by key must not be there key by key either.
            if "".join(re.findall(r"args\.keys=(\w)\b", text)) == self.world.by_keys:
                found.append(f"{where}: the keys that were pressed, one by one")
        return found

    def pictures(self):
        """(where, PNG) of every picture, in order: of the answers, of the trace and of its page."""
        found = []
        for where, text in self.left.items():
            if where.startswith("answer") or where == "page":
                found += [(where, png) for png in pictures_in(text)]
        for path in self.files:
            if path.endswith(".png"):
                with open(path, "rb") as file:
                    found.append((os.path.basename(path), file.read()))
        return [(where, whole_png(png)) for where, png in found]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class SecretsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        seed = int(os.environ.get("GANTRY_SECRETS_SEED", "1"))
        cls.one = Run(cls.folder.name + "/one", seed)
        cls.other = Run(cls.folder.name + "/other", seed + 1)
        cls.open = Run(cls.folder.name + "/open", seed, hidden=False)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_no_secret_is_in_anything_that_was_left(self):
        for run in (self.one, self.other):
            leaks = run.leaks()
            self.assertEqual(leaks, [], f"{len(leaks)} leaks:\n" + "\n".join(leaks[:20]))

    def test_everything_was_there_to_be_searched(self):
        left = self.one.left
        self.assertGreater(len(left), 1500)
        acted = [text for where, text in left.items() if where.endswith("/set_value")]
        # What a hidden field holds is never compared, but that it changed may be told.
        self.assertIn("a property that is hidden here changed", acted[-3])
        self.assertRegex(left["audit"], r"tool=set_value .*redactions=\[args\.value")
        self.assertIn("<redacted>", left["trace trace.jsonl"])
        self.assertIn("[REDACTED]", "".join(left.values()))
        self.assertIn("gantry.observe.tool/1", left["flight recorder"])
        self.assertIn("screen observer ready", left["log"])
        self.assertIn("data:image/png;base64,", left["page"])
        self.assertGreater(len(self.one.pictures()), 40)

    def test_pictures_do_not_depend_on_the_secrets(self):
        one, other = self.one.pictures(), self.other.pictures()
        self.assertEqual([where for where, _ in one], [where for where, _ in other])
        differ = [where for (where, a), (_, b) in zip(one, other) if a != b]
        self.assertEqual(differ, [])

    def test_without_rules_the_secrets_are_there(self):
        """So that the tests above can fail. Password fields are hidden even so."""
        self.assertGreater(len(self.open.leaks()), 100)
        differ = [where for (where, a), (_, b) in zip(self.one.pictures(), self.open.pictures())
                  if a != b]
        self.assertGreater(len(differ), 20)
        words = [json.loads(text)["words"] for where, text in self.open.left.items()
                 if where.endswith("/api/ocr?window_uid=mock:form")]
        self.assertEqual([[word["text"] for word in seen[1::2]] for seen in words],
                         [[self.open.world.in_words, "[REDACTED]"]] * 2)
        for where, text in self.open.left.items():
            for secret in (self.open.world.password, self.open.world.typed):
                if secret not in self.open.known.get(where, ""):
                    self.assertNotIn(secret, text, where)


if __name__ == "__main__":
    GANTRY, SEEN_WORDS = (os.path.realpath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
