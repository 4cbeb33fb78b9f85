#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Drives a login form by REST on a private desktop, and asks the form what reached it.

usage: acts_test.py SOURCE_DIR GANTRY_BINARY OUTPUT_DIR TOOLKIT

TOOLKIT is gtk3, gtk4, chromium or qt (an editor instead of the form). Screenshots are kept in
OUTPUT_DIR/TOOLKIT/. Exit status 77: the toolkit is not installed. Called with --inside it is
the part that runs on the private desktop.
"""
import json
import os
import shutil
import subprocess
import sys

from rest import (PYTHON, check, confirmed, empty_folder, gtk_installed, on_private_desktop, running,
                  skip)

HERE = os.path.dirname(os.path.abspath(__file__))
SECRET = "correct horse ünïcode"


def fill_in(observer, window):
    """The whole form by selectors, with values that show where they went."""
    here = {"window_uid": window}
    user = "alice Ω"
    confirmed(observer.act("set_value", selector='//Edit[name="Username"]', value=user, **here))
    receipt = observer.act("set_value", selector='//*[name="Password"]', value=SECRET, **here)
    assert SECRET not in json.dumps(receipt, ensure_ascii=False), "a password came back"
    check("effect of setting a password", receipt["effect"], "unverified")
    confirmed(observer.act("click", selector='//CheckBox[name="Remember me"]', **here))
    confirmed(observer.act("set_value", selector='//Slider[name="Volume"]', value=40, **here))
    return here


def choose_admin(observer, here):
    return observer.act("select", selector='//ComboBox[name="Role"]', option_name="Admin", **here)


def press_login(observer, here):
    receipt = observer.act("click", selector='//Button[name="Log in"]', **here)
    assert receipt["effect"] in ("confirmed", "unverified"), receipt
    observer.wait_for({"type": "text_visible", "regex": "Welcome alice"}, **here)


def refusals(observer, here):
    """What must not happen, and the words it is refused with."""
    status, answer = observer.call("POST", "/api/element/click",
                                   {"selector": '//Button[name="Locked"]', **here})
    check("a disabled button", (status, answer["error"]["code"]), (409, "ElementDisabled"))
    status, answer = observer.call("POST", "/api/element/click", {"selector": "//Nope", **here})
    check("a missing element", (status, answer["error"]["code"]), (404, "ElementNotFound"))
    status, answer = observer.call("POST", "/api/element/click",
                                   {"selector": '//Button[name="Log in"]', "window_uid": "x11:1"})
    check("a missing window", (status, answer["error"]["code"]), (404, "WindowGone"))


def by_hand(observer, here):
    """The second ways: focus and keys, the pointer."""
    confirmed(observer.act("focus", selector='//Edit[name="Username"]', **here))
    observer.act("key", selector='//Edit[name="Username"]', keys="end", **here)
    status, answer = observer.call("POST", "/api/type_and_observe", {"text": "!", **here})
    check("type_and_observe", status, 200)
    assert "alice Ω!" in json.dumps(answer["observation"], ensure_ascii=False), answer
    confirmed(observer.act("clear_text", selector='//Edit[name="Username"]', **here))
    confirmed(observer.act("set_value", selector='//Edit[name="Username"]', value="bob", **here))
    status, answer = observer.call("POST", "/api/hover", {
        "selector": '//Button[name="Log in"]', "hover_ms": 1, **here})
    check("hover", (status, answer["effect"]), (200, "confirmed"))
    box = observer.get("/api/find_element?selector=//Button[name=%22Log%20in%22]&window_uid="
                       + here["window_uid"])["bounds"]
    middle = {"x": box["x"] + box["width"] // 2, "y": box["y"] + box["height"] // 2}
    status, answer = observer.call("POST", "/api/action", {"action": "click_at", **middle})
    check("click_at", status, 200)
    observer.wait_for({"type": "text_visible", "regex": "Welcome bob"}, **here)


def ids_and_waits(observer, here):
    uid = here["window_uid"]
    found = observer.get("/api/find_element?selector=//CheckBox&window_uid=" + uid)
    receipt = observer.act("click", element_id=found["element_id"], **here)
    confirmed(receipt)
    idle = observer.call("POST", "/api/wait_idle", {"quiet_ms": 100, **here})
    check("wait_idle", idle[0], 200)
    areas = observer.get("/api/visible_areas?window_uid=" + uid)
    assert areas["visible_regions"], areas


def under(node, role, name):
    """Every element of this role and name under `node`."""
    for child in node["children"]:
        if (child["role"], child["name"]) == (role, name):
            yield child
        yield from under(child, role, name)


def shown(observer, window, role, name):
    answer = observer.get("/api/structure?depth=20&window_uid=" + window)
    return under({"children": [answer["tree"]]}, role, name)


def gtk_form(observer, folder, toolkit):
    windows = observer.get("/api/windows")["windows"]
    window = next(w for w in windows if w["title"] == "Acme Login")["window_uid"]
    here = fill_in(observer, window)
    # A name of its own hides what the box shows, but GTK 3 says which child is chosen.
    confirmed(choose_admin(observer, here))
    if toolkit == "gtk3":
        box = next(shown(observer, window, "ComboBox", "Role"))
        check("what the box shows", box["value"], "Admin")
        check("the option", [o["selected"] for o in under(box, "MenuItem", "Admin")], [True])
    if toolkit == "gtk4":
        no_options(observer, here)
    press_login(observer, here)
    state = json.load(open(os.path.join(folder, "state.json"), encoding="utf-8"))
    wanted = {"presses": 1, "user": "alice Ω", "password": SECRET, "remember": True, "volume": 40.0,
              "role": "Admin"}
    check("what the form got", state, wanted)
    observer.screenshot(os.path.join(folder, "logged-in.png"))
    refusals(observer, here)
    by_hand(observer, here)
    state = json.load(open(os.path.join(folder, "state.json"), encoding="utf-8"))
    check("user and presses afterwards", (state["user"], state["presses"]), ("bob", 2))
    ids_and_waits(observer, here)
    quit_by(observer, here, toolkit)


def no_options(observer, here):
    """GTK 4.8 gives the options of its old combo box no names, closed or open."""
    status, answer = observer.call("POST", "/api/element/select", {
        "selector": '//ComboBox[name="Language"]', "option_name": "Welsh", **here})
    check("a list without options", (status, answer["effect"]), (404, "refused"))
    assert "option not found" in answer["error"]["message"], answer


def quit_by(observer, here, toolkit):
    receipt = observer.act("click", selector='//Button[name="Quit"]', **here)
    if toolkit == "gtk3":
        assert "is gone" in confirmed(receipt)["evidence"], receipt
    else:
        # GTK 4 shows a button pressed for a quarter of a second before it does what it is for;
        # until then nothing is known but that it took the call.
        assert receipt["effect"] in ("confirmed", "unverified"), receipt
    gone = observer.wait_for({"type": "window_disappears", "window_uid": here["window_uid"]})
    check("the window that went", gone.get("matched_index"), 0)


def chromium_form(observer, folder, _):
    page = {"type": "window_appears", "title_regex": "Acme Login"}
    found = observer.wait_for(page, timeout_ms=20000)
    here = {"window_uid": found["matched_detail"]["window_uid"]}
    observer.wait_for({"type": "element_appears", "selector": '//Button[name="Log in"]'},
                      timeout_ms=20000, **here)
    fill_in(observer, here["window_uid"])
    confirmed(choose_admin(observer, here))
    press_login(observer, here)
    # The page writes what reached it into its title, which the window gets a moment after the tree.
    observer.wait_for({"type": "window_appears", "title_regex": "\"presses\""})
    windows = observer.get("/api/windows")["windows"]
    window = next(w for w in windows if w["window_uid"] == here["window_uid"])
    assert SECRET not in window["title"], "a password came back in a title"
    # The window system is asked, because the observer hides what was typed as a password.
    shown = subprocess.run(["xprop", "-id", "0x" + window["handle"], "-notype", "8u",
                            "_NET_WM_NAME"], capture_output=True, check=True).stdout.decode()
    title = json.loads(shown[shown.index('"'):])
    state = json.loads(title[:title.rindex("}") + 1])
    check("what the page got", state, {"presses": 1, "user": "alice Ω", "password": SECRET,
                                       "remember": True, "volume": 40, "role": "Admin"})
    observer.screenshot(os.path.join(folder, "logged-in.png"))
    refusals(observer, here)


def qt_editor(observer, folder, _):
    """featherpad is an editor: text, keys and menus. What reached it is the file that it saves."""
    windows = observer.get("/api/windows")["windows"]
    window = next(w for w in windows if w["process"] == "featherpad")
    here = {"window_uid": window["window_uid"]}
    confirmed(observer.act("set_value", selector="//Document", value="first line", **here))
    confirmed(observer.act("focus", selector="//Document", **here))
    observer.act("key", selector="//Document", keys="ctrl+end", **here)
    answer = observer.call("POST", "/api/type_and_observe", {"text": " and more Ω", **here})[1]
    assert "first line and more Ω" in json.dumps(answer, ensure_ascii=False), answer
    observer.act("key", selector="//Document", keys="ctrl+s", **here)
    # A changed file has a star before its name.
    observer.wait_for({"type": "window_appears", "title_regex": "^[^*]*notes.txt"})
    with open(os.path.join(folder, "notes.txt"), encoding="utf-8") as notes:
        check("the saved file", notes.read().rstrip("\n"), "first line and more Ω")
    receipt = observer.act("click", selector='//MenuItem[name="File"]', **here)
    assert receipt["effect"] in ("confirmed", "unverified"), receipt
    observer.screenshot(os.path.join(folder, "menu.png"))


RUNS = {"gtk3": gtk_form, "gtk4": gtk_form, "chromium": chromium_form, "qt": qt_editor}


def app_of(toolkit, folder):
    form = os.path.join(HERE, "login_form.py")
    return {"gtk3": f"{PYTHON} {form} 3 {folder}/state.json",
            "gtk4": f"env GSK_RENDERER=cairo {PYTHON} {form} 4 {folder}/state.json",
            "chromium": f"chromium --user-data-dir={folder}/profile {HERE}/form.html",
            "qt": f"featherpad {folder}/notes.txt"}[toolkit]


def installed(toolkit):
    if toolkit in ("chromium", "qt"):
        return shutil.which({"chromium": "chromium", "qt": "featherpad"}[toolkit]) is not None
    return gtk_installed(toolkit[3])


def inside(gantry, folder, toolkit):
    with running(gantry, folder, "--profile", "desktop") as observer:
        RUNS[toolkit](observer, folder, toolkit)


def main():
    source, gantry, output, toolkit = sys.argv[1:5]
    if not installed(toolkit):
        skip(f"{toolkit} is not installed")
    folder = empty_folder(output, toolkit)
    with open(os.path.join(folder, "notes.txt"), "w", encoding="utf-8"):
        pass  # the editor opens it
    sys.exit(on_private_desktop(source, [app_of(toolkit, folder)], gantry, folder, toolkit))


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(*sys.argv[2:5])
    else:
        main()
