#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the C ABI headers for two tests.

  abi_headers.py check FOLDER            every function is tagged with thread, owner and blocking; only C
                                         types and the two C headers appear
  abi_headers.py layout-source FOLDER    prints a C program that prints the layout of every struct, the
                                         order of every table and the value of every constant

The headers are formatted by clang-format, so a parser of this size understands them; a struct that it
does not understand is an error, not a gap.
"""
import pathlib
import re
import sys

ALLOWED_INCLUDES = {"stddef.h", "stdint.h"}
# What a header that a C compiler reads could still smuggle in behind #ifdef __cplusplus.
FORBIDDEN = ["std::", "Poco", "boost", "Boost", "cv::", "template", "class ", "namespace", "bool",
             "long ", "wchar_t", "FILE"]
TAGS = {"thread": re.compile(r"\[thread: [^\]]+\]"), "owner": re.compile(r"\[owner: [^\]]+\]"),
        "may block": re.compile(r"\[may block: (yes|no)\]")}
FUNCTION_POINTER = re.compile(r"\(\*\s*(\w+)\)\s*\(")


class Member:
    def __init__(self, code, comment):
        self.code = " ".join(code.split())
        self.comment = " ".join(comment.replace("*", " ").split())
        pointer = FUNCTION_POINTER.search(self.code)
        self.is_function = pointer is not None
        if pointer:
            self.names = [pointer.group(1)]
        else:
            first, *rest = self.code.split(",")
            self.names = [re.search(r"(\w+)$", part.strip()).group(1) for part in [first, *rest]]


def members(text):
    """Members with the comment above them or behind them on the same line."""
    found, code, above, last_was_member = [], "", "", False
    for piece in re.split(r"(/\*.*?\*/|;|\n)", text, flags=re.S):
        if piece.startswith("/*"):
            if last_was_member:  # behind the member, same line
                found[-1].comment += " " + " ".join(piece.strip("/* ").replace("*", " ").split())
            else:
                above += piece.strip("/")
        elif piece == ";":
            found.append(Member(code, above))
            code, above, last_was_member = "", "", True
        elif piece == "\n":
            last_was_member = False
            code += " "
        else:
            code += piece
            if piece.strip():
                last_was_member = False
    if code.strip():
        raise SystemExit(f"abi_headers: cannot understand '{code.strip()}'")
    return found


def body_of(text, start):
    """The text between the brace at or after `start` and its partner, and the index behind it."""
    opened = text.index("{", start)
    depth = 0
    for i in range(opened, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[opened + 1:i], i + 1
    raise SystemExit("abi_headers: unbalanced braces")


class Header:
    def __init__(self, path):
        self.name = path.name
        self.text = path.read_text(encoding="utf-8")
        self.code = re.sub(r"/\*.*?\*/", "", self.text, flags=re.S)
        self.structs = {}
        for match in re.finditer(r"^(?:typedef )?struct (\w+) \{", self.text, flags=re.M):
            self.structs[match.group(1)] = members(body_of(self.text, match.start())[0])
        self.callbacks = []  # typedefs of functions
        for match in re.finditer(r"^typedef [^;{]*?\(\*(\w+)\)[^;]*;", self.text, flags=re.M):
            above = re.search(r"/\*((?:(?!\*/).)*)\*/\s*$", self.text[:match.start()], flags=re.S)
            self.callbacks.append(Member(match.group(0)[:-1], above.group(1) if above else ""))
        self.constants = []
        for match in re.finditer(r"^enum \w* ?\{", self.text, flags=re.M):
            body = re.sub(r"/\*.*?\*/", "", body_of(self.text, match.start())[0], flags=re.S)
            self.constants += re.findall(r"(GANTRY_\w+)\s*=", body)
        self.constants += [n for n, v in re.findall(r"^#define (GANTRY_\w+) (\S+)", self.text, flags=re.M)
                           if v[0].isdigit()]
        self.ids = re.findall(r'^#define (GANTRY_\w+) "', self.text, flags=re.M)


def headers(folder):
    found = [Header(path) for path in sorted(pathlib.Path(folder).glob("*.h"))]
    if not found:
        raise SystemExit(f"abi_headers: there is no header in {folder}")
    return found


def check(folder):
    problems, functions = [], 0
    for header in headers(folder):
        declared = len(FUNCTION_POINTER.findall(re.sub(r"#define.*(\\\n.*)*", "", header.code)))
        tagged = list(header.callbacks)
        for name, list_of_members in header.structs.items():
            tagged += [m for m in list_of_members if m.is_function]
            first = list_of_members[0].names[0]
            if first not in ("size", "magic") and name not in SIZELESS:
                problems.append(f"{header.name}: {name} begins with '{first}' instead of its size")
        functions += len(tagged)
        # Function pointers among the parameters of others need no tags: their typedefs or the text do.
        declared -= sum(len(FUNCTION_POINTER.findall(m.code)) - 1 for m in tagged)
        if declared != len(tagged):
            problems.append(f"{header.name}: {declared} function pointers, {len(tagged)} understood")
        for member in tagged:
            for tag, pattern in TAGS.items():
                if not pattern.search(member.comment):
                    problems.append(f"{header.name}: {member.names[0]} has no [{tag}: …] tag")
        for include in re.findall(r'#include [<"]([^>"]+)[>"]', header.code):
            if include not in ALLOWED_INCLUDES and not include.startswith("gantry/abi/"):
                problems.append(f"{header.name}: includes {include}")
        for word in FORBIDDEN:
            if word in header.code:
                problems.append(f"{header.name}: '{word.strip()}' must not cross the boundary")
    print("\n".join(problems) if problems else f"{functions} functions are tagged")
    return 1 if problems else 0


# Values that never change within a major version, so they carry no size (types.h says so).
SIZELESS = {"gantry_str", "gantry_buf", "gantry_error", "gantry_closure", "gantry_log_field"}


def layout_source(folder):
    lines = ["#include <stdio.h>"]
    found = headers(folder)
    lines += [f"#include <gantry/abi/{h.name}>" for h in found]
    lines += ["#define MEMBER(s, m) \\",
              '  printf("  %3zu %3zu %s\\n", offsetof(s, m), sizeof(((s*)0)->m), #m)',
              "int main(void) {"]
    for header in found:
        for name, list_of_members in header.structs.items():
            lines.append(f'  printf("{name} size %zu align %zu\\n", sizeof(struct {name}),'
                         f" _Alignof(struct {name}));")
            lines += [f"  MEMBER(struct {name}, {n});" for m in list_of_members for n in m.names]
        lines += [f'  printf("{c} = %lld\\n", (long long){c});' for c in header.constants]
        lines += [f'  printf("{i} = %s\\n", {i});' for i in header.ids]
    lines += ["  return 0;", "}"]
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    commands = {"check": check, "layout-source": layout_source}
    if len(sys.argv) != 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]](sys.argv[2]))
