#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Answers of every tool on the made-up desktop against the output schema that the tool is listed with.

usage: answers_test.py GANTRY_BINARY SCENARIO_DIR

The schemas are read strictly: a member that neither a schema nor the table of what any answer may
have describes fails, as does one that is required and missing. Every listed tool must have succeeded at least once, but those that
need what is not there on purpose.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import mcp_support as support  # noqa: E402

GANTRY = ""
SCENARIOS = ""
NEEDS_MORE = {"get_ocr": "no plugin recognises text here"}
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
         "number": (int, float), "null": type(None)}



def plain(kind):
    return {"type": kind}


# What any answer may have (docs/protocols/mcp.md, "Failures"); the schemas say a part of it, in short.
ANY = {
    "ok": plain("boolean"), "success": plain("boolean"), "step_id": plain("integer"),
    "caused_by_step_id": plain(["integer", "null"]), "untrusted": plain("boolean"),
    "warning": plain("string"), "ignored_arguments": {"type": "array", "items": plain("string")},
    "error": {"type": "object", "required": ["code", "message"], "properties": {
        "code": plain("string"), "message": plain("string"), "recoverable": plain("boolean"),
        "suggested_next_tool": plain(["string", "null"]), "context": plain("object")}},
    "near_matches": {"type": "array", "items": plain("object")}, "hint": plain("string"),
    "next_call": {"type": "object", "required": ["tool", "arguments"], "properties": {
        "tool": plain("string"), "arguments": plain("object"), "then": plain("string")}}}

EDIT = {"selector": 'MenuItem[name="Edit"]'}
TEXT = {"selector": "//Document"}
FIRST = {"window_index": 0}
APPEARS = {"type": "window_appears", "title_regex": "Notepad"}
NEVER = {"type": "text_visible", "regex": "never there"}
CALLS = (
    ("list_windows", {}), ("get_monitors", {}), ("get_capabilities", {}),
    ("get_window_structure", {}), ("get_window_structure", {"format": "lines"}),
    ("get_window_structure", {"max_nodes": 3}), ("get_window_structure", {"depth": 1}),
    ("get_element_tree", {**FIRST, "element_id": "root.0"}),
    ("get_screen_description", FIRST), ("get_screen_sketch", FIRST),
    ("get_screen_sketch", {**FIRST, "structured": True}), ("get_screen_sketch", {"ocr": True}),
    ("get_screenshot", {}), ("get_screenshot", {**FIRST, "max_edge": 100}),
    ("get_full_screenshot", FIRST), ("get_screenshot_cropped", EDIT),
    ("get_visible_areas", FIRST), ("get_ocr", FIRST), ("find_element", EDIT),
    ("find_element", {"selector": "//Text"}), ("find_element", {"selector": 'MenuItem[name="Edti"]'}),
    ("bring_to_foreground", FIRST), ("bring_to_foreground", {**FIRST, "dry_run": True}),
    ("click_at", {"x": 100, "y": 100}), ("click_at", {"x": 1, "y": 2, "dry_run": True}),
    ("right_click_at", {"x": 1, "y": 2}), ("double_click_at", {"x": 1, "y": 2}),
    ("scroll", {"x": 100, "y": 100, "clicks": 2}), ("scroll", {"clicks": -1}),
    ("type_text", {"text": "a"}), ("type_text", {"text": ""}), ("press_key", {"keys": "tab"}),
    ("click_element", EDIT), ("click_element", {**EDIT, "dry_run": True}),
    ("click_element", {"selector": "//Text"}), ("focus_element", EDIT), ("invoke_element", EDIT),
    ("set_value", {**TEXT, "value": "x"}), ("clear_text", TEXT), ("right_click_element", EDIT),
    ("double_click_element", EDIT), ("key_into_element", {**EDIT, "keys": "tab"}),
    ("hover_at", {"x": 1, "y": 2}), ("hover_element", EDIT),
    ("drag", {"from": {"x": 1, "y": 1}, "to": {"x": 5, "y": 5}}),
    ("click_element_and_observe", EDIT), ("type_and_observe", {"text": "a"}),
    ("press_key_and_observe", {"keys": "tab"}),
    ("wait_for", {"any_of": [APPEARS]}), ("wait_for", {"any_of": [NEVER], "timeout_ms": 50}),
    ("wait_idle", {"quiet_ms": 50, "timeout_ms": 500}),
    ("assert_state", {"predicates": [{"kind": "window_exists", "title_regex": "Notepad"}]}),
    ("assert_state", {"predicates": [{"kind": "window_exists", "title_regex": "nowhere"}]}),
    ("get_budget_status", {}), ("get_redaction_status", {}), ("trace_status", {}),
    ("propose_action", {"action": "click_element", "args": EDIT}),
    ("observe_window", {"window_uid": "mock:gone"}), ("click_element", {"selector": "//Nope"}),
    ("get_window_structure", {"depth": "deep"}), ("snapshot_get", {"snapshot_id": "snap:0"}),
    ("get_window_structure", {"format": "line"}), ("set_value", {**TEXT, "text": "x"}),
    ("click_element", {"id": "root.0"}), ("click_element", {}), ("get_ocr", {}), ("type_text", {}),
    ("press_key", {"key": "tab"}), ("scroll", {"clicks": 900}), ("trace_stop", {}),
    ("wait_for", {"any_of": [{"type": "element_apears", "selector": "//Text"}]}),
    ("wait_for", {"any_of": [{"type": "window_appears", "title": "Notepad"}], "timeout_ms": 50}),
    ("replay_step", {"replay_id": "rep:0"}), ("load_scenario", {"path": "nowhere.yaml"}),
    ("propose_action", {"action": "clik_element", "args": EDIT}),
    ("select_option", {"selector": "//MenuBar", "option_name": "Edti"}),
)


def shortfalls(schema, value, at=""):
    """What of `value` the schema does not allow, a line for each."""
    if not schema:
        return
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    flag = isinstance(value, bool) and "boolean" not in kinds
    if flag or not isinstance(value, tuple(k for n in kinds for k in
                                           ([KINDS[n]] if isinstance(KINDS[n], type) else KINDS[n]))):
        yield f"{at}: {value!r} is none of {kinds}"
    elif isinstance(value, dict) and "properties" in schema:
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{at}/{name}: missing"
        for name, member in value.items():
            if name in schema["properties"]:
                yield from shortfalls(schema["properties"][name], member, f"{at}/{name}")
            else:
                yield f"{at}/{name}: not described"
    elif isinstance(value, dict):
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{at}/{name}: missing"
        for name, member in value.items():
            yield from shortfalls(schema.get("additionalProperties", {}), member, f"{at}/{name}")
    elif isinstance(value, list):
        for i, element in enumerate(value):
            yield from shortfalls(schema["items"], element, f"{at}/{i}")


def checked(schema, answer):
    """The same for a whole answer, which has required members only when it is a success."""
    required = schema["then"]["required"] if answer["ok"] else ()
    known = {**schema["properties"], **ANY}
    whole = list(shortfalls({**schema, "properties": known, "required": required}, answer))
    # What the schema says of these members in short has to be true as well.
    short = {k: v for k, v in answer.items() if k in ANY and k in schema["properties"]}
    return whole + list(shortfalls({**schema, "required": ()}, short))


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.client = support.StdioClient(GANTRY, (*support.OBSERVER, "--mode", "mcp"))
        self.addCleanup(self.client.close)
        self.client.initialize()
        self.tools = {t["name"]: t for t in self.client.request("tools/list")["tools"]}
        self.succeeded = set()

    def call(self, tool, **arguments):
        result = self.client.call(tool, **arguments)
        answer = result["structuredContent"]
        self.assertEqual(result.get("isError", False), not answer["ok"], tool)
        if tool in self.tools:  # two are callable and not listed
            schema = self.tools[tool]["outputSchema"]
            self.assertEqual(checked(schema, answer), [], (tool, arguments))
            if "next_call" in answer:
                self.check_next(answer["next_call"])
                again = (answer["next_call"]["tool"], answer["next_call"]["arguments"])
                if answer["error"]["code"] not in ("Timeout", "RateLimited"):
                    self.assertNotEqual(again, (tool, arguments), "the call that has just failed")
        if answer["ok"]:
            self.succeeded.add(tool)
        return answer

    def check_next(self, call):
        """What a failure proposes can be called."""
        schema = self.tools[call["tool"]]["inputSchema"]
        unknown = set(call["arguments"]) - set(schema["properties"])
        self.assertEqual(unknown, set(), call)
        self.assertLessEqual(set(schema["required"]), set(call["arguments"]), call)

    def test_every_tool_answers_as_its_schema_says(self):
        for tool, arguments in CALLS:
            self.call(tool, **arguments)
        token = self.call("observe_window")["tree_token"]
        for form in ({}, {"format": "json-patch"}, {"format": "lines"}):
            self.call("observe_window", since=token, **form)
        self.call("observe_window", format="lines")
        one, other = self.call("snapshot"), self.call("snapshot")
        pair = {"a": one["snapshot_id"], "b": other["snapshot_id"]}
        self.call("snapshot_get", snapshot_id=one["snapshot_id"])
        self.call("snapshot_diff", **pair)
        self.call("snapshot_diff", format="json-patch", **pair)
        self.call("snapshot_drop", snapshot_id=one["snapshot_id"])
        trace = self.call("trace_start")
        self.call("click_element", **EDIT)
        self.call("trace_status")
        self.call("trace_stop")
        for mode in ("execute", "verify"):
            replay = {"replay_id": self.call("replay_start", path=trace["dir"], mode=mode)["replay_id"]}
            self.call("replay_status", **replay)
            self.call("replay_step", **replay)
            self.call("replay_stop", **replay)
        self.act_in_scenarios()
        missing = set(self.tools) - self.succeeded - set(NEEDS_MORE)
        self.assertEqual(missing, set(), "tools that never succeeded")

    def act_in_scenarios(self):
        """Desktops that react: receipts with changes, new windows, options, oracles."""
        self.call("load_scenario", path=os.path.join(SCENARIOS, "task_list.yaml"))
        self.call("observe_window", format="lines")
        self.call("select_option", selector="//List", option_index=0)
        self.call("load_scenario", path=os.path.join(SCENARIOS, "login.yaml"))
        token = self.call("observe_window")["tree_token"]
        self.call("set_value", selector='//Edit[name="User"]', value="mira")
        self.call("click_element_and_observe", selector='//Button[name="Sign in"]')
        for form in ({}, {"format": "json-patch"}, {"format": "lines"}):
            self.call("observe_window", since=token, **form)
        self.call("assert_state")
        self.call("get_screen_sketch", structured=True)
        self.call("get_screenshot")


if __name__ == "__main__":
    GANTRY, SCENARIOS = (os.path.realpath(argument) for argument in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
