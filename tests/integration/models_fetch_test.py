#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `gantry models fetch` takes into the folder of models, and what it refuses, from a registry of the test's own.

usage: models_fetch_test.py SOURCE_DIR GANTRY_BINARY
"""
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE, GANTRY = sys.argv.pop(1), sys.argv.pop(1)
WORDS = b"the weights"
# What stands for npm: `npm pack --silent --ignore-scripts NAME@VERSION` puts the tarball where it is called.
NPM = """#!/bin/sh
echo "$*" >> "$REGISTRY/asked"
cp "$REGISTRY/model.tgz" ./model.tgz && echo model.tgz
"""


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Fetching(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        at = self.path
        os.makedirs(at("registry"))
        shutil.copy(os.path.join(SOURCE, "config/models/fetch"), at("fetch"))
        self.write("registry/npm", NPM.encode())
        os.chmod(at("registry/npm"), 0o755)
        with tarfile.open(at("registry/model.tgz"), "w:gz") as tarball:
            for name, content in (("package/a.bin", WORDS), ("package/install.js", b"not wanted")):
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tarball.addfile(entry, io.BytesIO(content))
        with open(at("registry/model.tgz"), "rb") as tarball:
            self.tarball = sha256(tarball.read())

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def fetch(self, *names, tarball=None, file=None, member="package/a.bin"):
        self.write("list.txt", (f"pack ear registry-package 1.0.0 {tarball or self.tarball} MIT hears\n"
                                f"file ear/a.bin {member} {file or sha256(WORDS)}\n").encode())
        return self.run_it("bash", self.path("fetch"), self.path("models"), *names)

    def run_it(self, *command):
        environment = dict(os.environ, REGISTRY=self.path("registry"), GANTRY_MODELS_DIR=self.path("models"),
                           PATH=self.path("registry") + os.pathsep + os.environ["PATH"])
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    def models(self, *words):
        return self.run_it(GANTRY, "models", *words)

    def there(self):
        """Every file in the folder of models, also those of a fetch that has not ended."""
        return sorted(os.path.relpath(os.path.join(at, name), self.path("models"))
                      for at, _, names in os.walk(self.path("models")) for name in names)

    def asked(self):
        try:
            with open(self.path("registry/asked"), encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def test_the_listed_files_of_the_pinned_package_are_taken_once(self):
        for _ in range(2):
            done = self.fetch()
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.there(), ["ear/a.bin"])
        self.assertEqual(self.asked(), ["pack --silent --ignore-scripts registry-package@1.0.0"])
        with open(self.path("models/ear/a.bin"), "rb") as file:
            self.assertEqual(file.read(), WORDS)

    def test_another_package_than_the_pinned_one_is_refused(self):
        done = self.fetch(tarball=sha256(b"another"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not the package that list.txt names", done.stderr)
        self.assertEqual(self.there(), [])

    def test_a_file_that_is_another_or_not_there_is_refused(self):
        done = self.fetch(file=sha256(b"another"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("package/a.bin of registry-package@1.0.0 has another sha256", done.stderr)
        self.assertEqual(self.fetch(member="package/none.bin").returncode, 1)
        self.assertEqual(self.there(), [])

    def test_a_spoilt_file_is_fetched_again(self):
        self.assertEqual(self.fetch("ear").returncode, 0)
        self.write("models/ear/a.bin", b"spoilt")
        self.assertEqual(self.fetch("ear").returncode, 0)
        with open(self.path("models/ear/a.bin"), "rb") as file:
            self.assertEqual(file.read(), WORDS)

    def test_a_pack_that_is_not_listed_is_refused_before_anything_is_fetched(self):
        done = self.fetch("eye")
        self.assertEqual(done.returncode, 64)
        self.assertIn("list.txt has no 'eye'", done.stderr)
        self.assertEqual(self.asked(), [])

    def test_the_command_says_by_its_status_whether_the_files_are_what_the_list_says(self):
        self.assertEqual(self.models("list").returncode, 0)
        verified = self.models("verify", "--json")
        self.assertEqual(verified.returncode, 1)
        self.assertFalse(json.loads(verified.stdout)["ok"])
        self.assertIn("cure: gantry models fetch", self.models("verify").stdout)
        fetched = self.models("fetch", "silero", "--json")  # which the registry of the test does not have
        self.assertEqual((fetched.returncode, fetched.stdout), (1, ""))
        self.assertIn("is not the package that list.txt names", fetched.stderr)
        self.assertEqual(self.there(), [])
        self.assertEqual(self.models("mend").returncode, 64)


unittest.main()
