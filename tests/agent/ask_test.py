#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""gantry ask and gantry chat, from outside; and the examples of docs/agent.md.

usage: ask_test.py GANTRY_BINARY SOURCE_FOLDER
"""
import http.server
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from agent_daemon import AgentDaemon  # noqa: E402
from eventually import eventually  # noqa: E402

GANTRY, SOURCE = "", ""
UNAVAILABLE, USAGE, CONFIG, INTERRUPTED = 69, 64, 78, 130


class Ask(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.daemon = AgentDaemon(GANTRY, self.folder.name)

    def tearDown(self):
        self.daemon.end()
        self.folder.cleanup()

    def command(self, *arguments):
        return [GANTRY, arguments[0], "--socket", self.daemon.socket, *arguments[1:]]

    def run_it(self, *arguments, text=""):
        return subprocess.run(self.command(*arguments), input=text, capture_output=True, timeout=60,
                              text=True, env=self.daemon.environment(), check=False)

    def test_it_prints_the_answer_and_nothing_else(self):
        done = self.run_it("ask", "@script reply Hello there")
        self.assertEqual((done.returncode, done.stdout), (0, "Hello there\n"))

    def test_words_may_come_on_standard_input(self):
        done = self.run_it("ask", text="@script thinking hm\n@script reply From a pipe")
        self.assertEqual((done.returncode, done.stdout), (0, "From a pipe\n"))
        self.assertEqual(self.run_it("ask", text=" \n").returncode, USAGE)

    def test_a_question_that_nobody_takes_is_refused_with_the_limit(self):
        config = os.path.join(self.folder.name, "gantry.yaml")
        done = subprocess.run([GANTRY, "ask", "--config", config], input="a" * 10_500_000,
                              capture_output=True, timeout=60, text=True,
                              env=self.daemon.environment(), check=False)
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertIn("the question has 10500000 bytes; at most 10485760 are taken", done.stderr)

    def test_a_daemon_that_does_not_want_the_whole_request_is_heard(self):
        done = self.run_it("ask", text="a" * 20_000_000)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the body may have 10485760 bytes at most", done.stderr)

    def test_json_has_one_event_a_line(self):
        done = self.run_it("ask", "--json", "@script reply Hello")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([e["sequence"] for e in events], list(range(1, len(events) + 1)))
        self.assertEqual(events[-1]["kind"], "TurnFinished")
        self.assertEqual(events[-1]["body"]["final_text"], "Hello")

    def test_an_answer_without_a_word_is_told(self):
        for script, words in (("chunks []", "The model answered without a word.\n"),
                              ('chunks [" "]', "The model answered without a word.\n"),
                              ("finish length", "The model reached its limit of tokens before it "
                                                "said a word.\n")):
            done = self.run_it("ask", "@script " + script)
            self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "", words))
        done = self.run_it("ask", "--json", '@script chunks [" "]')
        end = json.loads(done.stdout.splitlines()[-1])["body"]
        self.assertTrue(end["final_was_empty"])
        self.assertIn("empty final response", end["final_text"])  # what the socket's clients get

    def test_control_characters_of_a_model_do_not_reach_the_terminal(self):
        done = self.run_it("ask", '@script chunks ["a\\u001b]0;x\\u0007b"]')
        self.assertEqual(done.stdout, "a]0;xb\n")

    def test_a_failure_is_told(self):
        done = self.run_it("ask", "@script error rate_limit too many")
        self.assertEqual(done.returncode, 1)
        self.assertIn("too many", done.stderr)
        done = self.run_it("ask", "--model", "no-such-model", "hello")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no model 'no-such-model'; there are scripted/", done.stderr)
        self.assertIn("--target PLUGIN", done.stderr)

    def with_plugins(self, plugins):
        self.daemon.end()
        self.daemon = AgentDaemon(GANTRY, self.folder.name, plugins)

    def test_an_answer_of_the_planner_says_so(self):
        self.with_plugins("  llm_rules: {}\n")
        done = self.run_it("ask", "wait 0 seconds")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1],
                         "(The rule planner's answer; no language model was asked.)")

    def test_the_planner_does_not_answer_for_a_model_that_cannot_be_reached(self):
        with socket.socket() as nobody:  # bound, and not listening: connections are refused
            nobody.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
            self.with_plugins("  llm_rules: {}\n  llm_openai: {config: {endpoints: "
                              f"[{{name: ollama, base_url: '{address}'}}]}}}}\n")
            done = self.run_it("ask", "dance")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("the model that is configured cannot be asked: ollama: ", done.stderr)
            done = self.run_it("ask", "--model", "rules", "dance")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_planner_does_not_answer_for_a_provider_without_its_key(self):
        self.with_plugins("  llm_rules: {}\n  llm_anthropic: {config: {default_model: claude-x}}\n")
        done = self.run_it("ask", "wait 0 seconds")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the model that is configured cannot be asked: anthropic: no API key is known",
                      done.stderr)
        self.assertIn("ANTHROPIC_API_KEY", done.stderr)
        self.assertEqual(done.stderr.count("(cure: "), 1)
        self.assertIn("a provider that is configured has no API key", self.daemon.printed.text)
        self.with_plugins("  llm_rules: {}\n  llm_anthropic: {}\n")
        done = self.run_it("ask", "wait 0 seconds")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_named_model_whose_server_does_not_answer_says_why(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
            self.with_plugins("  llm_openai: {config: {endpoints: "
                              f"[{{name: lab, base_url: '{address}', requires_key: false}}]}}}}\n")
            done = self.run_it("ask", "--model", "lab/qwen", "hello")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the model 'lab/qwen' cannot be asked: lab: ", done.stderr)
            done = self.run_it("ask", "--model", "qwen", "hello")
            self.assertIn("there is no model 'qwen'", done.stderr)
            self.assertIn("; lab cannot be asked", done.stderr)
            self.assertNotIn("127.0.0.1", done.stderr)

    def test_a_server_without_what_is_needed_to_ask_it_is_found_by_check(self):
        config = os.path.join(self.folder.name, "server.yaml")

        def check(endpoint):
            with open(config, "w", encoding="utf-8") as file:
                file.write("profile: minimal\nplugins:\n  llm_openai:\n    config:\n      endpoints:\n"
                           f"        - {{{endpoint}}}\n")
            return subprocess.run([GANTRY, "check", "--config", config], capture_output=True, timeout=60,
                                  text=True, env=self.daemon.environment(), check=False)
        for endpoint, key in (("name: lab", "base_url"), ("base_url: 'http://x/v1'", "name"),
                              ("name: ollama, models: [{display_name: x}]", "models[0].id")):
            done = check(endpoint)
            self.assertEqual(done.returncode, CONFIG, done.stderr)
            self.assertIn("server.yaml:6: error: plugins.llm_openai.config.endpoints[0]."
                          f"{key}: is required and not set", done.stderr)
        known = ("ollama", "llama_server", "vllm", "litellm", "openwebui", "openrouter", "mistral",
                 "kimi_coding")
        for name in known:
            self.assertEqual(check(f"name: {name}").returncode, 0, name)
        # The plugin knows those names as well: it starts.
        self.with_plugins("  llm_openai: {config: {endpoints: [" +
                          ", ".join(f"{{name: {name}, discover: false}}" for name in known) + "]}}\n")

    def test_doctor_tells_which_models_can_be_asked_and_which_answers(self):
        def lines(*options):
            done = self.run_it("doctor", "--json", *options)
            return [(line["grade"], line["finding"], line["cure"])
                    for line in json.loads(done.stdout)["lines"] if line["area"] == "language models"]
        self.assertEqual(lines(), [
            ("ok", "llm_scripted: 1 model of scripted can be asked", ""),
            ("ok", "gantry ask is answered by scripted/scripted", "")])
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            port = nobody.getsockname()[1]
            self.with_plugins("  llm_rules: {}\n  llm_openai: {config: {endpoints: "
                              f"[{{name: lab, base_url: 'http://127.0.0.1:{port}/v1'}}]}}}}\n")
            with open(self.daemon.config, encoding="utf-8") as file:
                config = file.read().replace("  llm_scripted: {}\n", "")
            with open(self.daemon.config, "w", encoding="utf-8") as file:
                file.write(config)
            self.daemon.process.send_signal(signal.SIGHUP)
            self.daemon.printed.wait_for("configuration reloaded")
            found = lines()
            self.assertIn("OPENAI_API_KEY", found[0][2])
            self.assertIn(("ok", "llm_rules: 1 model of rules can be asked", ""), found)
            self.assertTrue(any(grade == "note" and f"lab: no answer from 127.0.0.1:{port}" in told
                                for grade, told, _ in found), found)
            grade, told, _ = found[-1]
            self.assertEqual(grade, "note")
            self.assertIn("gantry ask: the model that is configured cannot be asked: lab: ", told)
            self.daemon.end()
            alone = subprocess.run([GANTRY, "doctor", "--config", self.daemon.config], timeout=60,
                                   capture_output=True, text=True, env=self.daemon.environment(),
                                   check=False)
            self.assertIn("llm_rules: 1 model of rules can be asked", alone.stdout)

    def test_a_provider_that_a_reload_brings_is_asked_from_then_on(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
            self.with_plugins("  llm_rules: {}\n  llm_openai: {}\n")
            self.assertEqual(self.run_it("ask", "--model", "rules", "wait 0 seconds").returncode, 0)
            with open(self.daemon.config, encoding="utf-8") as file:
                before = file.read()
            with open(self.daemon.config, "w", encoding="utf-8") as file:
                file.write(before.replace("llm_openai: {}", "llm_openai: {config: {endpoints: "
                           f"[{{name: lab, base_url: '{address}', requires_key: false, "
                           "discover: false, models: [{id: good}]}]}}"))
            self.daemon.process.send_signal(signal.SIGHUP)
            self.daemon.printed.wait_for("configuration reloaded")
            done = self.run_it("ask", "hello")  # the planner no longer answers
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            done = self.run_it("ask", "--model", "lab/good", "hello")
            self.assertNotIn("there is no model", done.stderr)

    def test_a_model_that_comes_to_its_server_later_is_found(self):
        models = ["old"]

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps({"data": [{"id": model} for model in models]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.with_plugins("  llm_openai: {config: {discover_ttl: 1s, endpoints: [{name: lab, "
                              f"base_url: 'http://127.0.0.1:{server.server_port}/v1', "
                              "requires_key: false}]}}\n")
            told = self.run_it("ask", "--model", "lab/new", "hello").stderr
            self.assertIn("there is no model 'lab/new'", told)
            models.append("new")
            eventually("the new model", lambda: "there is no model" not in self.run_it(
                "ask", "--model", "lab/new", "hello").stderr)
            server.shutdown()

    def test_what_would_need_consent_is_said_to_need_yes(self):
        self.daemon.end()
        self.daemon = AgentDaemon(GANTRY, self.folder.name, "  tools_files: {}\n")
        refusal = "@script reply It needs the tool write_file, which this session does not offer."
        self.assertIn("write_file was not offered; --yes allows it", self.run_it("ask", refusal).stderr)
        for arguments in (("ask", "--yes", refusal), ("ask", "@script reply Hello")):
            self.assertNotIn("--yes", self.run_it(*arguments).stderr)

    def test_tools_work_in_the_current_folder(self):
        self.daemon.end()
        here = os.path.join(self.folder.name, "here")
        os.mkdir(here)
        with open(os.path.join(here, "note.txt"), "w", encoding="utf-8") as file:
            file.write("found it")
        self.daemon = AgentDaemon(GANTRY, self.folder.name,
                                  f"  tools_files: {{config: {{workspaces: [{self.folder.name}]}}}}\n")
        done = subprocess.run(
            self.command("ask", '@script tool read_file {"file_path":"note.txt"}\n@script reply ok'),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=60, text=True, cwd=here,
            env=self.daemon.environment(), check=False)
        self.assertIn("found it", done.stderr)

    def test_a_conversation_goes_on(self):
        self.assertEqual(self.run_it("ask", "--session", "s", "@script reply Paris").returncode, 0)
        done = self.run_it("ask", "--session", "s", "@script show messages")
        self.assertIn("Paris", done.stdout)

    def test_chat_takes_line_after_line(self):
        done = self.run_it("chat", text="@script reply one\n\n@script reply two\n/exit\n")
        self.assertEqual((done.returncode, done.stdout), (0, "one\ntwo\n"))

    def test_an_unknown_command_of_the_chat_is_no_question(self):
        done = self.run_it("chat", text="/clear\n@script reply one\n/exit\n")
        self.assertEqual((done.returncode, done.stdout), (0, "one\n"))
        self.assertIn("there is no command /clear; /help lists them", done.stderr)
        done = self.run_it("chat", text="/help\n/exit now\n")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"(?s)/help.*/exit")
        self.assertNotIn("there is no command", done.stderr)
        # Whoever pastes a comment or a path means no command.
        text = "".join(line + "\n" for line in ("// hm", "/tmp/x is what?", " /clear", "/ hm"))
        done = self.run_it("chat", text=text)
        self.assertNotIn("there is no command", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 4, done.stdout)

    def test_interrupting_stops_the_turn(self):
        process = subprocess.Popen(
            self.command("ask", "--json", "@script reply begin\n@script delay 60s\n@script reply end"),
            stdout=subprocess.PIPE, text=True, env=self.daemon.environment())
        for line in process.stdout:
            if json.loads(line)["kind"] == "TextDelta":
                break
        process.send_signal(signal.SIGINT)
        rest = [json.loads(line) for line in process.stdout]
        self.assertEqual(process.wait(30), INTERRUPTED)
        process.stdout.close()
        self.assertEqual(rest[-1]["body"]["end"], "Cancelled")

    def test_without_a_daemon_it_starts_what_it_needs(self):
        self.daemon.end()
        config = os.path.join(self.folder.name, "gantry.yaml")
        done = subprocess.run([GANTRY, "ask", "--config", config, "@script reply Alone"],
                              capture_output=True, timeout=60, text=True,
                              env=self.daemon.environment(), check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "Alone\n"), done.stderr)

    def test_a_wrong_configuration_is_told_as_check_does(self):
        config = os.path.join(self.folder.name, "wrong.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("profile: minimal\nplugins:\n  agent_engine: {config: {no_such_key: 1}}\n")

        def run(*arguments):
            return subprocess.run([GANTRY, *arguments, "--config", config], capture_output=True,
                                  timeout=60, text=True, env=self.daemon.environment(),
                                  stdin=subprocess.DEVNULL, check=False)
        checked = run("check")
        self.assertEqual(checked.returncode, CONFIG)
        self.assertIn("wrong.yaml:3", checked.stderr)
        for command in (("ask", "hello"), ("plugins",), ("call", "gantry.kernel.health/1"),
                        ("tools",), ("say", "hello"), ("ocr", config)):
            done = run(*command, "--in-process")
            self.assertEqual(done.returncode, CONFIG, command)
            self.assertIn(checked.stderr.strip(), done.stderr)

    def test_the_examples_of_the_page(self):
        with open(os.path.join(SOURCE, "docs/agent.md"), encoding="utf-8") as file:
            page = file.read()
        examples = re.findall(r"```console\n(.*?)```", page, re.S)
        self.assertGreaterEqual(len(examples), 2)
        for example in examples:
            # A command goes on in lines that begin with "> ", as in a shell.
            lines = example.removeprefix("$ ").split("\n")
            more = next(i for i in range(1, len(lines) + 1) if not lines[i].startswith("> "))
            command = "\n".join([lines[0], *(line[2:] for line in lines[1:more])])
            expected = "\n".join(lines[more:])
            words = shlex.split(command)
            self.assertEqual(words[0], "gantry")
            done = self.run_it(*words[1:])
            self.assertEqual(done.stdout + done.stderr, expected, command)


if __name__ == "__main__":
    GANTRY, SOURCE = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
    unittest.main(verbosity=2)
