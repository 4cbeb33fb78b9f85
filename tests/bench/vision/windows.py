#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws one window of GTK 3 or GTK 4 for toolkits.py, which writes what is to be in it on standard
input.

    windows.py icons                         paints the icons' files; prints what of each is painted
    windows.py gtk3|gtk4 light|dark PICTURE  prints where the toolkit has put each of the parts

Of a check box or radio button two boxes are printed: that of what is ticked, and that of the whole
control with its text. Needs a display, and the Python of the system (PyGObject).
"""
import json
import subprocess
import sys

import gi

gi.require_version("GdkPixbuf", "2.0")
from gi.repository import GdkPixbuf, GLib  # noqa: E402

WIDTH, HEIGHT = 1280, 800


def paint_icon(part):
    """Writes the icon's file; the box of what is not transparent in it."""
    loader = GdkPixbuf.PixbufLoader.new_with_type("svg")
    loader.write(part["svg"].encode())
    loader.close()
    pixbuf = loader.get_pixbuf()
    pixbuf.savev(part["file"], "png", [], [])
    stride, data = pixbuf.get_rowstride(), pixbuf.get_pixels()
    painted = [(x, y) for y in range(pixbuf.get_height()) for x in range(pixbuf.get_width())
               if data[y * stride + 4 * x + 3] > 60]
    left, top = min(x for x, _ in painted), min(y for _, y in painted)
    return [left, top, max(x for x, _ in painted) - left + 1, max(y for _, y in painted) - top + 1]


def iterate_until_painted(clock):
    """Until a frame is painted and nothing more is waiting to be."""
    painted = []
    clock.connect("after-paint", lambda _: painted.append(True))
    context = GLib.MainContext.default()
    while not painted:
        context.iteration(True)
    while context.iteration(False):
        pass


class Window:
    """What both toolkits have in common."""

    def __init__(self, gtk, theme, font):
        self.gtk = gtk
        settings = gtk.Settings.get_default()
        settings.set_property("gtk-application-prefer-dark-theme", theme == "dark")
        settings.set_property("gtk-font-name", font)
        settings.set_property("gtk-enable-animations", False)
        self.fixed = gtk.Fixed()
        self.fixed.set_size_request(WIDTH, HEIGHT)
        self.radio = None

    def make(self, part):
        gtk, kind, name = self.gtk, part["kind"], part["name"]
        if kind == "button":
            widget = gtk.Button(label=name)
            if part["accent"]:
                style = {"blue": "suggested-action", "red": "destructive-action"}[part["accent"]]
                widget.get_style_context().add_class(style)
        elif kind == "edit":
            widget = gtk.Entry()
            widget.set_text(part["value"])
        elif kind in ("check", "radio"):
            widget = self.toggle(kind, name)
            if part["on"]:
                widget.set_active(True)
        elif kind == "combo":
            widget = self.combo(name)
        elif kind == "panel":
            widget = gtk.Frame()
        else:
            widget = gtk.Label(label=name, xalign=0)
        return widget

    def put(self, part):
        widget = self.icon(part["file"]) if part["kind"] == "icon" else self.make(part)
        if part["w"]:
            widget.set_size_request(part["w"], part["h"])
        self.fixed.put(widget, part["x"], part["y"])
        return widget


class Gtk3(Window):
    def __init__(self, theme, font):
        gi.require_version("Gtk", "3.0")
        from gi.repository import Gtk
        super().__init__(Gtk, theme, font)
        self.window = Gtk.OffscreenWindow()
        self.window.set_size_request(WIDTH, HEIGHT)
        self.window.add(self.fixed)

    def icon(self, file):
        return self.gtk.Image.new_from_file(file)

    def toggle(self, kind, name):
        if kind == "check":
            return self.gtk.CheckButton(label=name)
        self.radio = self.gtk.RadioButton.new_with_label_from_widget(self.radio, name)
        return self.radio

    def combo(self, name):
        widget = self.gtk.ComboBoxText()
        widget.append_text(name)
        widget.set_active(0)
        return widget

    def show(self):
        self.window.show_all()
        iterate_until_painted(self.window.get_frame_clock())

    def box(self, widget):
        at = widget.get_allocation()
        return [at.x, at.y, at.width, at.height]

    def mark(self, widget, kind):
        """The toolkit has no widget for what is ticked, but its size in its style."""
        context = self.gtk.StyleContext()
        path = widget.get_path().copy()
        path.append_type(self.gtk.Widget)
        path.iter_set_object_name(-1, kind)
        context.set_path(path)
        state = self.gtk.StateFlags.NORMAL
        margin, border, padding = (context.get_margin(state), context.get_border(state),
                                   context.get_padding(state))
        around = border.left + border.right + padding.left + padding.right
        width = context.get_property("min-width", state) + around
        height = context.get_property("min-height", state) + around
        own = widget.get_style_context().get_padding(state)
        x, y, _, high = self.box(widget)
        return [x + own.left + margin.left, y + (high - height) // 2, width, height]

    def save(self, file):
        self.window.get_pixbuf().savev(file, "png", [], [])


class Gtk4(Window):
    def __init__(self, theme, font):
        gi.require_version("Gtk", "4.0")
        from gi.repository import Gtk
        Gtk.init()
        super().__init__(Gtk, theme, font)
        self.window = Gtk.Window(decorated=False)
        self.window.set_default_size(WIDTH, HEIGHT)
        self.window.set_child(self.fixed)

    def icon(self, file):
        widget = self.gtk.Picture.new_for_filename(file)
        widget.set_can_shrink(False)
        return widget

    def toggle(self, kind, name):
        widget = self.gtk.CheckButton(label=name)
        if kind == "radio":
            # A group of one is drawn as a check box.
            widget.set_group(self.radio or self.gtk.CheckButton())
            self.radio = widget
        return widget

    def combo(self, name):
        return self.gtk.DropDown.new_from_strings([name])

    def show(self):
        self.window.present()
        iterate_until_painted(self.window.get_frame_clock())
        self.window.get_display().sync()

    def box(self, widget):
        done, at = widget.compute_bounds(self.window)
        assert done
        return [round(at.origin.x), round(at.origin.y), round(at.size.width), round(at.size.height)]

    def mark(self, widget, kind):
        return self.box(widget.get_first_child())

    def save(self, file):
        """GTK 4 paints on the screen only, and only GTK 3 reads from there."""
        gi.require_version("GdkX11", "4.0")
        from gi.repository import GdkX11  # noqa: F401
        place = str(self.window.get_surface().get_xid())
        subprocess.run([sys.executable, __file__, "grab", place, file], check=True)


def grab(window, file):
    gi.require_version("Gtk", "3.0")
    gi.require_version("Gdk", "3.0")
    gi.require_version("GdkX11", "3.0")
    from gi.repository import Gdk, GdkX11, Gtk
    Gtk.init([])
    on_screen = GdkX11.X11Window.foreign_new_for_display(Gdk.Display.get_default(), window)
    pixbuf = Gdk.pixbuf_get_from_window(on_screen, 0, 0, WIDTH, HEIGHT)
    pixbuf.savev(file, "png", [], [])


def main():
    if sys.argv[1] == "grab":
        grab(int(sys.argv[2]), sys.argv[3])
        return
    asked = json.load(sys.stdin)
    if sys.argv[1] == "icons":
        print(json.dumps([paint_icon(part) for part in asked["parts"] if part["kind"] == "icon"]))
        return
    window = {"gtk3": Gtk3, "gtk4": Gtk4}[sys.argv[1]](sys.argv[2], asked["font"])
    widgets = [window.put(part) for part in asked["parts"]]
    window.show()
    out = []
    for part, widget in zip(asked["parts"], widgets):
        box = window.box(widget)
        mark = window.mark(widget, part["kind"]) if part["kind"] in ("check", "radio") else box
        out.append([mark, box])
    window.save(sys.argv[3])
    print(json.dumps(out))


if __name__ == "__main__":
    main()
