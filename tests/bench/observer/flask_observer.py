# SPDX-License-Identifier: Apache-2.0
"""The baseline of observer_bench.py: healthz, structure and sketch of the mock desktop as a Flask
server answers them. The tree is built anew for every request, and every answer is made from it.

  python3 flask_observer.py PORT
"""
import hashlib
import logging
import secrets
import sys
import textwrap
import time

import flask

STARTED = time.monotonic()
RULE = "\u2500" * 50
GLYPHS = {"checkbox": "check", "togglebutton": "check", "switch": "check", "radio": "radio",
          "radiobutton": "radio", "combobox": "combo", "menuitem": "menu", "slider": "slider",
          "scrollbar": "slider", "progressbar": "progress"}
FOCUSABLE = {"button", "checkbox", "radiobutton", "radio", "combobox", "menuitem", "tab",
             "textfield", "edit", "editabletext", "text", "link", "hyperlink", "slider",
             "spinner", "spinbutton"}
LANDMARKS = {"toolbar": "Toolbar", "menubar": "MenuBar", "tabpanel": "TabPanel",
             "sidebar": "Sidebar", "statusbar": "StatusBar", "dialog": "Dialog",
             "navigation": "Navigation", "banner": "Banner"}


class Node:
    def __init__(self, ident, role, name, bounds, value=None, children=(), **more):
        self.id, self.role, self.name, self.value = ident, role, name, value
        self.bounds, self.children, self.more = bounds, list(children), more
        self.enabled, self.focused = True, more.pop("focused", False)

    def data(self, depth):
        x, y, width, height = self.bounds
        out = {"id": self.id, "name": self.name, "role": self.role, "value": self.value,
               "bounds": {"x": x, "y": y, "width": width, "height": height},
               "enabled": self.enabled, "focused": self.focused, "keyboard_shortcut": None,
               "description": None, **self.more}
        if depth <= 0 and self.children:
            out.update(children=[], truncated=True, child_count=len(self.children))
        else:
            out["children"] = [child.data(depth - 1) for child in self.children]
        return out

    def hash_into(self, digest):
        for field in (self.role, self.name, self.value or "", "%d,%d,%d,%d" % self.bounds,
                      "E" if self.enabled else "D", str(len(self.children))):
            digest.update(field.encode() + b"\0")
        for child in self.children:
            child.hash_into(digest)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


def mock_tree():
    menu = [Node(f"root.0.{i}", "MenuItem", name, (80 + 58 * i, 60, 56, 22))
            for i, name in enumerate(("File", "Edit", "Format", "View", "Help"))]
    status = [Node(f"root.4.{i}", "Text", name, (80 + 190 * i, 614, 188, 22), value)
              for i, (name, value) in enumerate((("Position", "Ln 1, Col 1"), ("Zoom", "100%"),
                                                 ("Encoding", "UTF-8"),
                                                 ("EOL", "Windows (CRLF)")))]
    text = "Hello, world!\nThis is a test document.\nLine 3 has some content here.\n"
    return Node("root", "Window", "Untitled \u2014 Notepad", (80, 60, 800, 600), None, [
        Node("root.0", "MenuBar", "MenuBar", (80, 60, 800, 22), None, menu),
        Node("root.1", "Document", "Text Editor", (80, 82, 800, 514), text, focused=True),
        Node("root.2", "ScrollBar", "Horizontal ScrollBar", (80, 596, 784, 18)),
        Node("root.3", "ScrollBar", "Vertical ScrollBar", (864, 82, 18, 532)),
        Node("root.5", "ProgressBar", "Saving", (560, 600, 200, 10), value_now=40.0,
             value_min=0.0, value_max=100.0),
        Node("root.6", "CheckBox", "Word Wrap", (80, 636, 120, 18), selected=True),
        Node("root.4", "StatusBar", "Status Bar", (80, 614, 800, 22), None, status)])


def normalized(role):
    return role.strip().lower().lstrip("ax").replace("_", "").replace("-", "").replace(" ", "")


class Sketch:
    """The published drawing: ASCII boxes, glyphs, tab badges, landmarks, legend."""

    def __init__(self, root, width, height):
        self.reference, self.width, self.height = root.bounds, width, height
        self.grid = [[" "] * width for _ in range(height)]
        self.elements, self.tabs, self.legend = [], 0, []
        self.plan(root, False)
        for node, key, tab, pruned in self.elements:
            if not pruned:
                self.draw(node, key, tab)

    def plan(self, node, pruned):
        number = len(self.elements)
        key = chr(65 + number % 26) + (str(number // 26) if number >= 26 else "")
        tab = None
        if not pruned and normalized(node.role) in FOCUSABLE:
            self.tabs += 1
            tab = self.tabs
        self.elements.append((node, key, tab, pruned))
        for i, child in enumerate(node.children):
            x, y, w, h = child.bounds
            covered = w > 0 and h > 0 and any(
                a <= x and b <= y and a + c >= x + w and b + d >= y + h
                for a, b, c, d in (later.bounds for later in node.children[i + 1:]))
            self.plan(child, pruned or covered)

    def cell(self, position, axis):
        cells = (self.width, self.height)[axis]
        size = max(self.reference[2 + axis], 1)
        return max(0, min(cells - 1, int((position - self.reference[axis]) * cells / size)))

    def write(self, x, y, text, x1, x2):
        for c in text:
            if x >= x2:
                return
            if x > x1 and self.grid[y][x] == " ":
                self.grid[y][x] = c
            x += 1

    def draw(self, node, key, tab):
        x, y, w, h = node.bounds
        if w < 1 or h < 1:
            return
        x1, y1 = self.cell(x, 0), self.cell(y, 1)
        x2 = min(max(x1 + 2, self.cell(x + w, 0)), self.width - 1)
        y2 = min(max(y1 + 2, self.cell(y + h, 1)), self.height - 1)
        if x2 <= x1 or y2 <= y1:
            return
        self.edges(x1, y1, x2, y2)
        role = normalized(node.role)
        if role in LANDMARKS and x2 - x1 >= 6:
            header = f" {LANDMARKS[role]} " + (f'"{node.name}" ' if node.name else "")
            for i, c in enumerate(header[:x2 - x1 - 1]):
                self.grid[y1][x1 + 1 + i] = c
        inner_w, inner_h = x2 - x1 - 1, y2 - y1 - 1
        if inner_w < 1:
            return
        fits = inner_w >= len(key) + 1
        if fits and inner_h >= 1:
            self.write(x2 - len(key), y1 + 1, key, x1, x2)
        if tab and inner_h >= 1:
            badge = chr(0x2460 + tab - 1) if tab <= 20 else f"#{tab}"
            self.write(x1 + 1, y1 + 1, badge, x1, x2)
        self.legend.append((key, label(node, role)))
        if inner_h < 1 or inner_w < 3:
            self.write((x1 + x2) // 2, (y1 + y2) // 2, key[:2], x1, x2)
            return
        row = y1 + (2 if tab or fits else 1)
        if row >= y2:
            row = y1 + 1
        for line in lines(node, role, inner_w, y2 - row):
            if row >= y2:
                break
            self.write(x1 + 1, row, line, x1, x2)
            row += 1

    def edges(self, x1, y1, x2, y2):
        for x in range(x1 + 1, x2):
            for y in (y1, y2):
                if self.grid[y][x] == " ":
                    self.grid[y][x] = "-"
        for y in range(y1 + 1, y2):
            for x in (x1, x2):
                if self.grid[y][x] == " ":
                    self.grid[y][x] = "|"
        for x in (x1, x2):
            for y in (y1, y2):
                self.grid[y][x] = "+"

    def text(self):
        rows = ["".join(row).rstrip(" ") for row in self.grid]
        while rows and not rows[-1]:
            rows.pop()
        out = "\n".join(rows) + "\n\n  LEGEND\n  " + RULE
        return out + "".join(f"\n  {key:>4}  {text}" for key, text in self.legend)


def badges(node):
    return "\u25cf" if node.focused else ""


def fraction(node):
    if "value_now" in node.more:
        low, high = node.more["value_min"], node.more["value_max"]
        return max(0.0, min(1.0, (node.more["value_now"] - low) / (high - low)))
    return None


def label(node, role):
    out = node.role
    if node.name:
        out += ' "%s"' % (node.name if len(node.name) <= 30 else node.name[:27] + "\u2026")
    if node.value is not None and role not in ("slider", "scrollbar", "progressbar"):
        value = node.value
        out += " [%s]" % (value if len(value) <= 20 else value[:17] + "\u2026")
    return out + (" " + badges(node) if badges(node) else "")


def glyph(node, role, width):
    kind, part = GLYPHS.get(role), fraction(node)
    if kind == "check":
        return ("[x] " if node.more.get("selected") else "[ ] ") + node.name
    if kind == "radio":
        return ("(\u2022) " if node.more.get("selected") else "( ) ") + node.name
    if kind == "menu":
        return node.name
    if kind == "progress" and part is not None:
        bar = max(4, width - 5)
        filled = max(0, min(bar, round(part * bar)))
        return "\u2593" * filled + "\u2591" * (bar - filled) + f" {round(part * 100)}%"
    if kind == "slider" and part is not None:
        track = max(5, width - 6) - 2
        knob = max(0, min(track - 1, round(part * (track - 1))))
        return ("\u251c" + "\u2500" * knob + "\u25cf" + "\u2500" * (track - 1 - knob) + "\u2524"
                + f" {round(part * 100)}%")
    return ""


def lines(node, role, width, rows):
    first = glyph(node, role, width)
    if first:
        return [first]
    mark = badges(node)
    head = node.role + (" " + mark if mark else "")
    out = [head if len(head) <= width else node.role[:width]]
    if node.name:
        fits = len(node.name) + 2 <= width
        out.append(f'"{node.name}"' if fits else '"' + node.name[:max(0, width - 3)] + '\u2026"')
    if node.value is not None:
        out.extend(textwrap.wrap(" ".join(node.value.split()), width))
    return out


app = flask.Flask("baseline")
app.json.sort_keys = True
app.json.compact = True
steps = 0


@app.get("/api/healthz")
def healthz():
    cache = {"hits": 0, "misses": 0, "entries": 0, "capture_count": 0, "capture_ms_total": 0,
             "capture_ms_max": 0, "capture_ms_mean": 0.0}
    ocr = {"available": False, "pytesseract_installed": False, "configured_path": None,
           "configured_path_exists": False, "path_discovered": None, "version": None,
           "error": "not installed", "hint": "install it"}
    return flask.jsonify(ok=True, uptime_s=int(time.monotonic() - STARTED), step_count=steps,
                         adapter="MockAdapter", version="0.1.0", tree_cache=cache, config_path="",
                         config_error=None, ocr=ocr)


@app.get("/api/structure")
def structure():
    global steps
    steps += 1
    tree = mock_tree()
    count = sum(1 for _ in tree.walk())
    digest = hashlib.sha1()
    tree.hash_into(digest)
    depth = int(flask.request.args.get("depth", 5))
    perf = {"capture_ms": 0, "node_count": count, "cache": "miss", "depth_used": depth}
    return flask.jsonify(ok=True, success=True, step_id=steps, caused_by_step_id=None,
                         untrusted=True, window=tree.name, window_uid="mock:0:00000000",
                         element_count=count, node_count=count, tree=tree.data(depth),
                         tree_hash="sha1:" + digest.hexdigest(),
                         tree_token="tt:" + secrets.token_hex(8), truncated=False,
                         next_cursor=None, depth_used=depth, depth_truncated=False, perf=perf)


@app.get("/api/sketch")
def sketch():
    width = int(flask.request.args.get("grid_width", 72))
    height = int(flask.request.args.get("grid_height", 24))
    drawing = Sketch(mock_tree(), width, height)
    return flask.jsonify(window="(focused)", window_uid="mock:0:00000000", grid_width=width,
                         grid_height=height, ocr_overlay=False, sketch=drawing.text())


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app.run(port=int(sys.argv[1]), threaded=True)
