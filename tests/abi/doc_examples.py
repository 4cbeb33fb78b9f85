#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the code in docs/ is code that is compiled and tested.

usage: doc_examples.py ROOT PAGE…

A fenced block after `<!-- from: FILE -->` must stand in FILE word for word. A block in C or C++ without
such a line is an error: nobody would notice when it no longer compiles.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"(?:<!-- from: (\S+) -->\n)?```(\w*)\n(.*?)```", re.S)


def main(root, pages):
    root, problems, blocks = pathlib.Path(root), [], 0
    for page in pages:
        text = (root / page).read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            source, language, code = match.groups()
            where = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
            if source is None:
                if language in ("c", "cpp"):
                    problems.append(f"{where}: code without a `from:` line")
                continue
            blocks += 1
            if code not in (root / source).read_text(encoding="utf-8"):
                problems.append(f"{where}: not in {source} word for word")
    print("\n".join(problems) if problems else f"{blocks} examples are as their sources have them")
    return 1 if problems or blocks == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
