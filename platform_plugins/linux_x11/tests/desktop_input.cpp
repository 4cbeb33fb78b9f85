// SPDX-License-Identifier: Apache-2.0
//
// Pointer, keys and clipboard on a desktop with a window manager. Runs inside
// tools/desktop-session.
#include "activate.hpp"
#include "clipboard.hpp"
#include "desktop_support.hpp"
#include "keyboard.hpp"
#include "pointer.hpp"
#include "xcb_xkb.hpp"

#include <unistd.h>
#include <xcb/xtest.h>
#include <catch2/catch.hpp>

#include <thread>

using namespace gantry;
using namespace gantry::x11;
using namespace gantry::x11::testing;

namespace {

struct Fixture {
  X11Connection connection{{}};
  Keyboard keyboard{connection};
  Pointer pointer{connection};
  Clipboard clipboard{connection};
  Fixture() {
    REQUIRE(manager_answers());
    connection.add_listener(&keyboard);
    connection.add_listener(&clipboard);
    connection.start();
  }
  ~Fixture() {
    keyboard.maintain(true);
    connection.stop();
  }
  SessionPtr session() { return *connection.session(); }
  Window shown(const TestWindow& window) {
    REQUIRE(eventually([&] { return find_window(connection, window.id()).mapped; }));
    REQUIRE(activate_window(connection, window.id(), patience()).ok());
    (void)window.events();
    return find_window(connection, window.id());
  }
};

struct Press {
  std::uint8_t type;
  std::uint8_t detail;
  std::uint16_t state;
  Point at;  // root
  friend bool operator==(const Press&, const Press&) = default;
};

/// Key and button events that the window gets, until there are `count` of them.
std::vector<Press> presses(const TestWindow& window, std::size_t count, bool motion = false) {
  std::vector<Press> out;
  eventually([&] {
    for (const xcb_generic_event_t& event : window.events()) {
      const std::uint8_t type = event_type(event);
      const bool wanted = (type >= XCB_KEY_PRESS && type <= XCB_BUTTON_RELEASE) ||
                          (motion && type == XCB_MOTION_NOTIFY);
      if (!wanted) continue;
      // Key, button and motion events share their layout.
      const auto& press = reinterpret_cast<const xcb_button_press_event_t&>(event);
      out.push_back({type, press.detail, press.state, {press.root_x, press.root_y}});
    }
    return out.size() >= count;
  });
  return out;
}

Point middle(const Window& w) {
  return {w.bounds.x + w.bounds.width / 2, w.bounds.y + w.bounds.height / 2};
}

Pointer::At at(Point p) { return {p, {}, {}}; }

/// Everything clients can see of the keyboard, by the core protocol.
std::vector<xcb_keysym_t> core_map(const Session& s) {
  const auto reply = fetch_or_null<xcb_get_keyboard_mapping_reply>(
      s.xcb(), xcb_get_keyboard_mapping(s.xcb(), 8, 248));
  const xcb_keysym_t* keysyms = xcb_get_keyboard_mapping_keysyms(reply.get());
  return {keysyms, keysyms + xcb_get_keyboard_mapping_keysyms_length(reply.get())};
}

}  // namespace

TEST_CASE_METHOD(Fixture, "clicks arrive at the pixel, with button, count and window") {
  const TestWindow window({{200, 150, 300, 200}, 0x336699, "clicked"});
  const Window w = shown(window);
  const Point p = middle(w);
  for (const auto& [name, number] : std::vector<std::pair<std::string, std::uint8_t>>{
           {"left", 1}, {"middle", 2}, {"right", 3}}) {
    INFO(name);
    const auto outcome = pointer.click(at(p), name, 1, patience());
    REQUIRE(outcome.ok());
    CHECK(outcome->position == p);
    CHECK(outcome->window == window.id());
    CHECK(outcome->buttons_up);
    const auto got = presses(window, 2);
    REQUIRE(got.size() == 2);
    CHECK(got[0].type == XCB_BUTTON_PRESS);
    CHECK(got[0].detail == number);
    CHECK(got[0].at == p);
    CHECK(got[1].type == XCB_BUTTON_RELEASE);
  }
  REQUIRE(pointer.click(at(p), "left", 2, patience()).ok());
  CHECK(presses(window, 4).size() == 4);
}

TEST_CASE_METHOD(Fixture, "the evidence names the window that is really under the point") {
  const TestWindow window({{200, 150, 300, 200}, 0x336699, "below a menu"});
  const Window w = shown(window);
  const TestWindow menu({{middle(w).x - 20, middle(w).y - 20, 40, 40}, 0x998877, "menu", true});
  REQUIRE(eventually([&] { return find_window(connection, menu.id()).mapped; }));
  CHECK(pointer.move(at(middle(w)), patience())->window == menu.id());
  CHECK(pointer.move(at({w.bounds.x + 2, w.bounds.y + 2}), patience())->window == window.id());
  // On the title bar, which belongs to the manager's frame.
  CHECK(pointer.move(at({w.bounds.x + 60, w.bounds.y - 5}), patience())->window == window.id());
}

TEST_CASE_METHOD(Fixture, "the wheel turns in four directions") {
  const TestWindow window({{200, 150, 300, 200}, 0x336699, "scrolled"});
  const Point p = middle(shown(window));
  struct Row {
    int up, right;
    std::uint8_t button;
  };
  for (const Row& row : {Row{2, 0, 4}, Row{-2, 0, 5}, Row{0, -2, 6}, Row{0, 2, 7}}) {
    REQUIRE(pointer.scroll(at(p), row.up, row.right, patience()).ok());
    const auto got = presses(window, 4);
    REQUIRE(got.size() == 4);
    CHECK(got[0].detail == row.button);
    CHECK(got[2].detail == row.button);
  }
}

TEST_CASE_METHOD(Fixture, "a drag presses, moves in steps and releases at its end") {
  const TestWindow window({{200, 150, 300, 200}, 0x336699, "dragged"});
  const Window w = shown(window);
  const Point from{w.bounds.x + 20, w.bounds.y + 20};
  const Point to{w.bounds.x + 200, w.bounds.y + 120};
  const auto outcome = pointer.drag(at(from), to, "left", patience());
  REQUIRE(outcome.ok());
  CHECK(outcome->position == to);
  CHECK(outcome->buttons_up);
  std::vector<Press> got;
  eventually([&] {
    for (const Press& press : presses(window, 1, true)) got.push_back(press);
    return !got.empty() && got.back().type == XCB_BUTTON_RELEASE;
  });
  const auto begin = std::find_if(got.begin(), got.end(),
                                  [](const Press& p) { return p.type == XCB_BUTTON_PRESS; });
  REQUIRE(begin != got.end());
  CHECK(begin->at == from);
  CHECK(got.back().at == to);
  CHECK(std::count_if(begin, got.end(),
                      [](const Press& p) { return p.type == XCB_MOTION_NOTIFY; }) >= 4);
}

TEST_CASE_METHOD(Fixture, "a button can be held over several acts, modifiers for one") {
  const TestWindow window({{200, 150, 300, 200}, 0x336699, "held"});
  const Point p = middle(shown(window));
  CHECK_FALSE(pointer.press(at(p), "left", patience())->buttons_up);
  REQUIRE(pointer.move(at({p.x + 10, p.y}), patience()).ok());
  CHECK(pointer.release({}, "left", patience())->buttons_up);
  CHECK(presses(window, 2).size() == 2);
  REQUIRE(pointer.click({p, {"ctrl", "shift"}, {}}, "left", 1, patience()).ok());
  const auto got = presses(window, 6);
  const auto click = std::find_if(got.begin(), got.end(),
                                  [](const Press& e) { return e.type == XCB_BUTTON_PRESS; });
  REQUIRE(click != got.end());
  CHECK((click->state & (kControl | kShift)) == (kControl | kShift));
  CHECK(keys_down(*session()).none());
}

TEST_CASE_METHOD(Fixture, "points outside every monitor and unknown buttons are refused") {
  const auto monitors = list_monitors(*session());
  const x11::Rect screen = monitors->front().bounds;
  for (const Point p :
       {Point{-1, 5}, Point{screen.width, 5}, Point{5, screen.height}, Point{99999, 99999}}) {
    const auto refused = pointer.click(at(p), "left", 1, patience());
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::OutOfRange);
    CHECK_THAT(refused.error().message, Catch::Contains(to_text(screen)));
  }
  CHECK(pointer.click(at({5, 5}), "leftish", 1, patience()).error().code == Code::InvalidArgument);
  CHECK(pointer.click(at({5, 5}), "left", 0, patience()).error().code == Code::InvalidArgument);
  CHECK(pointer.click({Point{5, 5}, {"enter"}, {}}, "left", 1, patience()).error().code ==
        Code::InvalidArgument);
  CHECK(pointer.drag(at({5, 5}), {-5, 5}, "left", patience()).error().code == Code::OutOfRange);
}

TEST_CASE("a long drag is no hung server") {
  REQUIRE(manager_answers());
  std::atomic<std::int64_t> now{0};
  const MonotonicClock clock = [&] { return now.load(); };
  X11Connection connection({{}, clock});
  Pointer pointer(connection);
  connection.start();
  REQUIRE(connection.session().ok());
  const Patience watched(clock, Patience::kForever, [&] {
    now += 5'000'000'000;
    connection.break_hung(15'000'000'000);
    return false;
  });
  const auto outcome = pointer.drag({Point{10, 10}, {}, 1s}, {200, 10}, "left", watched);
  CHECK(outcome.ok());
  CHECK(connection.current() != nullptr);
  connection.stop();
}

TEST_CASE_METHOD(Fixture, "a drag that is cancelled lets the button go") {
  const TestWindow window({{200, 150, 300, 200}, 0x336699, "cancelled"});
  const Point p = middle(shown(window));
  std::atomic<bool> cancel{false};
  const Patience fickle(&steady_now, Patience::kForever, [&] { return cancel.load(); });
  Result<PointerOutcome> outcome = internal_error("not run");
  std::thread dragging([&] {
    outcome = pointer.drag({p, {}, 30s}, {p.x + 50, p.y}, "left", fickle);
  });
  const auto button_down = [&] {
    const auto reply = fetch_or_null<xcb_query_pointer_reply>(
        session()->xcb(), xcb_query_pointer(session()->xcb(), session()->root()));
    return (reply->mask & XCB_BUTTON_MASK_1) != 0;
  };
  CHECK(eventually(button_down));
  const std::int64_t begin = steady_now();
  cancel = true;
  dragging.join();
  CHECK(steady_now() - begin < 1'000'000'000);
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.error().code == Code::Cancelled);
  // The manager may hold the release back for a moment.
  CHECK(eventually([&] { return !button_down(); }));
}

TEST_CASE_METHOD(Fixture, "chords hold their modifiers around the key and let them go") {
  const TestWindow window({{200, 150, 300, 200}, 0x336699, "keys"});
  shown(window);
  const auto keymap = read_keymap(*session());
  const auto n = keymap->find_character(U'n', 0);
  const auto outcome = keyboard.press("ctrl+shift+n", 1, patience());
  REQUIRE(outcome.ok());
  CHECK(outcome->focus.top_level == window.id());
  const auto got = presses(window, 6);
  REQUIRE(got.size() == 6);
  CHECK(got[2].type == XCB_KEY_PRESS);
  CHECK(got[2].detail == n->keycode);
  CHECK((got[2].state & 0xFF) == (kControl | kShift));
  CHECK(got[5].type == XCB_KEY_RELEASE);
  CHECK(keys_down(*session()).none());
  REQUIRE(keyboard.press("enter", 3, patience()).ok());
  CHECK(presses(window, 6).size() == 6);
  const auto refused = keyboard.press("ctrl+pagedwn", 1, patience());
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, Catch::Contains("pagedown"));
  CHECK(keyboard.press("a", 0, patience()).error().code == Code::InvalidArgument);
}

TEST_CASE_METHOD(Fixture,
                 "a key that the map lacks is pressed on a spare keycode, which is emptied again") {
  const TestWindow window({{200, 150, 300, 200}, 0x336699, "spare"});
  shown(window);
  const auto before = core_map(*session());
  const auto outcome = keyboard.press("ctrl+Cyrillic_ya", 1, patience());
  REQUIRE(outcome.ok());
  CHECK(outcome->map_changes == 1);
  keyboard.maintain(true);  // this window shows no sign of having read its keys
  CHECK(core_map(*session()) == before);
  CHECK(keys_down(*session()).none());
}

TEST_CASE_METHOD(Fixture, "without a focus keys are refused, not lost") {
  xcb_set_input_focus(session()->xcb(), XCB_INPUT_FOCUS_NONE, XCB_NONE, XCB_CURRENT_TIME);
  REQUIRE(session()->sync().ok());
  const auto refused = keyboard.type("lost", patience());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::FailedPrecondition);
  xcb_set_input_focus(session()->xcb(), XCB_INPUT_FOCUS_POINTER_ROOT, XCB_INPUT_FOCUS_POINTER_ROOT,
                      XCB_CURRENT_TIME);
}

TEST_CASE_METHOD(Fixture, "text that no application would get is refused, shortcuts are not") {
  // When the last window closes, the manager keeps the focus on a window of its own.
  {
    const TestWindow window({{200, 150, 300, 200}, 0x336699, "about to lose the focus"});
    shown(window);
  }
  REQUIRE(eventually([&] {
    const auto focus = read_focus(*session());
    return focus.ok() && focus->top_level == XCB_NONE;
  }));
  const auto refused = keyboard.type("lost", patience());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::FailedPrecondition);
  CHECK(eventually([&] {
    const auto shortcut = keyboard.press("ctrl+alt+f7", 1, patience());
    return shortcut.ok() && shortcut->focus.top_level == XCB_NONE;
  }));
}

TEST_CASE_METHOD(Fixture, "what a crash left on the keyboard is repaired at the next start") {
  const auto before = core_map(*session());
  {
    // A Gantry that dies after binding: its note stays, its helper window does not.
    const auto dying = Session::open({});
    REQUIRE(dying.ok());
    const auto keymap = read_keymap(**dying);
    const std::vector<SpareKey> spare = {{keymap->spare_keycodes().front(), {0x010020AC, 0}}};
    write_note(**dying, spare);
    REQUIRE(bind_keys(**dying, *keymap, spare).ok());
    CHECK(core_map(*session()) != before);
    CHECK(*repair_leftovers(*session()) == 0);  // not while it lives
  }
  REQUIRE(eventually([&] { return repair_leftovers(*session()).value_or(0) == 1; }));
  CHECK(core_map(*session()) == before);
  CHECK(*repair_leftovers(*session()) == 0);
}

TEST_CASE_METHOD(Fixture, "the clipboard is read and written, by us and by others") {
  // `other` is a second adapter: another client with its own connection.
  X11Connection other_connection{{}};
  Clipboard other(other_connection);
  other_connection.add_listener(&other);
  other_connection.start();
  const std::string large = [] {
    std::string text;
    for (int i = 0; text.size() < 3'000'000; ++i) text += "line " + std::to_string(i) + " äöü😀\n";
    return text;
  }();
  for (const std::string& text :
       {std::string("Grüße 😀"), std::string(), std::string("latin é"), large}) {
    REQUIRE(clipboard.set(text, patience()).ok());
    CHECK(clipboard.get(patience())->text == text);
    const auto read = other.get(patience());
    REQUIRE(read.ok());
    CHECK(read->text == text);
    CHECK(std::count(read->targets.begin(), read->targets.end(), "UTF8_STRING") == 1);
  }
  REQUIRE(other.set("taken over", patience()).ok());
  CHECK(clipboard.get(patience())->text == "taken over");
  CHECK(clipboard.set("\xff", patience()).error().code == Code::InvalidArgument);
  other_connection.stop();  // the owner leaves and takes the text with it
  REQUIRE(eventually([&] { return !clipboard.get(patience()).ok(); }));
  const auto empty = clipboard.get(patience());
  CHECK(empty.error().code == Code::NotFound);
  CHECK_THAT(empty.error().message, Catch::Contains("no program owns it"));
}

TEST_CASE_METHOD(Fixture, "a clipboard whose owner is stuck ends in a deadline, not in a hang") {
  const TestWindow stuck({{0, 0, 50, 50}, 0x111111, "stuck owner", true});
  xcb_set_selection_owner(stuck.xcb(), stuck.id(), session()->atom(Atom::Clipboard),
                          XCB_CURRENT_TIME);
  xcb_flush(stuck.xcb());
  REQUIRE(eventually([&] {
    const auto owner = fetch_or_null<xcb_get_selection_owner_reply>(
        session()->xcb(),
        xcb_get_selection_owner(session()->xcb(), session()->atom(Atom::Clipboard)));
    return owner && owner->owner == stuck.id();
  }));
  const auto refused = clipboard.get(patience(200ms));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::DeadlineExceeded);
}
