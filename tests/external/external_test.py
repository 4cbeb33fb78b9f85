#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins that are built outside the tree, as their authors do it, in one daemon.

Installs this build into a prefix; against that prefix builds the template and a copy of it made by
gantry-new-plugin (with their tests) and a caller, the same contract by clang with another layout, and the
same contract in C; starts the installed daemon with all of them; calls each by name, from the command line
and from the C++ caller. Each step says what it did; the first that goes wrong ends the test.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
READY_LIMIT = 30  # seconds
STOP_LIMIT = 5


class Failed(Exception):
    pass


def out_of_time(*_):
    raise Failed(f"the daemon was not ready within {READY_LIMIT} s")


def run(*argv, env=None, check=True, limit=600):
    words = [str(a) for a in argv]
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=limit, check=False)
    if check and done.returncode != 0:
        raise Failed(f"{' '.join(words)}\nexit {done.returncode}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
    return done


def cmake_build(source, build, prefix, *options):
    cache = []
    if shutil.which("ccache"):
        cache = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    # Prefix and build lie in a folder with a new name each time. Relative to it they are the same again, so
    # that the codecs are compiled once and not once for every run and every kind of build of the daemon.
    env = dict(os.environ, CCACHE_BASEDIR=str(build.parent), CCACHE_NOHASHDIR="1")
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", *cache, *options,
        env=env)
    run("cmake", "--build", build, env=env)


def build_plugins(options, prefix, work):
    """Builds all of them; returns {name: folder of the built plugin}."""
    cxx, clang, c = work / "cxx", work / "clang", work / "c"
    run(prefix / "bin/gantry-new-plugin", "my_tool", work / "my_tool")
    cmake_build(HERE / "cxx", cxx, prefix, f"-DCMAKE_CXX_COMPILER={options.cxx}",
                f"-DTEMPLATE={prefix / 'share/gantry/sdk/template'}", f"-DNEW_PLUGIN={work / 'my_tool'}")
    run("ctest", "--test-dir", cxx, "--output-on-failure", "--no-tests=error")
    print("built the template, a new plugin and the relay; their own tests pass")
    cmake_build(HERE / "greeter_c", c, prefix, f"-DCMAKE_C_COMPILER={options.c}")
    print("built the plugin in C")
    compiler = shutil.which("clang++-16") or shutil.which("clang++")
    if compiler is None:
        raise Failed("clang++-16 is not installed (run tools/setup)")
    cmake_build(HERE / "greeter_clang", clang, prefix, f"-DCMAKE_CXX_COMPILER={compiler}")
    print("built the plugin by clang")
    folders = {"greeter": cxx, "my_tool": cxx, "relay": cxx, "greeter_clang": clang, "greeter_c": c}
    return {name: folder / "lib/gantry/plugins" / name for name, folder in folders.items()}


class Daemon:
    def __init__(self, prefix, work, plugins):
        self.gantry = prefix / "bin/gantry"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GANTRY_")}
        self.env.update(HOME=str(work), GANTRY_RUNTIME_DIR=str(work / "run"), XDG_STATE_HOME=str(work / "state"))
        self.config = work / "gantry.yaml"
        entries = "".join(f"  {name}: {{path: \"{path}\", trust: in-process}}\n" for name, path in plugins.items())
        self.config.write_text(f"profile: minimal\nlog: {{format: json}}\nplugins:\n{entries}")
        self.log = work / "daemon.log"

    def __enter__(self):
        run(self.gantry, "check", "--config", self.config, env=self.env)
        self.process = subprocess.Popen([self.gantry, "run", "--config", self.config], env=self.env,
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        signal.signal(signal.SIGALRM, out_of_time)
        signal.alarm(READY_LIMIT)  # readline() below has no limit of its own
        lines = []
        try:
            for line in self.process.stderr:
                lines.append(line)
                if '"ready"' in line:
                    break
            else:
                raise Failed("the daemon ended before it was ready:\n" + "".join(lines[-40:]))
        finally:
            signal.alarm(0)
            self.log.write_text("".join(lines))
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.stderr.close()
        self.process.wait()

    def call(self, contract, request, target=None):
        """(answer, "") or (None, the error text)."""
        where = ["--target", target] if target else []
        done = run(self.gantry, "call", contract, json.dumps(request), "--config", self.config, *where,
                   env=self.env, check=False, limit=30)
        if done.returncode != 0:
            return None, done.stderr.strip() or done.stdout.strip()
        return json.loads(done.stdout), ""

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        _, rest = self.process.communicate(timeout=STOP_LIMIT)
        if self.process.returncode != 0:
            raise Failed(f"the daemon ended with {self.process.returncode}:\n{rest[-4000:]}")


GREETINGS = {
    "greeter": "Hello, {}!",
    "greeter_clang": "Hello dear {} from clang",
    "greeter_c": "Hello, {} from C",
}
NAMES = ["x", "Zoë \"Z\" \\ 😀"]


def expect(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}\n  wanted {wanted!r}\n  found  {found!r}")


def check_calls(daemon):
    calls = 0
    for name in NAMES:
        for target, pattern in GREETINGS.items():
            wanted = pattern.format(name)
            answer, error = daemon.call("example.greet/1", {"name": name}, target)
            expect(f"example.greet/1 by {target}: {error}", (answer or {}).get("greeting"), wanted)
            answer, error = daemon.call("example.relay/1", {"to": target, "name": name})
            expect(f"example.relay/1 to {target}: {error}", answer, {"greeting": wanted})
            calls += 2
    for target in GREETINGS:
        _, error = daemon.call("example.greet/1", {"name": ""}, target)
        expect(f"no name to {target}: '{error}'", "cannot greet nobody" in error, True)
    answer, error = daemon.call("my_tool.greet/1", {"name": "x"})
    expect(f"the new plugin: {error}", answer, {"greeting": "Hello, x!"})
    _, error = daemon.call("example.relay/1", {"to": "nobody", "name": "x"})
    expect(f"relay to nobody: '{error}'", "relaying" in error, True)
    print(f"{calls + len(GREETINGS) + 2} calls were answered as they should")


def check_units(prefix):
    """What the units start is what was installed."""
    for unit in ("gantry.service", "gantry-server.service"):
        text = (prefix / "share/gantry/config/systemd" / unit).read_text()
        program = re.search(r"^ExecStart=(\S+)", text, re.M).group(1)
        expect(f"ExecStart of {unit}", program, str(prefix / "bin/gantry"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "build", "cxx", "c"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gantry-external-") as folder:
        work = pathlib.Path(folder)
        prefix = work / "prefix"
        run("cmake", "--install", options.build, "--prefix", prefix)
        check_units(prefix)
        print("installed")
        plugins = build_plugins(options, prefix, work)
        with Daemon(prefix, work, plugins) as daemon:
            check_calls(daemon)
            daemon.stop()
            print("the daemon stopped in time")


if __name__ == "__main__":
    try:
        main()
    except (Failed, subprocess.TimeoutExpired) as problem:
        sys.exit(f"external_test: {problem}")
