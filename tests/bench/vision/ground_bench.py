#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scores gantry.vision.locate/1 on the descriptions of corpus.py: how often the point that is
answered lies in the box that is meant. From pictures alone: no tree, no model.

    corpus.py FOLDER; vision_bench FOLDER --pages; ground_bench.py FOLDER BUILD_DIR [--set KEY=VALUE]

Prints a line for each sort of description, each program that drew pages and each source of answers,
for open and frozen pages. --only SORT,… and --pages N,… score a part of them.
"""
import argparse
import base64
import collections
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from daemon_bench import Daemon  # noqa: E402

PLUGINS = ["perception", "ocr_tesseract", "vision_cv", "vision_ground"]


def print_score(name, hits):
    print(f"{name:<28} {sum(hits):4d} of {len(hits):4d}  {100 * sum(hits) / len(hits):5.1f} %")


def score_all(asked, daemon, scores):
    for line in (asked.folder / "targets.tsv").read_text().splitlines():
        page, program, sort, description, *box = line.split("\t")
        if (asked.only and sort not in asked.only.split(",")) or (
                asked.pages and page not in asked.pages.split(",")):
            continue
        x, y, width, height = map(int, box)
        half = "open" if int(page) % 2 == 0 else "frozen"
        file = (asked.folder / f"page-{page}.png").read_bytes()
        status, answer = daemon.call("gantry.picture.locate/1?timeout_ms=60000", {
            "file": base64.b64encode(file).decode(), "description": description, "max_results": 1})
        best = answer["matches"][0] if status == 200 else None
        hit = bool(best) and x <= best["x"] < x + width and y <= best["y"] < y + height
        scores[half, sort].append(hit)
        scores[half, "all"].append(hit)
        scores[half, "drawn by " + program].append(hit)
        if best:
            scores[half, "answered by " + best["source"]].append(hit)
        if asked.misses and not hit and half == "open":
            what = f"{best['x']},{best['y']}: {best['reason']}" if best else answer["error"]["message"]
            print(f"page {page}: {description} at {x},{y}: {what}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--pages", default="")
    asked = parser.parse_args()
    scores = collections.defaultdict(list)
    enabled = [f"plugins.{name}.enabled=true" for name in PLUGINS]
    daemon = Daemon(asked.build, "minimal", enabled + asked.set)
    try:
        score_all(asked, daemon, scores)
    except KeyboardInterrupt:
        print("stopped early; so far:")
    daemon.stop()
    for (half, sort), hits in sorted(scores.items()):
        print_score(f"{half} {sort}", hits)
    return 0


if __name__ == "__main__":
    sys.exit(main())
