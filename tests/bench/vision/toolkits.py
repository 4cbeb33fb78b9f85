# SPDX-License-Identifier: Apache-2.0
"""Windows of GTK 3, GTK 4 and Qt for corpus.py, with the truth from the toolkits' own geometry."""
import json
import os
import pathlib
import random
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOOLKITS = ["gtk3", "gtk4", "qt5"]
FONTS = ["DejaVu Sans", "Liberation Sans"]
INK = {"light": "#2e3436", "dark": "#dddddd"}


class Parts:
    """What is to be in one window. `words` are the lists of corpus.py."""

    def __init__(self, number, theme, folder, words):
        self.rng = random.Random(9000 + number)
        self.theme = theme
        self.folder = folder
        self.words = words
        self.parts = []
        self.fresh = {kind: list(words[kind])
                      for kind in ("button", "edit", "check", "radio", "icon", "combo")}
        for names in self.fresh.values():
            self.rng.shuffle(names)
        self.build()

    def put(self, kind, x, y, w=0, h=0, name=None, **more):
        if name is None:
            name = self.fresh[kind].pop()
        part = {"kind": kind, "name": name, "x": x, "y": y, "w": w, "h": h, "accent": "",
                "on": False, "value": ""}
        self.parts.append({**part, **more})
        return name

    def icon(self, x, y, colour):
        side = self.rng.choice([16, 20, 24, 32])
        name = self.fresh["icon"][-1]
        ink = self.words["colours"][colour] if colour else INK[self.theme]
        fill = ink if name in ("star", "play", "heart") else "none"
        svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" '
               f'viewBox="0 0 24 24" fill="{fill}" stroke="{ink}" stroke-width="2">'
               f'<path d="{self.words["paths"][name]}"/></svg>')
        self.put("icon", x, y, side, side, accent=colour, svg=svg,
                 file=os.path.join(self.folder, f"icon-{len(self.parts)}.png"))

    def buttons(self, y, accents):
        x = 20
        for accent in accents:
            wide = 40 + 10 * len(self.fresh["button"][-1])
            self.put("button", x, y, wide, 34, accent=accent)
            x += wide + self.rng.choice([10, 16, 24])

    def build(self):
        rng = self.rng
        word = rng.choice
        for i in range(rng.randrange(3, 6)):
            self.icon(700 + 60 * i, 14, word(["", "", "red", "blue", "green"]))
        title = f"{word(self.words['text']).title()} {rng.randrange(10, 99)}"
        self.put("label", 20, 14, name=title)
        accents = ["blue", "red", "", ""]
        rng.shuffle(accents)
        self.buttons(60, accents)
        self.put("panel", 20, 120, 520, 340, name="")
        for i in range(6):
            value = word(["", "", word(self.words["text"]), "info@example.org"])
            name = self.put("edit", 170, 136 + 52 * i, word([180, 220, 300]), 34, value=value)
            self.put("label", 40, 143 + 52 * i, name=name)
        for i in range(5):
            self.put("check", 580, 140 + 36 * i, on=rng.random() < 0.4)
        chosen = rng.randrange(0, 5)  # 4: none of them
        for i in range(4):
            self.put("radio", 780, 140 + 36 * i, on=i == chosen)
        for i in range(3):
            self.put("combo", 960, 140 + 48 * i, 160, 34)
        for i in range(8):
            line = " ".join(word(self.words["text"]) for _ in range(rng.randrange(4, 11)))
            self.put("label", 580, 352 + 26 * i, name=line)
        self.buttons(600, [""] * 4)
        for i in range(3):
            self.icon(900 + 70 * i, 680, "")


def run(command, text, environment):
    done = subprocess.run(command, input=text, text=True, capture_output=True, check=False,
                          timeout=600, env={**os.environ, **environment})
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {done.stderr[-2000:]}")
    return done.stdout


def drawn_by_qt(program, theme, picture, font, parts):
    lines = [font, "13"]
    for part in parts:
        what = part["file"] if part["kind"] == "icon" else part["value"]
        lines.append("\t".join(map(str, (part["kind"], part["name"], part["x"], part["y"],
                                         part["w"], part["h"], int(part["on"]), what))))
    told = run([program, theme, picture], "\n".join(lines), {"QT_QPA_PLATFORM": "offscreen"})
    rows = [list(map(int, line.split("\t"))) for line in told.splitlines()]
    return [[row[:4], row[4:]] for row in rows]


def drawn_by_gtk(toolkit, theme, picture, font, parts):
    asked = json.dumps({"font": f"{font} 10", "parts": parts})
    renderer = {"GSK_RENDERER": "cairo", "GDK_BACKEND": "x11"}
    return json.loads(run(["/usr/bin/python3", str(HERE / "windows.py"), toolkit, theme, picture],
                          asked, renderer))


def build_qt(folder):
    flags = run(["pkg-config", "--cflags", "--libs", "Qt5Widgets"], "", {}).split()
    program = os.path.join(folder, "windows_qt")
    run(["g++", "-std=c++17", "-fPIC", "-O1", str(HERE / "windows_qt.cpp"), "-o", program, *flags],
        "", {})
    return program


def window(toolkit, number, picture, program, words):
    """Draws it into `picture`; the parts with the box of the mark and that of the control."""
    theme = "dark" if number % 4 in (2, 3) else "light"
    with tempfile.TemporaryDirectory() as folder:
        parts = Parts(number, theme, folder, words).parts
        font = FONTS[number % 2]
        told = json.loads(run(["/usr/bin/python3", str(HERE / "windows.py"), "icons"],
                              json.dumps({"parts": parts}), {}))
        painted = iter(told)
        if toolkit == "qt5":
            parts = [{**part, "accent": part["accent"] if part["kind"] == "icon" else ""}
                     for part in parts]
            boxes = drawn_by_qt(program, theme, str(picture), font, parts)
        else:
            boxes = drawn_by_gtk(toolkit, theme, str(picture), font, parts)
        for part, (mark, whole) in zip(parts, boxes):
            if part["kind"] == "icon":
                left, top, wide, high = next(painted)
                # Larger than its picture, a toolkit keeps it in the middle.
                mark = whole = [whole[0] + (whole[2] - part["w"]) // 2 + left,
                                whole[1] + (whole[3] - part["h"]) // 2 + top, wide, high]
            part["mark"], part["box"] = mark, whole
    return [part for part in parts if part["kind"] not in ("label", "panel")]
