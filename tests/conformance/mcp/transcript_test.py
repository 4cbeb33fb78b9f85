#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Replays a recorded MCP session of the reference program on the made-up desktop, when it is at hand:
in $GANTRY_SHARED, or in ../shared beside the source tree. It is not part of this repository.

usage: transcript_test.py SOURCE_DIR GANTRY_BINARY

Every recorded answer must be given again, with the same members and values; an answer may say more.
What is answered differently on purpose is listed below, with the reason.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import mcp_support as support  # noqa: E402

# The closed list of members that differ from run to run: only their kind is compared.
VOLATILE = {"step_id", "caused_by_step_id", "window_uid", "tree_token", "duration_ms", "capture_ms",
            "captured_at", "elapsed_ms"}
# Members of the answer to a request, by its id, that differ on purpose.
DIFFERS = {
    1: ({"name", "version"}, "the server introduces itself by its own name"),
    3: (None, "there are resources"),
    12: ({"action"}, "a right click says that it is one"),
    14: ({"config", "tree_stats"}, "sketches are drawn in the published size"),
}
# The recording was made with the published program's own configuration of sketches.
ARGUMENTS = (*support.OBSERVER, "--mode", "mcp", "--set", "observation.sketch.unicode_box=true")
PICTURES = {11}  # base64 in the text there, an image block here
FAILURES = {5, 10, 13}  # texts there; here they also say that they are failures


def folder_of(source):
    shared = os.environ.get("GANTRY_SHARED") or os.path.join(source, "../shared")
    return os.path.join(shared, "golden/screen-observer/mcp")


def shortfalls(wanted, found, differs, at=""):
    """What is missing of `wanted`, a line for each."""
    name = at.rsplit("/", 1)[-1]
    if name in differs:
        return
    if name in VOLATILE:
        if found.__class__ is not wanted.__class__ and None not in (wanted, found):
            yield f"{at}: another kind, {found!r} for {wanted!r}"
    elif isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in wanted.items():
            if key in found:
                yield from shortfalls(value, found[key], differs, f"{at}/{key}")
            elif key not in differs:
                yield f"{at}/{key}: missing"
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for i, (one, other) in enumerate(zip(wanted, found)):
            yield from shortfalls(one, other, differs, f"{at}/{i}")
    elif wanted != found:
        yield f"{at}: {found!r}, recorded was {wanted!r}"


def payload(answer):
    """The answer with the JSON that its text is in its place."""
    result = answer.get("result", {})
    texts = [b["text"] for b in result.get("content", []) if b["type"] == "text"]
    return {**answer, "result": {**result, "content": [json.loads(t) for t in texts]}} if texts \
        else answer


def check_picture(number, wanted, found):
    """The picture is a block of its own, and nothing of it is left in the text."""
    wanted["result"]["content"][0].pop("data")
    wanted["result"]["content"][0].pop("encoding")
    image = [b for b in found["result"]["content"] if b["type"] == "image"]
    if len(image) != 1 or not image[0]["mimeType"].startswith("image/"):
        yield f"{number}: no image block"


def main():
    source, gantry = sys.argv[1], os.path.realpath(sys.argv[2])
    file = os.path.join(folder_of(source), "transcript.json")
    if not os.path.exists(file):
        # Not support.skip(): continuous integration has no recordings either.
        print("SKIPPED: no recordings; set GANTRY_SHARED to the folder that holds golden/")
        sys.exit(77)
    with open(file, encoding="utf-8") as recorded:
        entries = json.load(recorded)
    problems, compared = [], 0
    with support.StdioClient(gantry, ARGUMENTS) as client:
        for entry in entries:
            client.send_text(entry["request_line"])
            found, wanted = client.receive(), json.loads(entry["response_line"])
            number = wanted["id"]
            members, why = DIFFERS.get(number, (set(), ""))
            assert members == set() or why, number
            wanted = payload(wanted)
            if number in PICTURES:
                problems += check_picture(number, wanted, found)
            if (found.get("result", {}).get("isError", False)) != (number in FAILURES):
                problems.append(f"{number}: isError is not right")
            if members is None:
                problems += [f"{number}: not answered"] if "result" not in found else []
            else:
                problems += [f"{number}{line}" for line in
                             shortfalls(wanted, payload(found), members)]
            compared += 1
    missing = (set(DIFFERS) | PICTURES | FAILURES) - {json.loads(e["response_line"])["id"]
                                                      for e in entries}
    problems += [f"{number}: listed here, and not recorded" for number in missing]
    print(f"recorded answers: {compared}, of which {len(DIFFERS)} differ on purpose")
    for problem in problems:
        print("FAILED", problem[:400])
    sys.exit(1 if problems or not compared else 0)


if __name__ == "__main__":
    main()
