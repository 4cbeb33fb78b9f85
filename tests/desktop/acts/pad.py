#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two GTK 3 windows, one over the other, that write down what the pointer does to them.

usage: pad.py FILE

FILE is rewritten at every event, as JSON: the events of the drawing area ("press", "motion",
"release" with place and held buttons and keys), how often each button was pressed, and which window
has the focus.
"""
import json
import os
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402  (the version has to be chosen before)

FILE = sys.argv[1]
STATE = {"events": [], "pressed": {}, "active": None}
MASKS = {"shift": Gdk.ModifierType.SHIFT_MASK, "button1": Gdk.ModifierType.BUTTON1_MASK,
         "ctrl": Gdk.ModifierType.CONTROL_MASK}
KINDS = {Gdk.EventType.BUTTON_PRESS: "press", Gdk.EventType.MOTION_NOTIFY: "motion",
         Gdk.EventType.BUTTON_RELEASE: "release"}


def write():
    with open(FILE + ".new", "w", encoding="utf-8") as out:
        json.dump(STATE, out)
    os.replace(FILE + ".new", FILE)


def on_pointer(_, event):
    kind = KINDS.get(event.type)
    if kind:
        held = [name for name, mask in MASKS.items() if event.state & mask]
        STATE["events"].append([kind, int(event.x_root), int(event.y_root), held])
        write()


def on_pressed(button):
    STATE["pressed"][button.get_label()] = STATE["pressed"].get(button.get_label(), 0) + 1
    write()


def on_active(window, _):
    if window.is_active():
        STATE["active"] = window.get_title()
        write()


def open_window(title, x, y, width, height, *children):
    window = Gtk.Window(title=title, default_width=width, default_height=height)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for child, expand in children:
        box.pack_start(child, expand, expand, 0)
    window.add(box)
    window.connect("notify::is-active", on_active)
    window.connect("destroy", Gtk.main_quit)
    window.move(x, y)
    window.show_all()
    return window


def button(label):
    widget = Gtk.Button(label=label)
    widget.connect("clicked", on_pressed)
    return widget, False


def hide_below(_, window):
    """Puts the window where the other one covers all of it, decoration included."""
    window.resize(150, 100)
    window.move(300, 350)


def main():
    area = Gtk.DrawingArea()
    area.add_events(Gdk.EventMask.BUTTON_PRESS_MASK | Gdk.EventMask.BUTTON_RELEASE_MASK |
                    Gdk.EventMask.POINTER_MOTION_MASK)
    for signal in ("button-press-event", "motion-notify-event", "button-release-event"):
        area.connect(signal, on_pointer)
    area.get_accessible().set_name("Canvas")
    pad = open_window("Pad", 60, 80, 400, 300, (area, True), button("Low"))
    high = button("High")
    high[0].connect("clicked", hide_below, pad)
    open_window("Cover", 260, 280, 400, 300, high)
    Gtk.main()


main()
