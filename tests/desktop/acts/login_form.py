#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A login form with GTK 3 or GTK 4 that writes down what reached it.

usage: login_form.py 3|4 FILE

Every time the button is pressed FILE is rewritten with what the widgets hold, as JSON: the
receiving application's own word for what an act did.
"""
import json
import os
import sys

import gi

VERSION, FILE = sys.argv[1], sys.argv[2]
gi.require_version("Gtk", VERSION + ".0")
from gi.repository import GLib, Gtk  # noqa: E402  (the version has to be chosen before)

GTK3 = VERSION == "3"
ROLES = ["Guest", "User", "Admin"]


def name(widget, text):
    if GTK3:
        widget.get_accessible().set_name(text)
    else:
        widget.update_property([Gtk.AccessibleProperty.LABEL], [text])
    return widget


def combo_box(options, label):
    box = Gtk.ComboBoxText()
    for option in options:
        box.append_text(option)
    box.set_active(0)
    return name(box, label)


class Form:
    def __init__(self, window):
        self.window = window
        self.presses = 0
        self.user = name(Gtk.Entry(), "Username")
        self.password = name(Gtk.Entry(visibility=False), "Password")
        if GTK3:
            self.password.set_input_purpose(Gtk.InputPurpose.PASSWORD)
        else:
            self.password = name(Gtk.PasswordEntry(), "Password")
        self.remember = Gtk.CheckButton(label="Remember me")
        if GTK3:
            self.role = combo_box(ROLES, "Role")
        else:
            self.role = name(Gtk.DropDown.new_from_strings(ROLES), "Role")
        self.language = combo_box(["English", "Welsh"], "Language")
        scale = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
        self.volume = name(scale, "Volume")
        self.login = Gtk.Button(label="Log in")
        self.login.connect("clicked", self.on_login)
        self.locked = Gtk.Button(label="Locked", sensitive=False)
        self.quit = Gtk.Button(label="Quit")
        self.quit.connect("clicked", lambda _: window.destroy())
        self.status = Gtk.Label(label="Not logged in")
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
        for widget in (self.user, self.password, self.remember, self.role, self.language,
                       self.volume, self.login, self.locked, self.quit, self.status):
            box.add(widget) if GTK3 else box.append(widget)
        window.add(box) if GTK3 else window.set_child(box)

    def chosen_role(self):
        return self.role.get_active_text() if GTK3 else ROLES[self.role.get_selected()]

    def on_login(self, _):
        self.presses += 1
        state = {"presses": self.presses, "user": self.user.get_text(),
                 "password": self.password.get_text(), "remember": self.remember.get_active(),
                 "role": self.chosen_role(), "volume": self.volume.get_value()}
        with open(FILE + ".new", "w", encoding="utf-8") as out:
            json.dump(state, out)
        os.replace(FILE + ".new", FILE)
        self.status.set_text("Welcome " + state["user"])


def main():
    if GTK3:
        window = Gtk.Window(title="Acme Login", default_width=360, default_height=320)
        window.connect("destroy", Gtk.main_quit)
        Form(window)
        window.show_all()
        Gtk.main()
        return
    loop = GLib.MainLoop()
    Gtk.init()
    settings = Gtk.Settings.get_default()
    settings.set_property("gtk-enable-animations", False)
    window = Gtk.Window(title="Acme Login", default_width=360, default_height=320)
    window.connect("destroy", lambda _: loop.quit())
    Form(window)
    window.present()
    loop.run()


main()
