#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The pointer and the stacking order on a private desktop: hover, drag, what is covered, raising.

What happened is asked of the windows that it happened to, and of the window manager by xprop.

usage: pointer_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR
"""
import json
import os
import re
import subprocess
import sys

from rest import (PYTHON, check, confirmed, empty_folder, gtk_installed, on_private_desktop, running,
                  skip)
from eventually import eventually  # found by the import of rest

HERE = os.path.dirname(os.path.abspath(__file__))


def stacking():
    """Handles from the lowest to the highest, as the window manager lists them."""
    out = subprocess.run(["xprop", "-root", "_NET_CLIENT_LIST_STACKING"], capture_output=True,
                         check=True, text=True).stdout
    return [int(found, 16) for found in re.findall(r"0x[0-9a-f]+", out)]


class Pad:
    """The two windows, and what they have written down."""

    def __init__(self, observer, file):
        self.observer, self.file = observer, file
        for title in ("Pad", "Cover"):
            observer.wait_for({"type": "window_appears", "title_regex": f"^{title}$"})

    def state(self):
        with open(self.file, encoding="utf-8") as file:
            return json.load(file)

    def window(self, title):
        windows = self.observer.get("/api/windows")["windows"]
        return next(w for w in windows if w["title"] == title)

    def find(self, title, selector):
        uid = self.window(title)["window_uid"]
        return self.observer.get(f"/api/find_element?selector={selector}&window_uid={uid}")["bounds"]

    def areas(self, title):
        uid = self.window(title)["window_uid"]
        return self.observer.get("/api/visible_areas?window_uid=" + uid)["visible_regions"]

    def raise_window(self, title):
        uid = self.window(title)["window_uid"]
        answer = self.observer.get("/api/bring_to_foreground?window_uid=" + uid)
        assert answer["success"], answer
        return answer

    def above(self, upper, lower):
        order, handle = stacking(), {t: int(self.window(t)["handle"], 16) for t in (upper, lower)}
        return order.index(handle[upper]) > order.index(handle[lower])


def surface(areas):
    return sum(area["width"] * area["height"] for area in areas)


def contains(areas, x, y):
    return any(a["x"] <= x < a["x"] + a["width"] and a["y"] <= y < a["y"] + a["height"]
               for a in areas)


def hover(pad, observer):
    box = pad.find("Pad", "//*[name=%22Canvas%22]")
    x, y = box["x"] + 30, box["y"] + 40
    status, answer = observer.call("POST", "/api/hover", {"x": x, "y": y, "hover_ms": 1})
    check("hover_at", (status, answer["action"], answer["x"], answer["y"]), (200, "hover_at", x, y))
    confirmed(answer)
    eventually("the motion", lambda: ["motion", x, y, []] in pad.state()["events"])
    before = pad.state()["events"]
    status, answer = observer.call("POST", "/api/hover", {"x": x + 9, "y": y, "dry_run": True})
    check("a dry run", (status, answer["effect"]), (200, "no_op"))
    check("events after a dry run", pad.state()["events"], before)
    return box


def drag(pad, observer, box):
    start, end = (box["x"] + 40, box["y"] + 60), (box["x"] + 140, box["y"] + 20)
    seen = len(pad.state()["events"])
    status, answer = observer.call("POST", "/api/drag", {
        "from": dict(zip("xy", start)), "to": dict(zip("xy", end)), "modifiers": ["shift"],
        "duration_s": 0.1, "window_uid": pad.window("Pad")["window_uid"]})
    check("drag", (status, answer["from"], answer["to"]), (200, list(start), list(end)))

    def new_events():
        events = pad.state()["events"][seen:]
        return events if events and events[-1][0] == "release" else None
    events = eventually("the release", new_events)
    press = next(e for e in events if e[0] == "press")
    check("where it was pressed", press[1:], [*start, ["shift"]])
    check("where it was let go", events[-1][1:], [*end, ["shift", "button1"]])
    carried = [e for e in events if e[0] == "motion" and "button1" in e[3]]
    assert len(carried) >= 2, f"the pointer jumped: {events}"
    assert all(min(start[0], end[0]) <= e[1] <= max(start[0], end[0]) for e in carried), carried
    # Nothing is left held.
    x, y = box["x"] + 10, box["y"] + 10
    observer.call("POST", "/api/hover", {"x": x, "y": y, "hover_ms": 1})
    eventually("a motion with nothing held", lambda: ["motion", x, y, []] in pad.state()["events"])


def covered(pad, observer):
    """The button Low lies below the other window: seen by neither the areas nor the acts."""
    confirmed(pad.raise_window("Cover"))
    eventually("the focus", lambda: pad.state()["active"] == "Cover")
    assert pad.above("Cover", "Pad")
    low = pad.find("Pad", "//Button[name=%22Low%22]")
    cover = pad.window("Cover")["bounds"]
    x, y = cover["x"] + 5, low["y"] + low["height"] // 2
    assert low["x"] <= x < low["x"] + low["width"], (low, cover)
    areas = pad.areas("Pad")
    assert not contains(areas, x, y), areas
    assert contains(areas, low["x"] + 5, y), areas
    assert contains(pad.areas("Cover"), x, y)
    uid = pad.window("Pad")["window_uid"]
    status, answer = observer.call("POST", "/api/action",
                                   {"action": "click_at", "x": x, "y": y, "window_uid": uid})
    check("a click where it is covered", (status, answer["error_object"]["code"]),
          (409, "WindowOccluded"))
    # An element is clicked on the part of it that can be seen.
    clicks = pad.state()["pressed"].get("Low", 0)
    status, answer = observer.call("POST", "/api/element/double_click", {
        "selector": '//Button[name="Low"]', "window_uid": uid})
    check("a click beside the cover", status, 200)
    eventually("the clicks", lambda: pad.state()["pressed"].get("Low", 0) == clicks + 2)
    return surface(areas), (x, y)


def raised(pad, observer, part, point):
    answer = pad.raise_window("Pad")
    confirmed(answer)
    eventually("the focus", lambda: pad.state()["active"] == "Pad")
    assert pad.above("Pad", "Cover")
    check("the first of the windows", observer.get("/api/windows")["windows"][0]["title"], "Pad")
    areas = pad.areas("Pad")
    assert contains(areas, *point) and surface(areas) > part, (areas, part)
    assert not contains(pad.areas("Cover"), *point)
    clicks = pad.state()["pressed"].get("Low", 0)
    status, _ = observer.call("POST", "/api/action", {
        "action": "click_at", "x": point[0], "y": point[1],
        "window_uid": pad.window("Pad")["window_uid"]})
    check("a click where it was covered", status, 200)
    eventually("the click", lambda: pad.state()["pressed"].get("Low", 0) == clicks + 1)


def hidden_wholly(pad, observer):
    """Once the window lies wholly below the other one, its button cannot be reached at all."""
    pad.raise_window("Cover")
    observer.act("click", selector='//Button[name="High"]',
                 window_uid=pad.window("Cover")["window_uid"])
    uid = pad.window("Pad")["window_uid"]
    eventually("a window without a visible part", lambda: pad.areas("Pad") == [])
    status, answer = observer.call("POST", "/api/element/click", {
        "selector": '//Button[name="Low"]', "window_uid": uid, "dry_run": True})
    check("an element below another window", (status, answer["error"]["code"]),
          (409, "ElementOccluded"))


def inside(gantry, folder, file):
    with running(gantry, folder, "--profile", "desktop") as observer:
        pad = Pad(observer, file)
        pad.raise_window("Pad")
        eventually("the focus", lambda: pad.state()["active"] == "Pad")
        box = hover(pad, observer)
        drag(pad, observer, box)
        part, point = covered(pad, observer)
        raised(pad, observer, part, point)
        observer.screenshot(os.path.join(folder, "raised.png"))
        hidden_wholly(pad, observer)


def main():
    source, gantry, output = sys.argv[1:4]
    if not gtk_installed(3):
        skip("GTK 3 is not installed")
    folder = empty_folder(output, "pointer")
    file = os.path.join(folder, "state.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"events": [], "pressed": {}, "active": None}, out)
    sys.exit(on_private_desktop(source, [f"{PYTHON} {HERE}/pad.py {file}"], gantry, folder, file))


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(*sys.argv[2:5])
    else:
        main()
