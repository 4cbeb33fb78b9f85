#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program that config/scenarios/login.yaml stands for, as a GTK 3 form.

usage: harbour.py [--without-password]
"""
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Atk", "1.0")
from gi.repository import Atk, Gtk  # noqa: E402  (the version has to be chosen before)


def named(widget, text):
    widget.get_accessible().set_name(text)
    return widget


def main():
    window = Gtk.Window(title="Harbour Login", default_width=420, default_height=300)
    window.connect("destroy", Gtk.main_quit)
    heading = Gtk.Label(label="Sign in to Harbour")
    heading.get_accessible().set_role(Atk.Role.HEADING)
    password = named(Gtk.Entry(visibility=False), "Password")
    password.set_input_purpose(Gtk.InputPurpose.PASSWORD)
    fields = [heading, named(Gtk.Entry(), "User"), password, Gtk.Button(label="Sign in")]
    if "--without-password" in sys.argv:
        fields.remove(password)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
    for widget in fields:
        box.add(widget)
    window.add(box)
    window.show_all()
    Gtk.main()


main()
