#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""gantry say, listen and voice, from outside, with sound in files: Flite says what the wake phrase and
the recogniser then hear, the rule planner acts on the mock desktop, and Flite answers.

usage: voice_test.py GANTRY_BINARY
"""
import array
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import wave

GANTRY = ""
UNAVAILABLE, USAGE = 69, 64
SPEAKERS = "  tts_flite: {}\n  tts_espeak: {config: {program: /nowhere/espeak-ng}}\n  tts_openai: {}\n"
CONFIG = f"""profile: minimal
kernel: {{prefer: {{gantry.voice.render/1: tts_flite, gantry.voice.say/1: tts_flite}}}}
plugins:
{SPEAKERS}"""
EARS = "  stt_pocketsphinx: {config: {listen_for: commands}}\n"
HANDS_FREE = """  wakeword: {}
  stt_pocketsphinx: {}
  store: {config: {path: FOLDER/store.db}}
  agent_engine: {}
  llm_rules: {}
  guard: {}
  mock: {}
  observation: {}
"""


def read(file):
    with wave.open(file) as sound:
        form = (sound.getframerate(), sound.getnchannels(), sound.getsampwidth())
        return form, array.array("h", sound.readframes(sound.getnframes()))


def loudness(samples):
    return math.sqrt(sum(one * one for one in samples) / max(1, len(samples)))


def resampled(samples):
    """From 22,050 to 16,000 a second: each is the mean of those that it stands for."""
    step = 22050 / 16000
    out = []
    for i in range(int(len(samples) / step) - 1):
        some = samples[int(i * step):int(i * step) + 2]
        out.append(sum(some) // len(some))
    return out


class Voice(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.config(CONFIG)

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def config(self, text):
        with open(self.file("gantry.yaml"), "w", encoding="utf-8") as out:
            out.write(text.replace("FOLDER", self.folder.name))

    def run_it(self, *arguments, text="", sound=None, path=None):
        environment = {"HOME": self.folder.name, "PATH": path or os.environ["PATH"]}
        return subprocess.run([GANTRY, arguments[0], "-c", self.file("gantry.yaml"), "--in-process",
                               *arguments[1:]], input=sound or text.encode(), capture_output=True,
                              timeout=120, env=environment, check=False)

    def say(self, text, name):
        done = self.run_it("say", text, "-o", self.file(name))
        self.assertEqual(done.returncode, 0, done.stderr)
        return read(self.file(name))

    def test_a_text_becomes_a_file(self):
        done = self.run_it("say", "--json", "-o", self.file("a.wav"), "**Hello** there.", "Done.")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(told["sentences"], ["Hello there.", "Done."])
        self.assertEqual(told["file"], self.file("a.wav"))
        form, samples = read(self.file("a.wav"))
        self.assertEqual(form, (22050, 1, 2))
        self.assertAlmostEqual(told["seconds"], len(samples) / 22050, delta=0.02)
        self.assertGreater(loudness(samples), 300)

    def test_a_text_may_come_on_standard_input_and_go_to_standard_output(self):
        done = self.run_it("say", "-o", "-", text="From a pipe.")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout[:4], b"RIFF")
        with open(self.file("b.wav"), "wb") as out:
            out.write(done.stdout)
        self.assertGreater(loudness(read(self.file("b.wav"))[1]), 300)

    def test_what_cannot_be_said_ends_with_a_reason(self):
        for code, words, arguments in (
                (USAGE, "usage", ["say", " "]),
                (USAGE, "standard output", ["say", "--json", "-o", "-", "Hello."]),
                (1, "nothing to say", ["say", "-o", self.file("c.wav"), "```x```"]),
                (1, "no voice 'nobody'", ["say", "--voice", "nobody", "-o", self.file("c.wav"), "Hello."]),
                (1, "cannot write", ["say", "-o", "/nowhere/c.wav", "Hello."]),
                (UNAVAILABLE, "apt-get install espeak-ng",
                 ["say", "-t", "tts_espeak", "-o", self.file("c.wav"), "Hello."]),
                (UNAVAILABLE, "OPENAI_API_KEY",
                 ["say", "-t", "tts_openai", "-o", self.file("c.wav"), "Hello."])):
            with self.subTest(words):
                done = self.run_it(*arguments)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(words, done.stderr.decode())
                self.assertFalse(os.path.exists(self.file("c.wav")))

    def test_without_a_playing_program_it_is_unavailable(self):
        done = self.run_it("say", "--json", "Hello.", path=self.folder.name)
        self.assertEqual(done.returncode, UNAVAILABLE)
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "unavailable")
        self.assertIn("aplay", done.stderr.decode())

    def test_a_playing_program_gets_the_samples_and_its_failure_is_told(self):
        player = self.file("aplay")
        with open(player, "w", encoding="utf-8") as out:
            out.write(f'#!/bin/sh\necho "$@" > {self.file("words")}\n/bin/cat > {self.file("sound")}\n')
        os.chmod(player, 0o700)
        done = self.run_it("say", "Hello.", path=self.folder.name + ":/nowhere")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.file("words"), encoding="utf-8") as words:
            self.assertEqual(words.read(), "-q -t raw -f S16_LE -c 1 -r 22050\n")
        self.assertGreater(os.path.getsize(self.file("sound")), 20000)
        with open(player, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\nexit 1\n")
        done = self.run_it("say", "Hello.", path=self.folder.name + ":/nowhere")
        self.assertEqual(done.returncode, UNAVAILABLE)
        self.assertIn("no sound device", done.stderr.decode())

    def talk(self, *parts):
        sound = array.array("h", [0] * 11025)
        for number, part in enumerate(parts):
            sound.extend(self.say(part, f"part{number}.wav")[1])
            sound.extend([0] * 22050)
        with wave.open(self.file("talk.wav"), "wb") as out:
            out.setparams((1, 2, 22050, len(sound), "NONE", ""))
            out.writeframes(sound.tobytes())

    def listen(self, *arguments, code=0, **given):
        done = self.run_it("listen", *arguments, **given)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode() if code == 0 else done.stderr.decode()

    def test_a_file_and_standard_input_become_words(self):
        self.config(CONFIG + EARS)
        self.talk("Which windows are open?", "Take a screenshot.")
        self.assertEqual(self.listen(self.file("talk.wav")), "which windows are open\ntake a screenshot\n")
        with open(self.file("talk.wav"), "rb") as sound:
            heard = json.loads(self.listen("--json", "-", sound=sound.read()))
        self.assertEqual(heard["text"], "which windows are open take a screenshot")
        self.assertIn("pocketsphinx", heard["route"])
        first, second = heard["utterances"]
        self.assertLess(first["begin_ms"], first["end_ms"])
        self.assertLess(first["end_ms"], second["end_ms"])

    def test_a_file_of_more_than_a_minute_is_heard_once_and_with_its_times(self):
        self.config(CONFIG + EARS)
        self.talk(*["Take a screenshot."] * 30)
        heard = json.loads(self.listen("--json", self.file("talk.wav")))
        self.assertEqual([one["text"] for one in heard["utterances"]], ["take a screenshot"] * 30)
        begins = [one["begin_ms"] for one in heard["utterances"]]
        self.assertEqual(begins, sorted(begins))
        seconds = len(read(self.file("talk.wav"))[1]) / 22050
        self.assertGreater(seconds, 61)
        self.assertGreater(begins[-1] / 1000, seconds - 4)

    def test_what_cannot_be_heard_ends_with_a_reason(self):
        self.config(CONFIG + EARS)
        with open(self.file("text.wav"), "w", encoding="utf-8") as out:
            out.write("This is no sound.")
        self.assertIn("WAV", self.listen(self.file("text.wav"), code=1))
        self.assertIn("nothing.wav", self.listen(self.file("nothing.wav"), code=1))
        self.assertIn("usage", self.listen("a.wav", "b.wav", code=USAGE))
        self.talk("Hello.")
        self.config(CONFIG)
        self.assertIn("gantry.speech.transcribe", self.listen(self.file("talk.wav"), code=UNAVAILABLE))

    def test_a_microphone_is_heard_through_a_program_and_missed_without_one(self):
        self.config(CONFIG + EARS)
        self.assertIn("arecord", self.listen(path=self.folder.name, code=UNAVAILABLE))
        recorder = self.file("arecord")
        with open(recorder, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\necho no such device >&2\nexit 1\n")
        os.chmod(recorder, 0o700)
        self.assertIn("no such device", self.listen(path=self.folder.name, code=UNAVAILABLE))
        self.talk("Take a screenshot.")
        with open(self.file("raw"), "wb") as out:
            out.write(array.array("h", resampled(read(self.file("talk.wav"))[1])).tobytes())
        with open(recorder, "w", encoding="utf-8") as out:
            out.write(f'#!/bin/sh\n/bin/cat {self.file("raw")}\n')
        done = self.run_it("listen", path=self.folder.name)
        self.assertEqual(done.stdout.decode(), "take a screenshot\n", done.stderr)

    def hear(self):
        done = self.run_it("voice", "--json", "--input", self.file("talk.wav"), "-o", self.file("answer.wav"))
        lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return done, lines

    def test_a_command_after_the_wake_phrase_is_obeyed_and_answered_aloud(self):
        self.config(CONFIG + HANDS_FREE)
        self.talk("The weather is nice.", "Hey computer.", "Which windows are open?")
        done, lines = self.hear()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line["wake"] for line in lines if "wake" in line], ["hey computer"])
        self.assertEqual([line["heard"] for line in lines if "heard" in line], ["which windows are open"])
        finished = [line for line in lines if line.get("kind") == "TurnFinished"]
        self.assertEqual(len(finished), 1)
        said = [line["said"] for line in lines if "said" in line]
        self.assertEqual(said, ["Yes?", finished[0]["body"]["final_text"]])
        self.assertIn("window", said[1])
        form, samples = read(self.file("answer.wav"))
        self.assertEqual(form, (22050, 1, 2))
        self.assertGreater(len(samples), 22050)

    def test_without_the_wake_phrase_nothing_is_done(self):
        self.config(CONFIG + HANDS_FREE)
        self.talk("Which windows are open?")
        done, lines = self.hear()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(lines, [])
        self.assertIn("no wake phrase", done.stderr.decode())


if __name__ == "__main__":
    GANTRY = sys.argv.pop(1)
    unittest.main()
