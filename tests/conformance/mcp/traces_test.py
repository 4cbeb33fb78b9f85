#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings as resources: from trace_start to the page of a finished one, what subscribers hear, what
a guard keeps to itself, and what of the folder is never given out.

usage: traces_test.py GANTRY_BINARY
"""
import base64
import json
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import mcp_support as support  # noqa: E402

GANTRY = ""
EDIT = 'MenuItem[name="Edit"]'


class TracesTest(unittest.TestCase):
    def start(self, *settings):
        sets = [word for setting in settings for word in ("--set", setting)]
        client = support.StdioClient(GANTRY, (*support.OBSERVER, "--mode", "mcp", *sets))
        self.addCleanup(client.close)
        client.initialize()
        self.folder = os.path.join(client.folder.name, "traces")
        return client

    @staticmethod
    def record(client, label="", calls=1):
        """A finished recording; its address."""
        client.call("trace_start", label=label)
        for _ in range(calls):
            client.call("click_element", selector=EDIT)
        stopped = client.call("trace_stop")["structuredContent"]
        return "gantry://trace/" + stopped["trace_id"]

    @staticmethod
    def read(client, uri):
        contents = client.request("resources/read", {"uri": uri})["contents"]
        assert len(contents) == 1 and contents[0]["uri"] == uri, contents
        return contents[0]

    def read_json(self, client, uri):
        return json.loads(self.read(client, uri)["text"])

    def refused(self, client, uri):
        with self.assertRaises(support.RpcError) as caught:
            self.read(client, uri)
        return caught.exception

    def complete(self, client, template, argument, value, **context):
        return client.request("completion/complete", {
            "ref": {"type": "ref/resource", "uri": template},
            "argument": {"name": argument, "value": value},
            "context": {"arguments": context}})["completion"]

    def test_a_finished_recording_is_listed_and_read(self):
        client = self.start()
        self.assertEqual(self.read_json(client, "gantry://traces")["traces"], [])
        first, second = self.record(client, "the first"), self.record(client, "the second", 6)
        listed = {r["uri"]: r for r in client.request("resources/list")["resources"]}
        self.assertEqual([uri for uri in listed if "/trace/" in uri], [second, first])
        self.assertEqual(listed[second]["title"], "Recording: the second")
        traces = self.read_json(client, "gantry://traces")
        self.assertEqual([t["label"] for t in traces["traces"]], ["the second", "the first"])
        self.assertEqual(traces["total"], 2)

        info = self.read_json(client, second)
        self.assertEqual((info["calls"], info["running"], info["page_count"]), (6, False, 1))
        page = self.read(client, info["lines"].format(page=1))
        self.assertEqual(page["mimeType"], "application/x-ndjson")
        lines = [json.loads(line) for line in page["text"].splitlines()]
        self.assertEqual([line.get("type") for line in lines], ["header", *[None] * 6, "footer"])
        html = self.read(client, info["html"])
        self.assertEqual(html["mimeType"], "text/html")
        self.assertIn("the second", html["text"])
        self.assertIn("data:image/png;base64,", html["text"])
        picture = self.read(client, f"{second}/{lines[1]['screenshot_full_ref']}")
        self.assertEqual(picture["mimeType"], "image/png")
        self.assertTrue(base64.b64decode(picture["blob"]).startswith(b"\x89PNG"))

    def test_what_runs_is_first_and_grows(self):
        client = self.start()
        self.record(client)
        trace_id = client.call("trace_start", label="now")["structuredContent"]["trace_id"]
        uri = "gantry://trace/" + trace_id
        client.call("list_windows")
        newest = self.read_json(client, "gantry://traces")["traces"][0]
        self.assertEqual((newest["uri"], newest["running"]), (uri, True))
        self.assertNotIn("stopped_at", newest)
        self.assertIn('"list_windows"', self.read(client, uri + "/lines/1")["text"])
        client.call("trace_stop")
        self.assertFalse(self.read_json(client, uri)["running"])

    def test_beginning_and_end_are_heard(self):
        client = self.start()
        for uri in ("gantry://trace", "gantry://traces"):
            client.request("resources/subscribe", {"uri": uri})

        def heard(tool, *uris):
            client.received.clear()
            trace_id = client.call(tool)["structuredContent"]["trace_id"]
            wanted = {uri.format(trace_id) for uri in uris}
            while not (client.notifications("notifications/resources/list_changed") and wanted <= {
                    m["params"]["uri"]
                    for m in client.notifications("notifications/resources/updated")}):
                client.receive()
            return trace_id

        trace_id = heard("trace_start", "gantry://trace", "gantry://traces")
        client.request("resources/subscribe", {"uri": "gantry://trace/" + trace_id})
        heard("trace_stop", "gantry://trace", "gantry://traces", "gantry://trace/{}")

    def test_names_are_completed(self):
        client = self.start()
        uris = [self.record(client, label) for label in ("sign in", "sign out", "search")]
        ids = [uri.rsplit("/", 1)[1] for uri in reversed(uris)]
        templates = {t["uriTemplate"]
                     for t in client.request("resources/templates/list")["resourceTemplates"]}
        one = "gantry://trace/{trace_id}"
        lines = one + "/lines/{page}"
        self.assertLessEqual({one, lines, one + "/page.html", one + "/screenshots/{picture}"},
                             templates)
        self.assertEqual(self.complete(client, one, "trace_id", "")["values"], ids)
        self.assertEqual(self.complete(client, one, "trace_id", ids[1])["values"], ids[1:2])
        self.assertEqual(self.complete(client, one, "trace_id", "sign")["values"], ids[1:])
        self.assertEqual(self.complete(client, one, "trace_id", "SIGN")["values"], ids[1:])
        self.assertEqual(self.complete(client, one, "trace_id", "nothing")["values"], [])
        self.assertEqual(self.complete(client, lines, "page", "", trace_id=ids[0])["values"], ["1"])
        self.assertEqual(self.complete(client, lines, "page", "")["values"], [])

    def test_what_is_not_there_or_elsewhere_is_missing(self):
        client = self.start()
        uri = self.record(client)
        os.makedirs(os.path.join(self.folder, "trace-x"))
        secret = os.path.join(client.folder.name, "secret")
        with open(secret, "w", encoding="utf-8") as file:
            file.write('{"type":"header"}\n')
        os.symlink(secret, os.path.join(self.folder, "trace-x", "trace.jsonl"))
        for wrong in ("gantry://trace/", "gantry://trace/trace-0", "gantry://trace/trace-x",
                      "gantry://trace/trace-x/lines/1", "gantry://trace/../secret",
                      "gantry://trace/..%2Fsecret/lines/1", uri + "/lines/0", uri + "/lines/2",
                      uri + "/lines/1x", uri + "/lines/99999999999999999999", uri + "/lines/",
                      uri + "/trace.jsonl", uri + "/screenshots/../trace.jsonl",
                      uri + "/screenshots/step-00009-full.png", uri + "/"):
            self.assertEqual(self.refused(client, wrong).code, -32002, wrong)
        shutil.rmtree(os.path.join(self.folder, uri.rsplit("/", 1)[1]))
        self.assertEqual(self.refused(client, uri).code, -32002)

    def test_secrets_stay_out(self):
        client = self.start()
        client.call("trace_start")
        client.call("set_value", selector="//NoSuchField", value="hunter2-value")
        client.call("trace_stop")
        newest = self.read_json(client, "gantry://traces")["traces"][0]["uri"]
        for part in ("/lines/1", "/page.html"):
            text = self.read(client, newest + part)["text"]
            self.assertNotIn("hunter2-value", text)
            self.assertIn("set_value", text)

    def test_a_guard_may_keep_recordings_to_itself(self):
        client = self.start("guard.actions.deny=[trace_read]")
        uri = self.record(client, "sign in")
        client.received.clear()
        running = client.call("trace_start")["structuredContent"]["trace_id"]
        one = "gantry://trace/{trace_id}"
        asked = [("resources/read", {"uri": address})
                 for address in ("gantry://trace", "gantry://traces", uri, uri + "/lines/1",
                                 uri + "/page.html", uri + "/screenshots/step-00001-full.png",
                                 uri + "/nothing", "gantry://trace/" + running,
                                 "gantry://trace/trace-0", "gantry://trace/..")]
        asked += [("resources/subscribe", params) for _, params in asked]
        asked += [("completion/complete", {"ref": {"type": "ref/resource", "uri": template},
                                           "argument": {"name": name, "value": ""}})
                  for template, name in ((one, "trace_id"), (one + "/lines/{page}", "page"),
                                         (one + "/screenshots/{picture}", "picture"))]
        told = set()
        for method, params in asked:
            with self.assertRaises(support.RpcError) as caught:
                client.request(method, params)
            error = caught.exception
            self.assertEqual(error.data.pop("uri", None), params.get("uri"))
            told.add((error.code, error.message, json.dumps(error.data)))
        self.assertEqual(len(told), 1, told)
        self.assertEqual(json.loads(told.pop()[2]), {"code": "permission_denied"})
        # Neither that one runs: the answer is the same when none does.
        status = client.call("trace_status")["structuredContent"]
        self.assertIsNone(status["active_trace_id"])
        self.assertIn("trace_read", status["withheld"])
        self.assertNotIn(running, json.dumps(client.call("trace_start")))
        client.call("trace_stop")
        after = client.call("trace_status")["structuredContent"]
        self.assertEqual([after[key] for key in ("step_count", "withheld")],
                         [status[key] for key in ("step_count", "withheld")])
        # Nor does a replay read one, whether or not it is there.
        said = {client.call("replay_start", path=path, mode="verify")["structuredContent"]["error"]
                ["message"] for path in ("trace-0", os.path.join(
                    self.folder, uri.rsplit("/", 1)[1]))}
        self.assertEqual(len(said), 1, said)
        self.assertIn("trace_read", said.pop())
        uris = {r["uri"] for r in client.request("resources/list")["resources"]}
        self.assertIn("gantry://windows", uris)
        self.assertNotIn(uri, uris)
        self.assertEqual(client.notifications("notifications/resources/updated"), [])
        self.assertEqual(client.notifications("notifications/resources/list_changed"), [])

    def test_who_may_not_read_them_does_not_listen_to_them(self):
        client = support.StdioClient(
            GANTRY, (*support.OBSERVER, "--mode", "mcp", "--set",
                     "guard.actions.deny=[trace_read]"))
        self.addCleanup(client.close)
        params = {"_meta": {support.META + "protocolVersion": support.STATELESS,
                            support.META + "clientCapabilities": {}},
                  "notifications": {"resourceSubscriptions": ["gantry://windows",
                                                              "gantry://trace"]}}
        with self.assertRaises(support.RpcError) as caught:
            client.request("subscriptions/listen", params)
        self.assertEqual(caught.exception.data, {"code": "permission_denied"})

    def test_what_was_emptied_has_no_page_and_says_no_path(self):
        client = self.start()
        uri = self.record(client)
        trace_id = uri.rsplit("/", 1)[1]
        with open(os.path.join(self.folder, trace_id, "trace.jsonl"), "w", encoding="utf-8"):
            pass
        error = self.refused(client, uri + "/page.html")
        self.assertEqual((error.code, error.message), (
            -32002, f"the recording {trace_id} has no page.html, because it has no lines"))
        os.remove(os.path.join(self.folder, trace_id, "trace.jsonl"))
        self.assertEqual(self.refused(client, uri + "/page.html").message,
                         f"there is no recording {trace_id}")

    def test_what_a_client_named_is_repeated_once_and_not_without_end(self):
        client = self.start()
        error = self.refused(client, "gantry://trace/trace-0" + "/" + "x" * 2000)
        self.assertNotIn("xxx", error.message)
        self.assertIn("xxx", error.data["uri"])
        long = "x" * 1_000_000
        asked = [("resources/read", {"uri": "gantry://" + long}),
                 ("resources/subscribe", {"uri": "gantry://" + long}),
                 ("tools/call", {"name": long, "arguments": {}}),
                 ("tools/call", {"name": "list_windows", "arguments": [], "_meta": long}),
                 ("prompts/get", {"name": long}), (long, {}),
                 ("logging/setLevel", {"level": long}),
                 ("completion/complete", {"ref": {"type": "ref/prompt", "name": long},
                                          "argument": {"name": "a", "value": "b"}}),
                 ("completion/complete", {"ref": {"type": "ref/resource", "uri": long},
                                          "argument": {"name": "a", "value": "b"}}),
                 ("completion/complete", {
                     "ref": {"type": "ref/resource", "uri": "gantry://trace/{trace_id}/lines/{page}"},
                     "argument": {"name": "page", "value": "1"},
                     "context": {"arguments": {"trace_id": long}}})]
        for method, params in asked:
            with self.assertRaises(support.RpcError) as caught:
                client.request(method, params)
            said = caught.exception.message + json.dumps(caught.exception.data)
            self.assertLess(len(said), 5000, method[:40])

    def test_pictures_are_kept_from_whom_may_not_take_any(self):
        client = self.start()
        uri = self.record(client)
        name = uri.rsplit("/", 1)[1]
        kept = self.start("guard.actions.deny=[get_screenshot]")
        shutil.copytree(os.path.join(client.folder.name, "traces", name),
                        os.path.join(self.folder, name))
        self.assertNotIn("data:image", self.read(kept, uri + "/page.html")["text"])
        error = self.refused(kept, uri + "/screenshots/step-00001-full.png")
        self.assertEqual(error.data["code"], "permission_denied")
        self.assertIn("step-00001-full.png", self.read(kept, uri + "/lines/1")["text"])

    def test_what_is_too_large_is_read_in_pages(self):
        client = self.start("mcp.max_resource_bytes=10000")
        uri = self.record(client, calls=40)
        error = self.refused(client, uri + "/page.html")
        self.assertEqual(error.data["code"], "resource_exhausted")
        self.assertIn("page by page", error.message)


if __name__ == "__main__":
    GANTRY = os.path.realpath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
