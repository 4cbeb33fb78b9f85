#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of text with what is written where, for ocr_bench: corpus.py FOLDER

Chromium pages, GTK 3 windows, Qt windows and an xterm; light, dark and busy grounds; 11 to 20 pixels. What is written
where comes from the DOM, from the toolkits' own layout, or from the terminal's cells. Every second picture of a kind
is frozen: its seed was drawn before anything was tuned, and it is scored apart. Needs a display (tools/desktop-session).

Each picture is NAME.bgrx (width and height as two 32-bit numbers, then 4 bytes a pixel) and NAME.tsv (x, y, width,
height, text). NAME is program-theme-half-seed.
"""
import html
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
gi.require_version("GdkPixbuf", "2.0")
from gi.repository import Gdk, GdkPixbuf, Gtk, Pango  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../support"))
from eventually import eventually  # noqa: E402

FONTS = ["Liberation Sans", "DejaVu Sans", "Liberation Serif", "DejaVu Sans Mono", "Liberation Mono"]
WORDS = """about account activate address after alignment another archive attach backup before between bookmark browse
calendar cancel change channel clipboard collapse column comment compare complete configure connect contact continue
convert copy create customer decrease delete delivery desktop details directory discard display document download
duplicate editor element enable encrypt enlarge enter example export favourite feature field figure filter finish folder
follow forward function gallery general generate group header height hidden history identity image import include
increase information insert install invite invoice journal keyboard language layout library location message minimum
modify monday monitor network notebook notify number object offline online open option order original outline package
page paragraph password paste pattern payment picture playlist preview primary printer privacy profile program project
property protect quality quarter question quick quit random receive recent record refresh remove rename repeat replace
report request reset resize restore result return review rotate sample saturday save schedule screen search section
select send server session settings share shortcut show signature simple size sort source special start status storage
style subject submit summary support switch symbol system table target template text theme thursday title toolbar total
transfer translate trash type undo update upload username value verify version view visible volume warning weekly
width window wireless workspace yesterday zoom""".split()
ACCENTED = """Müller Größe ändern Straße schließen für über Übersicht Café déjà vérifier créer modèle façade prêt Noël
señor año mañana español información configuración ação informação São não coração Þór smörgåsbord ångström Malmö
Kraków źródło Dvořák příliš žluťoučký kůň""".split()


def phrase(random_, most=5):
    words = [random_.choice(WORDS) for _ in range(random_.randint(1, most))]
    words[0] = words[0].capitalize()
    kind = random_.random()
    if kind < 0.10:
        words.append("%d" % random_.randint(2, 9999))
    elif kind < 0.16:
        words.append("(%d %%)" % random_.randint(1, 100))
    elif kind < 0.22:
        words.append("%d:%02d" % (random_.randint(0, 23), random_.randint(0, 59)))
    elif kind < 0.27:
        words[-1] += "..."
    elif kind < 0.31:
        words.append("%s.%s" % (random_.choice(WORDS), random_.choice(["txt", "png", "cpp", "html"])))
    elif kind < 0.36:
        words.append("%s@example.org" % random_.choice(WORDS))
    elif kind < 0.46:
        words.append(random_.choice(ACCENTED))
    return " ".join(words)


class Out:
    def __init__(self, folder):
        self.folder = folder

    def put(self, name, width, height, pixels, rows):
        with open(os.path.join(self.folder, name + ".bgrx"), "wb") as file:
            file.write(struct.pack("<ii", width, height) + pixels)
        with open(os.path.join(self.folder, name + ".tsv"), "w") as file:
            for x, y, w, h, text in rows:
                file.write("%d\t%d\t%d\t%d\t%s\n" % (x, y, w, h, text))
        print(name, width, height, len(rows), "texts")

    def put_pixbuf(self, name, pixbuf, rows):
        if not pixbuf.get_has_alpha():
            pixbuf = pixbuf.add_alpha(False, 0, 0, 0)
        width, height, stride = pixbuf.get_width(), pixbuf.get_height(), pixbuf.get_rowstride()
        data = pixbuf.get_pixels()
        rgba = b"".join(data[y * stride:y * stride + 4 * width] for y in range(height))
        pixels = bytearray(len(rgba))
        pixels[0::4], pixels[1::4], pixels[2::4], pixels[3::4] = rgba[2::4], rgba[1::4], rgba[0::4], rgba[3::4]
        self.put(name, width, height, bytes(pixels), rows)


PAGE = """<!doctype html><meta charset=utf-8><style>
body{margin:0;width:1920px;height:1080px;overflow:hidden;position:relative;%s}
span{position:absolute;white-space:pre}
.b{padding:3px 10px;border:1px solid;border-radius:4px}
</style><body>%s<script>
const out=[];for(const s of document.querySelectorAll('span')){const r=document.createRange();r.selectNodeContents(s);
const b=r.getBoundingClientRect();out.push([Math.round(b.x),Math.round(b.y),Math.round(b.width),Math.round(b.height),
s.textContent])}
const p=document.createElement('pre');p.id='truth';p.style.display='none';p.textContent=JSON.stringify(out);
document.body.appendChild(p)</script>"""


def page(seed, theme):
    random_ = random.Random(seed)
    font = random_.choice(FONTS)
    style = {"light": "background:#fff;color:#222", "dark": "background:#1e2028;color:#d8dae0",
             "busy": "color:#111"}[theme]
    if theme == "busy":
        layers = []
        for _ in range(3):
            a, b = ["hsl(%d,%d%%,%d%%)" % (random_.randint(0, 359), random_.randint(25, 70), random_.randint(62, 92))
                    for _ in range(2)]
            layers.append(("repeating-linear-gradient(%ddeg,%s 0 %dpx,%s %dpx %dpx)" %
                           (random_.randint(0, 180), a, random_.randint(10, 30), b, random_.randint(31, 50), 70),
                           "linear-gradient(%ddeg,%s,%s)" % (random_.randint(0, 180), a, b)))
        style += ";background:" + random_.choice(layers)[random_.randint(0, 1)]
    spans = []
    y = 14
    while y < 1040:
        size = random_.choice([11, 12, 12, 13, 13, 13, 14, 14, 15, 16, 18, 20])
        x = random_.randint(10, 60)
        while x < 1700:
            text = phrase(random_)
            width = int(len(text) * size * 0.68) + 30
            if x + width > 1900:
                break
            looks = "left:%dpx;top:%dpx;font:%d %dpx '%s';" % (x, y, random_.choice([400, 400, 700]), size, font)
            button = theme != "busy" and random_.random() < 0.12
            if button:
                looks += "background:hsl(%d,60%%,42%%);color:#fff;" % random_.randint(0, 359)
            spans.append('<span%s style="%s">%s</span>' % (" class=b" if button else "", looks, html.escape(text)))
            x += width + random_.choice([30, 60, 140, 300])
        y += int(size * random_.choice([1.7, 2.0, 2.6]))
    return PAGE % (style, "".join(spans))


def chromium(out, seed, theme, half):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "page.html")
        with open(source, "w") as file:
            file.write(page(seed, theme))
        common = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                  "--force-device-scale-factor=1", "--window-size=1920,1080", "--user-data-dir=" + folder + "/profile"]
        shot = os.path.join(folder, "shot.png")
        quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "timeout": 120, "check": True}
        subprocess.run(common + ["--screenshot=" + shot, "file://" + source], **quiet)
        dom = subprocess.run(common + ["--dump-dom", "file://" + source], **quiet).stdout.decode()
        truth = html.unescape(re.search(r'id="truth"[^>]*>(.*?)</pre>', dom, re.S).group(1))
        pixbuf = GdkPixbuf.Pixbuf.new_from_file(shot)
        height = pixbuf.get_height()
        rows = [row for row in json.loads(truth) if row[1] + row[3] <= height]
        out.put_pixbuf("chromium-%s-%s-%d" % (theme, half, seed), pixbuf, rows)


def iterate_until_painted(clock):
    """Until a frame is painted and nothing more is waiting to be."""
    painted = []
    clock.connect("after-paint", lambda _: painted.append(True))
    while not painted or Gtk.events_pending():
        Gtk.main_iteration()


def gtk(out, seed, theme, half):
    random_ = random.Random(seed)
    Gtk.Settings.get_default().set_property("gtk-application-prefer-dark-theme", theme == "dark")
    window = Gtk.OffscreenWindow()
    window.set_size_request(900, 640)
    grid = Gtk.Grid(row_spacing=8, column_spacing=24, margin=14)
    window.add(grid)
    widgets = []
    for row in range(14):
        for column in range(3):
            text = phrase(random_, 3)
            if random_.random() < 0.25:
                widget = Gtk.Button(label=text)
                label = widget.get_child()
            else:
                widget = label = Gtk.Label(label=text, xalign=0)
                size = random_.choice([9, 10, 10, 11, 12, 14])
                attributes = Pango.AttrList()
                attributes.insert(Pango.attr_size_new(size * Pango.SCALE))
                label.set_attributes(attributes)
            grid.attach(widget, column, row, 1, 1)
            widgets.append((label, text))
    window.show_all()
    iterate_until_painted(window.get_frame_clock())
    rows = []
    for label, text in widgets:
        _, logical = label.get_layout().get_pixel_extents()
        at = label.get_layout_offsets()
        rows.append((at[0], at[1], logical.width, logical.height, text))
    out.put_pixbuf("gtk3-%s-%s-%d" % (theme, half, seed), window.get_pixbuf(), rows)
    window.destroy()


def qt(out, seed, theme, half, program):
    random_ = random.Random(seed)
    texts = [phrase(random_, 3) for _ in range(42)]
    with tempfile.TemporaryDirectory() as folder:
        shot = os.path.join(folder, "shot.png")
        answer = subprocess.run([program, theme, shot], input="\n".join(texts), text=True, check=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}).stdout
        rows = []
        for line in answer.splitlines():
            x, y, w, h, text = line.split("\t", 4)
            rows.append((int(x), int(y), int(w), int(h), text))
        out.put_pixbuf("qt5-%s-%s-%d" % (theme, half, seed), GdkPixbuf.Pixbuf.new_from_file(shot), rows)


def build_qt(folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "Qt5Widgets"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    program = os.path.join(folder, "qt_window")
    subprocess.run(["g++", "-std=c++17", "-fPIC", "-O1", os.path.join(HERE, "qt_window.cpp"), "-o", program] + flags,
                   check=True)
    return program


def shown(title):
    """What xwininfo says of a window that is to be seen."""
    told = subprocess.run(["xwininfo", "-name", title], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False).stdout
    return told if "IsViewable" in told else None


def written(grab, lines):
    """The picture of a terminal of 30 lines when the last of `lines` is there and nothing changes any more."""
    before = [b""]

    def look():
        pixbuf = grab()
        pixels, stride = pixbuf.get_pixels(), pixbuf.get_rowstride()
        height = pixbuf.get_height() / 30
        last = pixels[stride * int(height * (lines - 1)):stride * int(height * lines)]
        same, before[0] = pixels == before[0], pixels
        return pixbuf if same and len(set(last)) > 3 else None

    return eventually("the text in the xterm", look, pause=0.1)


def xterm(out, seed, theme, half):
    random_ = random.Random(seed)
    lines = []
    for _ in range(28):
        line = phrase(random_, 8)[:78]
        # The fixed fonts of a server are drawn as they are; this one is smoothed like all others.
        lines.append(line.strip())
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(lines))
        file.flush()
        colours = {"light": ["-bg", "#ffffff", "-fg", "#222222"], "dark": ["-bg", "#101418", "-fg", "#d0d4d8"]}[theme]
        title = "corpus-%d" % seed
        process = subprocess.Popen(["xterm", "-fa", random_.choice(["DejaVu Sans Mono", "Liberation Mono"]), "-fs",
                                    str(random_.choice([9, 10, 11])), "-u8", "-geometry", "80x30+0+0", "-b", "4",
                                    "-T", title] + colours +
                                   ["-e", "sh", "-c", "printf '\\033[?25l'; cat %s; sleep 600" % file.name],
                                   env={**os.environ, "LC_ALL": "C.UTF-8"})
        try:
            root = Gdk.get_default_root_window()
            found = eventually("the xterm", lambda: shown(title))

            def number(key):
                return int(re.search(key + r":\s+(-?\d+)", found).group(1))

            x, y = number("Absolute upper-left X"), number("Absolute upper-left Y")
            width, height = number("Width"), number("Height")
            pixbuf = written(lambda: Gdk.pixbuf_get_from_window(root, x, y, width, height), len(lines))
        finally:
            process.kill()
            process.wait()
    cell_width, cell_height = (width - 8 - (width - 8) % 80) / 80, (height - 8) / 30
    rows = [(4, int(4 + i * cell_height), int(len(line) * cell_width) + 2, int(cell_height), line)
            for i, line in enumerate(lines)]
    out.put_pixbuf("xterm-%s-%s-%d" % (theme, half, seed), pixbuf, rows)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    out = Out(folder)
    with tempfile.TemporaryDirectory() as work:
        program = build_qt(work)
        for index, half in ((1, "tuning"), (2, "frozen"), (3, "tuning"), (4, "frozen")):
            for number, theme in enumerate(("light", "dark", "busy")):
                seed = 1000 * index + 10 * number
                if index <= 2 or theme == "busy":
                    chromium(out, seed + 1, theme, half)
                if theme == "busy":
                    continue
                gtk(out, seed + 2, theme, half)
                qt(out, seed + 3, theme, half, program)
                if index <= 2:
                    xterm(out, seed + 4, theme, half)


if __name__ == "__main__":
    main()
