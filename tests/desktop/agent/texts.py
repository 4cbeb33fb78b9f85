# SPDX-License-Identifier: Apache-2.0
"""Prints the texts of all editable fields on the accessibility bus, one JSON string a line.

Reads through the system's own AT-SPI library, so that what Gantry wrote is not read by Gantry.
"""
import json

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402


def walk(node, depth=0):
    """Every accessible below, to a depth that no toolkit exceeds."""
    if node is None or depth > 40:
        return
    yield node
    for i in range(min(node.get_child_count(), 500)):
        yield from walk(node.get_child_at_index(i), depth + 1)


def main():
    for node in walk(Atspi.get_desktop(0)):
        try:
            states = node.get_state_set()
            if node.get_text_iface() and states.contains(Atspi.StateType.EDITABLE):
                print(json.dumps(Atspi.Text.get_text(node, 0, -1)))
        except GLib.Error:
            continue  # it went away meanwhile


main()
