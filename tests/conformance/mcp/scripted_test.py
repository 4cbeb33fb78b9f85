#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scripted sessions of MCP over both transports, message by message, on the made-up desktop.

usage: scripted_test.py GANTRY_BINARY
"""
import base64
import contextlib
import json
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import mcp_support as support  # noqa: E402

GANTRY = ""
CONFIRM_HELP = ("--set", 'guard.confirmation_required=[{"name_regex": "^(Help|Password)$"}]')
ARGUMENTS = (*support.OBSERVER, *CONFIRM_HELP, "--set", "mcp.resources.update_interval=50ms",
             "--set", "mcp.pictures.max_edge=640")
LOGIN = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "../../../config/scenarios/login.yaml")
HELP = {"selector": 'MenuItem[name="Help"]'}
SESSION_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
CAN_FILL = {"elicitation": {}}
ACCEPT = {"action": "accept", "content": {"allow": True}}


def text_of(result):
    return next(b["text"] for b in result["content"] if b["type"] == "text")


def size_of(picture):
    """Width and height of a PNG, or of a JPEG (ITU-T T.81: the frame header has them)."""
    if picture.startswith(b"\x89PNG"):
        return struct.unpack(">II", picture[16:24])
    at = 2
    while picture[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + struct.unpack(">H", picture[at + 2:at + 4])[0]
    height, width = struct.unpack(">HH", picture[at + 5:at + 9])
    return width, height


class Dialogue:
    """What holds over both transports; `self.client(capabilities)` gives an initialized client."""

    def test_a_session_from_beginning_to_end(self):
        client = self.client()
        self.assertEqual(client.request("ping"), {})
        tools = {tool["name"]: tool for tool in client.request("tools/list")["tools"]}
        self.assertTrue(tools["list_windows"]["annotations"]["readOnlyHint"])
        windows = client.call("list_windows")
        self.assertEqual(len(windows["structuredContent"]["windows"]), 3)
        self.assertEqual(json.loads(text_of(windows)), windows["structuredContent"])
        found = client.call("find_element", selector='MenuItem[name="Edit"]')["structuredContent"]
        self.assertEqual(found["element_id"], "root.0.1")
        receipt = client.call("click_element", element_id="root.0.1")
        self.assertEqual(receipt["structuredContent"]["effect"], "no_op")
        self.assertFalse(receipt.get("isError", False))

    def test_what_is_listed_has_a_title(self):
        client = self.client()
        for method, member in (("tools/list", "tools"), ("resources/list", "resources"),
                               ("resources/templates/list", "resourceTemplates"),
                               ("prompts/list", "prompts")):
            listed = client.request(method)[member]
            self.assertGreater(len(listed), 0, method)
            self.assertEqual([one["name"] for one in listed if not one.get("title")], [], method)

    def test_errors_of_the_protocol_and_of_tools_are_told_apart(self):
        client = self.client()
        for method, params, code in (("nothing/there", {}, -32601),
                                     ("tools/call", {"name": "list_windws"}, -32602),
                                     ("tools/call", {"name": 7}, -32602),
                                     ("tools/call", {"name": "snapshot", "arguments": []}, -32602),
                                     ("tools/list", {"cursor": "nonsense"}, -32602),
                                     ("prompts/get", {"name": "nothing"}, -32602),
                                     ("resources/read", {"uri": "gantry://nothing"}, -32002)):
            with self.assertRaises(support.RpcError) as refused:
                client.request(method, params)
            self.assertEqual(refused.exception.code, code, (method, params))
        missing = client.call("find_element", selector="//Nope")
        self.assertTrue(missing["isError"])
        self.assertIn("ElementNotFound", text_of(missing))
        wrong = client.call("get_window_structure", depth="deep")
        self.assertTrue(wrong["isError"])
        self.assertIn("depth must be an integer, found 'deep'", text_of(wrong))

    def test_a_failure_names_what_was_nearly_meant_and_the_next_call(self):
        client = self.client()
        for tool in ("find_element", "click_element", "get_screenshot_cropped"):
            missing = client.call(tool, selector='MenuItem[name="Edti"]')
            self.assertTrue(missing["isError"])
            answer = missing["structuredContent"]
            self.assertEqual(json.loads(text_of(missing)), answer)
            self.assertEqual(answer["near_matches"][0]["name"], "Edit", tool)
            found = client.call(answer["next_call"]["tool"], **answer["next_call"]["arguments"])
            self.assertEqual(found["structuredContent"]["element_id"], "root.0.1")
        gone = client.call("observe_window", window_uid="mock:gone")["structuredContent"]
        self.assertIn("Notepad", gone["near_matches"][0]["title"])
        listed = client.call(gone["next_call"]["tool"], **gone["next_call"]["arguments"])
        self.assertIn(gone["near_matches"][0]["window_uid"],
                      [w["window_uid"] for w in listed["structuredContent"]["windows"]])

    def test_a_wrong_argument_is_put_right_by_the_next_call(self):
        client = self.client()
        for tool, wrong in (("press_key", {"key": "a"}),
                            ("wait_for", {"selector": 'MenuItem[name="Edit"]'}),
                            ("propose_action", {"action": "clik_element", "args": HELP}),
                            ("get_visible_areas", {})):
            refused = client.call(tool, **wrong)
            self.assertTrue(refused["isError"], tool)
            answer = refused["structuredContent"]
            self.assertEqual(answer["error"]["code"], "BadRequest")
            again = client.call(answer["next_call"]["tool"], **answer["next_call"]["arguments"])
            self.assertFalse(again.get("isError", False), again)
        with self.assertRaises(support.RpcError) as unknown:
            client.call("type_into", text="a")
        self.assertIn("type_text", unknown.exception.data["near_matches"])

    def test_each_call_is_told_of_at_the_level_of_debugging(self):
        client = self.client()
        client.call("list_windows")
        self.assertEqual(self.told(client), [])
        client.request("logging/setLevel", {"level": "debug"})
        client.call("list_windows")
        client.call("find_element", selector='MenuItem[name="Edti"]')
        good, bad = self.told(client)
        self.assertEqual((good["tool"], good["ok"]), ("list_windows", True))
        self.assertEqual((bad["tool"], bad["ok"], bad["code"]),
                         ("find_element", False, "ElementNotFound"))
        client.request("logging/setLevel", {"level": "info"})
        client.call("list_windows")
        self.assertEqual(len(self.told(client)), 2)

    @staticmethod
    def told(client):
        return [m["params"]["data"] for m in client.received
                if m.get("method") == "notifications/message"]

    def test_a_picture_has_a_size_that_models_take_and_tells_its_scale(self):
        client = self.client()
        window = client.call("list_windows")["structuredContent"]["windows"][0]["window_uid"]
        for more, width in (({}, 640), ({"max_edge": 480}, 480), ({"max_edge": 0}, 800)):
            shot = client.call("get_screenshot", window_uid=window, **more)
            told = shot["structuredContent"]
            image = next(b for b in shot["content"] if b["type"] == "image")
            self.assertEqual(image["mimeType"], "image/" + told["format"])
            size = size_of(base64.b64decode(image["data"]))
            self.assertEqual(size, (told["width"], told["height"]))
            self.assertEqual(size[0], width)
            for edge, pixels, scale in (("width", size[0], "x"), ("height", size[1], "y")):
                self.assertAlmostEqual(pixels * told["scale"][scale], told["bounds"][edge])
            self.assertIn("screen pixels", told["coordinates"])
        small = client.call("get_screenshot", window_uid=window, max_image_bytes=3000)
        image = next(b for b in small["content"] if b["type"] == "image")
        self.assertLessEqual(len(base64.b64decode(image["data"])), 3000)
        uri = f"gantry://window/{window}/screenshot"
        contents, = client.request("resources/read", {"uri": uri})["contents"]
        self.assertEqual(contents["mimeType"], "image/png")
        self.assertEqual(size_of(base64.b64decode(contents["blob"]))[0], 640)

    def test_a_confirmation_is_asked_of_a_client_that_can_ask(self):
        client = self.client(CAN_FILL)
        asked = []
        client.answers["elicitation/create"] = lambda params: asked.append(params) or ACCEPT
        receipt = client.call("click_element", **HELP)
        self.assertFalse(receipt.get("isError", False), receipt)
        self.assertEqual(len(asked), 1)
        # Not the selector of the client's choice: the way to the element, as the tree has it.
        self.assertIn("click_element", asked[0]["message"])
        self.assertIn('Notepad"]/MenuBar[name="MenuBar"]/MenuItem[name="Help"]',
                      asked[0]["message"])

    def test_who_cannot_ask_proposes_and_gets_a_token(self):
        client = self.client()
        refused = client.call("click_element", **HELP)
        self.assertTrue(refused["isError"])
        self.assertIn("ConfirmationRequired", text_of(refused))
        self.assertIn("propose_action", text_of(refused))
        proposal = client.call("propose_action", action="click_element", args=HELP)
        token = proposal["structuredContent"]["confirm_token"]
        receipt = client.call("click_element", confirm_token=token, **HELP)
        self.assertFalse(receipt.get("isError", False), receipt)


class StdioTest(Dialogue, unittest.TestCase):
    def start(self):
        client = support.StdioClient(GANTRY, (*ARGUMENTS, "--mode", "mcp"))
        self.addCleanup(client.close)
        return client

    def client(self, capabilities=None):
        client = self.start()
        client.initialize(capabilities=capabilities)
        return client

    def test_a_confirmation_does_not_show_what_goes_into_a_password_field(self):
        client = self.client(CAN_FILL)
        asked = []
        client.answers["elicitation/create"] = lambda params: asked.append(params) or ACCEPT
        client.call("load_scenario", path=LOGIN)
        field = {"selector": 'Edit[name="Password"]'}
        for tool, given in (("set_value", {"value": "anchor-7"}),
                            ("key_into_element", {"keys": "shift+z"})):
            asked.clear()
            receipt = client.call(tool, **field, **given)
            self.assertFalse(receipt.get("isError", False), receipt)
            self.assertEqual(len(asked), 1)
            self.assertIn('Edit[name="Password"]', asked[0]["message"])
            self.assertIn("not shown", asked[0]["message"])
            self.assertNotIn(*given.values(), asked[0]["message"])

    def test_every_revision_with_sessions_is_spoken(self):
        for revision in (*SESSION_REVISIONS, "1999-01-01"):
            client = self.start()
            greeting = client.initialize(revision)
            wanted = revision if revision in SESSION_REVISIONS else SESSION_REVISIONS[-1]
            self.assertEqual(greeting["protocolVersion"], wanted)
            windows = client.call("list_windows")
            self.assertEqual("structuredContent" in windows, wanted >= "2025-06-18", wanted)
            # The first revision's text is indented, as the published program wrote it.
            self.assertEqual("\n" in text_of(windows), wanted == "2024-11-05")
            self.assertEqual(len(json.loads(text_of(windows))["windows"]), 3)
            self.assertEqual(client.close()[0], 0, client.errors())

    def test_the_revision_without_sessions_needs_no_beginning(self):
        client = self.start()
        meta = {support.META + "protocolVersion": support.STATELESS,
                support.META + "clientCapabilities": {}}
        found = client.request("server/discover", {"_meta": meta})
        self.assertIn(support.STATELESS, found["supportedVersions"])
        windows = client.request("tools/call", {"name": "list_windows", "_meta": meta})
        self.assertEqual(windows["resultType"], "complete")
        self.assertEqual(len(windows["structuredContent"]["windows"]), 3)

    def test_a_session_begins_with_initialize(self):
        client = self.start()
        for method, params in (("tools/list", {}), ("tools/call", {"name": "list_windows"})):
            client.begin(method, params)
            self.assertEqual(client.receive()["error"]["code"], -32600, method)
        self.assertEqual(client.request("ping"), {})
        client.initialize()
        self.assertGreater(len(client.request("tools/list")["tools"]), 40)

    def test_who_may_not_have_pictures_is_not_told_that_they_change(self):
        client = support.StdioClient(GANTRY, (
            *ARGUMENTS, "--mode", "mcp", "--set", "guard.actions.deny=[get_full_screenshot]"))
        self.addCleanup(client.close)
        client.initialize()
        client.call("load_scenario", path=LOGIN)
        tree = "gantry://window/mock:login/tree"
        for uri in ("gantry://screen", tree):
            client.request("resources/subscribe", {"uri": uri})
        for value in ("nell", "mira", "nell"):
            self.hear(client, {tree}, "set_value", selector='//Edit[name="User"]', value=value)
            self.assertEqual(self.updated(client), {tree})

    def test_garbage_is_answered_and_survived(self):
        client = self.client()
        for text, code in (("{", -32700), ("[]", -32600), ("7", -32600),
                           ('{"jsonrpc":"2.0","id":5}', -32600), ('{"id":6,"method":"ping"}', -32600)):
            client.send_text(text)
            self.assertEqual(client.receive()["error"]["code"], code, text)
        client.send_text("")
        client.send({"method": "notifications/unheard_of"})
        self.assertEqual(client.request("ping"), {})

    def test_a_line_that_is_too_long_is_refused_as_such_and_survived(self):
        client = support.StdioClient(GANTRY, (
            *ARGUMENTS, "--mode", "mcp", "--set", "mcp.stdio.max_message=5000"))
        self.addCleanup(client.close)
        client.initialize()
        for length in (6000, 300_000):
            client.send_text(json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping",
                                         "params": {"padding": "x" * length}}))
            error = client.receive()["error"]
            self.assertEqual((error["code"], error["data"]),
                             (-32600, {"code": "resource_exhausted", "limit": 5000}))
            self.assertIn("5000 bytes (mcp.stdio.max_message)", error["message"])
            self.assertEqual(client.request("ping"), {})

    def test_cancelling_leaves_no_answer(self):
        client = self.client()
        number = client.begin("tools/call", {
            "name": "wait_for", "_meta": {"progressToken": "p"},
            "arguments": {"any_of": [{"type": "text_visible", "regex": "never there"}],
                          "timeout_ms": 60000}})
        while not client.notifications("notifications/progress"):
            client.receive()
        client.send({"method": "notifications/cancelled", "params": {"requestId": number}})
        self.assertEqual(len(client.call("list_windows")["structuredContent"]["windows"]), 3)
        self.assertNotIn(number, [m.get("id") for m in client.received])

    def test_subscribers_hear_of_trees_pictures_and_recordings(self):
        client = self.client()
        client.call("load_scenario", path=LOGIN)
        window = "gantry://window/mock:login"
        changing = {window + "/tree", window + "/tree.json", window + "/sketch",
                    window + "/screenshot", "gantry://screen"}
        for uri in (*changing, "gantry://trace", "gantry://window/mock:other/tree"):
            client.request("resources/subscribe", {"uri": uri})
        self.hear(client, changing, "set_value", selector='//Edit[name="User"]', value="mira")
        self.hear(client, {"gantry://trace"}, "trace_start")
        for uri in changing - {"gantry://screen"}:
            client.request("resources/unsubscribe", {"uri": uri})
        # What the first act would tell comes before what the second one tells.
        for value in ("nell", "mira"):
            self.hear(client, {"gantry://screen"}, "set_value", selector='//Edit[name="User"]',
                      value=value)
        self.assertEqual(self.updated(client), {"gantry://screen"})

    @staticmethod
    def updated(client):
        return {m["params"]["uri"]
                for m in client.notifications("notifications/resources/updated")}

    def hear(self, client, uris, tool, **arguments):
        del client.received[:]
        receipt = client.call(tool, **arguments)
        self.assertFalse(receipt.get("isError", False), receipt)
        while not uris <= self.updated(client):
            client.receive()

    def test_without_sessions_a_subscription_is_a_request(self):
        client = self.client()
        client.call("load_scenario", path=LOGIN)
        uri = "gantry://window/mock:login/tree"
        meta = {support.META + "protocolVersion": support.STATELESS,
                support.META + "clientCapabilities": {}}
        number = client.begin("subscriptions/listen", {
            "_meta": meta, "notifications": {"resourceSubscriptions": [uri]}})
        self.hear(client, {uri}, "set_value", selector='//Edit[name="User"]', value="mira")
        told, = {m["params"]["_meta"][support.META + "subscriptionId"]
                 for m in client.notifications("notifications/resources/updated")}
        self.assertEqual(told, number)

    def test_the_end_of_input_ends_it_while_a_tool_runs(self):
        client = self.client()
        client.begin("tools/call", {"name": "wait_idle", "arguments": {
            "quiet_ms": 60000, "timeout_ms": 60000}})
        self.assertEqual(client.close()[0], 0, client.errors())

    def test_it_ends_with_its_parent(self):
        """The input stays open: only the parent's death tells it."""
        with tempfile.TemporaryDirectory() as folder:
            script = '"$@" <&3 & echo $!; wait'
            read_end, write_end = os.pipe()
            parent = subprocess.Popen(
                ["sh", "-c", script.replace("<&3", f"<&{read_end}"), "sh", GANTRY, *ARGUMENTS,
                 "--mode", "mcp"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=folder,
                stderr=subprocess.DEVNULL, env=support.clean_environment(folder),
                pass_fds=[read_end])
            server = int(parent.stdout.readline())
            ended = os.pidfd_open(server)  # readable once the process has ended
            try:
                os.write(write_end, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
                self.assertTrue(readable(parent.stdout), "it does not answer")
                self.assertEqual(json.loads(parent.stdout.readline())["id"], 1)
                parent.send_signal(signal.SIGKILL)
                parent.wait()
                self.assertTrue(readable(ended), "it outlived its parent")
            finally:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(ended, signal.SIGKILL)
                for end in (ended, read_end, write_end):
                    os.close(end)
                parent.stdout.close()


def readable(file):
    """Waits until there is something to read, or the end."""
    return bool(select.select([file], [], [], support.LIMIT_S)[0])


class HttpTest(Dialogue, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = support.Daemon(GANTRY, [*ARGUMENTS, "--mode", "inspect"])
        cls.addClassCleanup(cls.daemon.stop)

    def raw(self):
        return support.HttpClient(self.daemon.port)

    def client(self, capabilities=None):
        client = self.raw()
        client.initialize(capabilities=capabilities)
        return client

    def test_a_session_ends_when_its_client_says_so(self):
        client = self.client()
        self.assertIn(client.open("DELETE").status, (200, 202, 204))
        response = client.post({"id": 1, "method": "ping"})
        self.assertEqual(response.status, 404)

    def test_two_sessions_know_nothing_of_each_other(self):
        one, other = self.client(), self.client(CAN_FILL)
        self.assertNotEqual(one.headers["Mcp-Session-Id"], other.headers["Mcp-Session-Id"])
        other.open("DELETE").read()
        self.assertEqual(one.request("ping"), {})

    def test_foreign_pages_are_refused(self):
        client = self.raw()
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            response = client.post({"id": 1, "method": "ping"}, **headers)
            self.assertEqual(response.status, 403, headers)
            response.read()

    def test_other_methods_are_told_which_there_are(self):
        client = self.client()
        for verb in ("PUT", "PATCH"):
            with self.subTest(verb=verb):
                response = client.open(verb, {})
                response.read()
                self.assertEqual(response.status, 405)
                self.assertEqual(response.getheader("Allow"), "GET, POST, DELETE")

    def test_a_media_type_is_known_in_any_case_and_by_its_whole_name(self):
        client = self.client()
        for given, status in (("APPLICATION/JSON; charset=utf-8", 200), ("application/json ;x=y", 200),
                              ("application/jsonx", 415), ("application/json-patch+json", 415)):
            response = client.post({"id": 1, "method": "ping"}, Content_Type=given)
            self.assertEqual(response.status, status, given)
            response.read()

    def test_what_is_lost_on_the_way_can_be_fetched(self):
        """The stream of a call is cut after its first event; its rest comes by Last-Event-ID."""
        client = self.client()
        response = client.post({"id": 9, "method": "tools/call", "params": {
            "name": "wait_for", "_meta": {"progressToken": "p"},
            "arguments": {"any_of": [{"type": "text_visible", "regex": "never there"}],
                          "timeout_ms": 1500}}})
        self.assertTrue(response.getheader("Content-Type").startswith("text/event-stream"))
        event_id, _ = next(support.events_of(response))
        response.close()
        again = client.open("GET", **{"Last-Event-ID": event_id})
        self.assertEqual(again.status, 200)
        answer = next(m for m in client.messages_of(again) if m.get("id") == 9)
        self.assertIn("result", answer)
        again.close()

    def test_without_sessions_headers_must_say_what_the_body_says(self):
        client = self.raw()
        windows = client.modern("tools/call", {"name": "list_windows"})
        self.assertEqual(len(windows["structuredContent"]["windows"]), 3)
        for headers in ({"Mcp-Method": "tools/list"}, {"Mcp-Name": "list_window"},
                        {"MCP-Protocol-Version": "2025-11-25"}):
            with self.assertRaises(support.RpcError) as refused:
                client.modern("tools/call", {"name": "list_windows"}, **headers)
            self.assertEqual((refused.exception.code, refused.exception.status), (-32020, 400),
                             headers)

    def test_without_sessions_a_confirmation_is_asked_by_the_result(self):
        client = self.raw()
        call = {"name": "click_element", "arguments": HELP}
        asked = client.modern("tools/call", call, CAN_FILL)
        self.assertEqual(asked["resultType"], "input_required")
        (key, request), = asked["inputRequests"].items()
        self.assertEqual(request["method"], "elicitation/create")
        reply = {"inputResponses": {key: ACCEPT}, "requestState": asked["requestState"]}
        other = {"name": "click_element", "arguments": {"selector": 'MenuItem[name="Edit"]'}}
        with self.assertRaises(support.RpcError):
            client.modern("tools/call", {**other, **reply}, CAN_FILL)
        receipt = client.modern("tools/call", {**call, **reply}, CAN_FILL)
        self.assertEqual(receipt["resultType"], "complete")
        self.assertFalse(receipt.get("isError", False), receipt)
        with self.assertRaises(support.RpcError):
            client.modern("tools/call", {**call, **reply}, CAN_FILL)  # an answer is good once


class AloneTest(unittest.TestCase):
    """Without the observer MCP opens its own listener, although it starts before the transport."""

    def test_it_is_served_on_a_port_of_its_own(self):
        plugins = [f"{name}: {{}}" for name in ("mock", "observation")]
        plugins.append("mcp: {config: {http: {port: 0}}}")
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "gantry.yaml")
            with open(config, "w", encoding="utf-8") as file:
                file.write("profile: minimal\nplugins: {" + ", ".join(plugins) + "}\n")
            with support.Daemon(GANTRY, ["run", "--config", config], listener="listening on") as daemon:
                client = support.HttpClient(daemon.port)
                client.initialize()
                names = [tool["name"] for tool in client.request("tools/list")["tools"]]
        self.assertIn("click_element", names)


if __name__ == "__main__":
    GANTRY = os.path.realpath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
