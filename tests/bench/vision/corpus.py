#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures that tests/bench/vision/vision_bench scores: user interfaces of many looks,
drawn by Chromium, with the truth from its document tree, and windows of GTK 3, GTK 4 and Qt, with
the truth from their own geometry.

    tools/desktop-session -- python3 tests/bench/vision/corpus.py FOLDER [--pages N] [--windows N]

FOLDER gets sheet-K.png (pages below each other), truth.tsv (what is where) and targets.tsv
(descriptions and the box that each means). Pages with an even number are open (the detector was
tuned on them), those with an odd one are frozen: scored, never looked at. Windows are numbered
after the pages, --windows of each toolkit. A check box of a window is meant with its text, as the
toolkit takes a click on either; the detector has to find what is ticked.
"""
import argparse
import html
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import toolkits

WIDTH, HEIGHT, PER_SHEET = 1280, 800, 8

FONTS = ["DejaVu Sans", "Liberation Sans", "DejaVu Serif", "Liberation Serif"]
LIGHT = [("#ffffff", "#1c1c1e"), ("#f6f5f4", "#2e3436"), ("#f0f0f0", "#000000"),
         ("#fafafa", "#333333"), ("#eceff4", "#2e3440")]
DARK = [("#1e1e1e", "#d4d4d4"), ("#242424", "#ffffff"), ("#2e3440", "#eceff4"),
        ("#121212", "#e0e0e0"), ("#353535", "#eeeeec")]
STYLES = ["native", "bordered", "filled", "pill", "adwaita"]
BUTTONS = ["Save", "Cancel", "Apply", "Delete", "Open folder", "New message", "Reply", "Forward",
           "Sign in", "Send", "Upload", "Download", "Print", "Share", "Export", "Import", "Refresh",
           "Back", "Next", "Finish", "Install", "Update now", "Add account", "Remove", "Rename",
           "Duplicate", "Undo", "Redo", "Preview", "Publish", "Archive", "Settings"]
FIELDS = ["Name", "Email", "Password", "Street", "City", "Postcode", "Phone", "Company", "Subject",
          "Search", "Comment", "Website", "Country", "Birthday", "Account number", "Reference"]
CHECKS = ["Remember me", "Send a copy", "Show hidden files", "Enable sync", "Auto update",
          "Dark mode", "Notify me", "Accept terms", "Keep history", "Use proxy"]
RADIOS = ["Small", "Medium", "Large", "Daily", "Weekly", "Monthly", "Landscape", "Portrait"]
CHOICES = ["English", "Deutsch", "Highest", "Normal", "Automatic", "Manual", "Ascending"]
COLOURS = {"red": "#d92d20", "green": "#1e8e3e", "blue": "#1a73e8", "orange": "#e8710a",
           "purple": "#8430ce"}
# Shapes on a grid of 24, drawn as icon sets do.
ICONS = {
    "plus": "M12 4v16M4 12h16", "close": "M5 5l14 14M19 5L5 19",
    "menu": "M3 6h18M3 12h18M3 18h18", "search": "M10 4a6 6 0 1 0 0 12a6 6 0 1 0 0-12M15 15l6 6",
    "home": "M3 11L12 3l9 8M6 9v11h12V9", "star": "M12 3l3 6 6 1-4 5 1 6-6-3-6 3 1-6-4-5 6-1z",
    "mail": "M3 5h18v14H3zM3 6l9 7 9-7", "trash": "M4 6h16M9 6V3h6v3M6 6l1 15h10l1-15",
    "play": "M6 4l14 8-14 8z", "heart": "M12 20L4 12a5 5 0 0 1 8-6a5 5 0 0 1 8 6z",
}
WORDS = ("report meeting budget invoice draft review release notes travel photos music project "
         "customer contract summer archive weekly order shipping address letter music agenda").split()


def style_of(kind, style, dark, ground, ink, accent, rng):
    line = "#5a5a5e" if dark else "#b8b4b0"
    if kind == "edit" or kind == "combo":
        base = f"background:{'#2b2b30' if dark else '#ffffff'};color:{ink};border:1px solid {line};"
        radius = {"native": 0, "bordered": 3, "filled": 4, "pill": 16, "adwaita": 5}[style]
        return base + f"border-radius:{radius}px;padding:0 8px;"
    if accent:
        fill, text = COLOURS[accent], "#ffffff"
    elif style == "filled" or style == "pill":
        fill, text = ("#44475a", "#ffffff") if dark else ("#dfe3ea", "#222222")
    elif style == "adwaita":
        fill, text = (("linear-gradient(#3a3a3a,#353535)", ink) if dark
                      else ("linear-gradient(#f9f9f8,#edebe9)", ink))
    else:
        fill, text = ("#3b3b40", ink) if dark else ("#efefef", ink)
    border = "none" if style in ("filled", "pill") else f"1px solid {line}"
    radius = {"native": 3, "bordered": 0, "filled": 4, "pill": 18, "adwaita": 6}[style]
    return f"background:{fill};color:{text};border:{border};border-radius:{radius}px;"


class Page:
    def __init__(self, number):
        self.rng = random.Random(7000 + number)
        rng = self.rng
        self.dark = number % 4 in (1, 2)
        self.ground, self.ink = rng.choice(DARK if self.dark else LIGHT)
        self.style = STYLES[number % len(STYLES)]
        self.font = f"{rng.choice([12, 13, 14, 15])}px '{FONTS[number % len(FONTS)]}'"
        self.parts = []
        self.fresh = {"button": BUTTONS[:], "edit": FIELDS[:], "check": CHECKS[:],
                      "radio": RADIOS[:], "icon": list(ICONS), "combo": CHOICES[:]}
        for names in self.fresh.values():
            rng.shuffle(names)

    def put(self, kind, inner, x, y, w, h, css="", name="", accent="", tag="div", attributes=""):
        data = (f'data-kind="{kind}" data-name="{html.escape(name)}" data-accent="{accent}"'
                if kind else "")
        self.parts.append(
            f'<{tag} {data} {attributes} style="position:absolute;left:{x}px;top:{y}px;width:{w}px;'
            f'height:{h}px;box-sizing:border-box;margin:0;font:inherit;{css}">{inner}</{tag}>'
            if tag != "input" else
            f'<input {data} {attributes} style="position:absolute;left:{x}px;top:{y}px;width:{w}px;'
            f'height:{h}px;box-sizing:border-box;margin:0;font:inherit;{css}">')

    def label(self, text, x, y, w=200, css=""):
        self.put("", html.escape(text), x, y, w, 22, f"line-height:22px;white-space:nowrap;{css}")

    def css(self, kind, accent=""):
        return style_of(kind, self.style, self.dark, self.ground, self.ink, accent, self.rng)

    def button(self, x, y, accent=""):
        if not self.fresh["button"]:
            return 0
        name = self.fresh["button"].pop()
        w = 24 + 10 * len(name) + self.rng.randrange(0, 30)
        h = self.rng.choice([26, 30, 34, 40])
        css = self.css("button", accent) + f"line-height:{h - 2}px;text-align:center;padding:0;"
        native = self.style == "native" and not accent
        self.put("button", html.escape(name), x, y, w, h, "" if native else css, name, accent,
                 "button")
        return w

    def field(self, x, y):
        if not self.fresh["edit"]:
            return
        name = self.fresh["edit"].pop()
        self.label(name, x, y + 4, 120)
        value = self.rng.choice(["", "", self.rng.choice(WORDS), "info@example.org"])
        w, h = self.rng.choice([180, 220, 300]), self.rng.choice([26, 30, 34])
        css = "" if self.style == "native" else self.css("edit")
        self.put("edit", "", x + 130, y, w, h, css, name, tag="input",
                 attributes=f'type="text" value="{value}"')

    def combo(self, x, y):
        if not self.fresh["combo"]:
            return
        name = self.fresh["combo"].pop()
        self.put("combo", f"<option>{name}</option>", x, y, 150, 30,
                 "" if self.style == "native" else self.css("combo"), name, tag="select")

    def toggle(self, kind, x, y):
        if not self.fresh[kind]:
            return
        name = self.fresh[kind].pop()
        on = self.rng.random() < 0.4
        side = self.rng.choice([13, 16, 18])
        self.put(kind, "", x, y + 3, side, side, "accent-color:#1a73e8;", name, tag="input",
                 attributes=f'type="{"checkbox" if kind == "check" else "radio"}"'
                            f'{" checked" if on else ""}')
        self.label(name, x + side + 8, y + 1, 150)

    def icon(self, x, y, accent=""):
        if not self.fresh["icon"]:
            return
        name = self.fresh["icon"].pop()
        side = self.rng.choice([16, 20, 24, 32])
        colour = COLOURS[accent] if accent else self.ink
        fill = colour if name in ("star", "play", "heart") else "none"
        shape = (f'<svg width="{side}" height="{side}" viewBox="0 0 24 24" fill="{fill}" '
                 f'stroke="{colour}" stroke-width="2" style="display:block">'
                 f'<path d="{ICONS[name]}"/></svg>')
        self.put("icon", shape, x, y, side, side, "", name, accent)

    def panel(self, x, y, w, h):
        shade = "#ffffff08" if self.dark else "#00000008"
        line = "#5a5a5e" if self.dark else "#c8c4c0"
        self.put("", "", x, y, w, h, f"background:{shade};border:1px solid {line};")

    def build(self, number):
        rng = self.rng
        self.label(f"{rng.choice(WORDS).title()} {rng.choice(WORDS)} {rng.randrange(10, 99)}", 20,
                   10, 400, "font-size:20px;")
        for i in range(rng.randrange(3, 6)):
            self.icon(700 + 60 * i, 14, rng.choice(["", "", "red", "blue", "green"]))
        x = 20
        for i in range(rng.randrange(3, 6)):
            accent = rng.choice(["", "", "", "blue", "red", "green", "orange", "purple"])
            x += self.button(x, 60, accent) + rng.choice([8, 12, 20])
        self.panel(20, 130, 520, 330)
        for i in range(6):
            self.field(40, 150 + 50 * i)
        for i in range(5):
            self.toggle("check", 580, 150 + 34 * i)
        for i in range(4):
            self.toggle("radio", 780, 150 + 34 * i)
        for i in range(3):
            self.combo(960, 150 + 46 * i)
        for i in range(9):
            words = " ".join(rng.choice(WORDS) for _ in range(rng.randrange(4, 11)))
            self.label(words, 580, 350 + 26 * i, 640)
        x = 40
        for i in range(rng.randrange(3, 6)):
            x += self.button(x, 500, rng.choice(["", "", "blue", "red"])) + 16
        if number % 3 == 0:
            self.put("", "", 20, 620, 1240, 150,
                     "background:linear-gradient(90deg,#264653,#2a9d8f,#e9c46a,#e76f51);")
        x = 40
        for i in range(4):
            x += self.button(x, 660, "" if number % 3 else "blue") + 24
        for i in range(3):
            self.icon(900 + 70 * i, 670)
        return (f'<section style="position:relative;overflow:hidden;width:{WIDTH}px;'
                f'height:{HEIGHT}px;background:{self.ground};color:{self.ink};font:{self.font};'
                f'color-scheme:{"dark" if self.dark else "light"}">' + "".join(self.parts) +
                "</section>")


SCRIPT = """<script>addEventListener('load',()=>{const out=[];
document.querySelectorAll('section').forEach((s,i)=>{const top=s.getBoundingClientRect();
s.querySelectorAll('[data-kind]').forEach(e=>{const p=e.querySelector('path');
const r=(p||e).getBoundingClientRect();const g=p?e.getBoundingClientRect().width/24:0;
out.push([i,e.dataset.kind,e.dataset.name,e.dataset.accent,Math.round(r.left-top.left-g),
Math.round(r.top-top.top-g),Math.round(r.width+2*g),Math.round(r.height+2*g)])})});
const p=document.createElement('pre');p.id='truth';p.textContent=JSON.stringify(out);
p.style.display='none';document.body.appendChild(p)})</script>"""


def in_a_row(parts):
    """Neighbours from the left to the right, each pair once."""
    parts = sorted(parts, key=lambda part: (part["box"][1] // 60, part["box"][0]))
    return [(a, b) for a, b in zip(parts, parts[1:]) if a["box"][1] // 60 == b["box"][1] // 60]


def nearest(parts, x, y):
    def away(part):
        left, top, width, height = part["box"]
        return ((left + width / 2) / WIDTH - x) ** 2 + ((top + height / 2) / HEIGHT - y) ** 2
    return min(parts, key=away)


def targets(parts):
    """Descriptions of things of one page: (sort, description, box)."""
    of = {kind: [part for part in parts if part["kind"] == kind]
          for kind in ("button", "edit", "check", "radio", "combo", "icon")}
    for part in of["button"][:4]:
        yield "text", f"the {part['name']} button", part
    for part in of["button"][4:6]:
        yield "text", part["name"], part
    for part in of["combo"][:2]:
        yield "text", f"the {part['name']} dropdown", part
    for part in of["edit"][:3]:
        yield "label", f"{part['name']} field", part
    for part in of["check"][:2]:
        yield "label", f"the {part['name']} check box", part
    for part in of["radio"][:2]:
        yield "label", f"radio button {part['name']}", part
    for kind in ("button", "icon"):
        accents = [part["accent"] for part in of[kind]]
        for part in of[kind]:
            if part["accent"] and accents.count(part["accent"]) == 1:
                yield "colour", f"the {part['accent']} {kind}", part
    for left, right in in_a_row(of["button"])[:2]:
        yield "relation", f"button right of the {left['name']} button", right
        yield "relation", f"the button left of {right['name']}", left
    for above, below in zip(of["check"][:2], of["check"][1:3]):
        yield "relation", f"check box below {above['name']}", below
    for above, below in zip(of["edit"][:1], of["edit"][1:2]):
        yield "relation", f"the field below the {above['name']} field", below
    if len(of["check"]) > 2:
        yield "number", "the second check box", of["check"][1]
    if of["radio"]:
        yield "number", "the last radio button", of["radio"][-1]
    if of["icon"]:
        yield "place", "icon in the top right corner", nearest(of["icon"], 1, 0)
        yield "place", "the icon at the bottom right", nearest(of["icon"], 1, 1)


def chromium(arguments, page):
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--force-device-scale-factor=1", f"--user-data-dir={home}",
             f"--window-size={WIDTH},{HEIGHT * PER_SHEET}", *arguments, page.as_uri()],
            capture_output=True, text=True, timeout=180, check=False)
    if done.returncode != 0:
        sys.exit(f"chromium failed: {done.stderr[-2000:]}")
    return done.stdout


def write_truth(file, number, sheet, row, parts):
    for part in parts:
        print(number, sheet, row, part["kind"], part["name"], part["accent"],
              *part.get("mark", part["box"]), part["source"], sep="\t", file=file)


def chromium_pages(folder, pages):
    """Of each page its number, sheet, place on it, and parts."""
    out = []
    for sheet, first in enumerate(range(0, pages, PER_SHEET)):
        numbers = range(first, min(first + PER_SHEET, pages))
        body = "".join(Page(n).build(n) for n in numbers)
        page = (folder / f"sheet-{sheet}.html").resolve()
        page.write_text(f"<!doctype html><meta charset=utf-8><body style='margin:0'>{body}{SCRIPT}")
        chromium([f"--screenshot={(folder / f'sheet-{sheet}.png').resolve()}"], page)
        tree = chromium(["--dump-dom"], page)
        truth = json.loads(html.unescape(re.search(r'<pre id="truth"[^>]*>(.*?)</pre>', tree)[1]))
        for i, number in enumerate(numbers):
            out.append((number, sheet, i, [
                {"kind": row[1], "name": row[2], "accent": row[3], "box": row[4:8],
                 "source": "chromium"} for row in truth if row[0] == i]))
    return out


def windows(folder, pages, count):
    words = {"button": BUTTONS, "edit": FIELDS, "check": CHECKS, "radio": RADIOS, "combo": CHOICES,
             "icon": ICONS, "paths": ICONS, "colours": COLOURS, "text": WORDS}
    out = []
    with tempfile.TemporaryDirectory() as work:
        program = toolkits.build_qt(work) if count else ""
        for i in range(count * len(toolkits.TOOLKITS)):
            toolkit, sheet = toolkits.TOOLKITS[i // count], (pages + PER_SHEET - 1) // PER_SHEET + i
            parts = toolkits.window(toolkit, pages + i, folder / f"sheet-{sheet}.png", program,
                                    words)
            out.append((pages + i, sheet, 0, [{**part, "source": toolkit} for part in parts]))
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=32)
    parser.add_argument("--windows", type=int, default=4)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    pages = chromium_pages(asked.folder, asked.pages)
    pages += windows(asked.folder, asked.pages, asked.windows)
    with open(asked.folder / "truth.tsv", "w", encoding="utf-8") as file:
        for page in pages:
            write_truth(file, *page)
    with open(asked.folder / "targets.tsv", "w", encoding="utf-8") as file:
        for number, _, _, parts in pages:
            for sort, description, part in targets(parts):
                print(number, part["source"], sort, description, *part["box"], sep="\t", file=file)
    print(f"{sum(len(page[3]) for page in pages)} elements on {len(pages)} pages")


if __name__ == "__main__":
    main()
