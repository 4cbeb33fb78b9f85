// SPDX-License-Identifier: Apache-2.0
// Roles, states, boxes, titles and shortcuts: pure functions, tables of cases.
#include "app.hpp"
#include "assemble.hpp"
#include "convert.hpp"
#include "geometry.hpp"
#include "roles.hpp"
#include "states.hpp"
#include "window_match.hpp"

#include <catch2/catch.hpp>

#include <climits>
#include <set>

using namespace gantry::atspi;

TEST_CASE("role numbers keep their place in the protocol") {
  struct Case {
    std::uint32_t number;
    const char* observer;
    const char* name;
  };
  // Numbers as in at-spi2-core's AtspiRole; one off and everything is mislabelled.
  const Case cases[] = {
      {7, "CheckBox", "check box"},
      {11, "ComboBox", "combo box"},
      {16, "Dialog", "dialog"},
      {23, "Window", "frame"},
      {29, "Text", "label"},
      {34, "MenuBar", "menu bar"},
      {35, "MenuItem", "menu item"},
      {37, "Tab", "page tab"},
      {40, "Password", "password text"},
      {43, "Button", "push button"},
      {48, "ScrollBar", "scroll bar"},
      {51, "Slider", "slider"},
      {54, "StatusBar", "statusbar"},
      {61, "Edit", "text"},
      {69, "Window", "window"},
      {79, "Edit", "entry"},
      {88, "Link", "link"},
      {91, "TreeItem", "tree item"},
      {95, "Document", "document web"},
      {110, "Landmark", "landmark"},
      {116, "Text", "static"},
      {129, "Button", "push button menu"},
  };
  for (const Case& c : cases) {
    CHECK(role_info(c.number).observer == c.observer);
    CHECK(role_info(c.number).name == c.name);
  }
  CHECK(role_info(99999).observer == "Unknown");
}

TEST_CASE("every role but the password's may have its text read") {
  for (std::uint32_t role = 0; role < role_count(); ++role) {
    CHECK(((role_info(role).traits & kSecret) != 0) == (role == 40));
    CHECK_FALSE(role_info(role).observer.empty());
  }
}

TEST_CASE("states have the protocol's bit numbers and both spellings") {
  CHECK(state_bit("focused") == 12);
  CHECK(state_bit("showing") == 25);
  CHECK(state_bit("multi-line") == 17);
  CHECK(state_bit("multi_line") == 17);
  CHECK(state_bit("read-only") == 43);
  CHECK(state_bit("nonsense") == -1);
  StateSet states(1U << 24U, 1U << 9U);
  CHECK(states.enabled());  // SENSITIVE alone, as GTK 4 sets it
  CHECK(states.has(State::kCheckable));
  CHECK_FALSE(states.showing());
  CHECK(state_names(states) == std::vector<std::string_view>{"sensitive", "checkable"});
}

TEST_CASE("sentinel and impossible boxes are none") {
  struct Case {
    Bounds box;
    bool good;
  };
  const Case cases[] = {
      {{0, 0, 10, 10}, true},      {{-50, -50, 10, 10}, true}, {{INT_MIN, INT_MIN, 10, 10}, false},
      {{0, 0, 0, 0}, false},       {{5, 5, -1, -1}, false},    {{5, 5, 10, 0}, false},
      {{40000, 0, 10, 10}, false}, {{0, 0, 70000, 10}, false},
  };
  for (const Case& c : cases) CHECK(plausible_bounds(c.box).has_value() == c.good);
}

TEST_CASE("window-relative frames are moved, true ones are not") {
  const Bounds window{500, 300, 800, 600};
  SECTION("GTK 4: content box inside the client-side decoration") {
    const FrameOffset offset = frame_offset(Bounds{0, 0, 790, 590}, window, true);
    CHECK(offset.dx == 505);
    CHECK(offset.dy == 305);
  }
  SECTION("GTK 3: the frame includes the window manager's title bar") {
    CHECK_FALSE(frame_offset(Bounds{499, 280, 802, 621}, window, false).corrected());
  }
  SECTION("an unmistakable window-relative frame of another toolkit") {
    const FrameOffset offset = frame_offset(Bounds{0, 0, 800, 600}, window, false);
    CHECK(offset.dx == 500);
    CHECK(offset.dy == 300);
  }
  SECTION("a window that really is at the origin") {
    CHECK_FALSE(frame_offset(Bounds{0, 0, 800, 600}, Bounds{0, 0, 800, 600}, false).corrected());
  }
  SECTION("nothing is known of the window") {
    CHECK_FALSE(frame_offset(Bounds{0, 0, 800, 600}, std::nullopt, true).corrected());
  }
}

TEST_CASE("titles are compared without invisible characters") {
  CHECK(title_likeness("Editor", "Editor") == 2);
  CHECK(title_likeness("\xe2\x80\x8e"
                       "Editor ",
                       " Editor") == 2);
  CHECK(title_likeness("a\xc2\xa0"
                       "b",
                       "a  b") == 2);
  CHECK(title_likeness("notes.txt - Mousepad", "notes.txt") == 1);
  CHECK(title_likeness("Editor", "Player") == 0);
}

namespace {

FrameCandidate frame(std::uint32_t pid, const char* name, Bounds box, bool relative = false) {
  FrameCandidate candidate;
  candidate.pid = pid;
  candidate.name = name;
  candidate.bounds = box;
  candidate.window_relative = relative;
  candidate.showing = true;
  return candidate;
}

WindowHint hint(std::uint32_t pid, const char* title, std::optional<Bounds> bounds) {
  WindowHint out;
  out.pid = pid;
  out.title = title;
  out.bounds = bounds;
  return out;
}

}  // namespace

TEST_CASE("frames are matched by process, title and geometry, in that order") {
  const Bounds left{0, 0, 400, 300};
  const Bounds right{600, 0, 400, 300};
  struct Case {
    const char* what;
    WindowHint hint;
    std::vector<FrameCandidate> frames;
    int chosen;  // −1: none
    const char* rule;
  };
  const Case cases[] = {
      {"all three", hint(7, "A", left), {frame(7, "A", left)}, 0, "pid+title+bounds"},
      {"same title twice in one process: geometry decides",
       hint(7, "A", right),
       {frame(7, "A", left), frame(7, "A", right)},
       1,
       "pid+title+bounds"},
      {"the process outweighs a title elsewhere",
       hint(7, "A", left),
       {frame(8, "A", left), frame(7, "B", left)},
       1,
       "pid+bounds"},
      {"title without geometry",
       hint(7, "A", std::nullopt),
       {frame(7, "B", left), frame(7, "A", left)},
       1,
       "pid+title"},
      {"the only frame of the process",
       hint(7, "renamed", right),
       {frame(7, "old", left)},
       0,
       "pid+only_frame"},
      {"several frames, none fits",
       hint(7, "popup", Bounds{50, 50, 20, 20}),
       {frame(7, "A", left), frame(7, "B", right)},
       -1,
       ""},
      {"GTK 4: position does not count",
       hint(7, "A", right),
       {frame(7, "A", left, true)},
       0,
       "pid+title+bounds"},
      {"unknown process, title and place agree",
       hint(0, "A", left),
       {frame(9, "A", left)},
       0,
       "title+bounds"},
      {"another process, title alike, place differs",
       hint(7, "A", right),
       {frame(9, "A", left)},
       -1,
       ""},
      {"another process and title", hint(7, "A", left), {frame(9, "Z", left)}, -1, ""},
      {"nobody", hint(7, "A", left), {}, -1, ""},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    const auto match = match_frame(c.hint, c.frames);
    REQUIRE(match.has_value() == (c.chosen >= 0));
    if (!match) continue;
    CHECK(static_cast<int>(match->index) == c.chosen);
    CHECK(match->rule == c.rule);
    CHECK_FALSE(match->ambiguous);
  }
}

TEST_CASE("two equal frames are said to be ambiguous") {
  const Bounds box{0, 0, 400, 300};
  const auto match = match_frame(hint(7, "A", box), {frame(7, "A", box), frame(7, "A", box)});
  REQUIRE(match);
  CHECK(match->ambiguous);
}

TEST_CASE("key bindings become readable shortcuts") {
  struct Case {
    const char* binding;
    const char* shortcut;
  };
  const Case cases[] = {
      {"n;<Alt>f:n;<Primary>n", "Ctrl+N"},
      {"s;<Alt>f:s;<Primary><Shift>s", "Ctrl+Shift+S"},
      {"f;<Alt>f;", "Alt+F"},
      {"F11;;F11", "F11"},
      {"n;<Alt>f:n;", ""},  // a way through a menu is no shortcut
      {"Ctrl+N", "Ctrl+N"},
      {"n", ""},  // a mnemonic alone works only while its menu is open
      {"<Control>q", "Ctrl+Q"},
      {"", ""},
      {";;", ""},
  };
  for (const Case& c : cases) {
    INFO(c.binding);
    CHECK(shortcut_of(c.binding) == c.shortcut);
  }
}

TEST_CASE("toolkits are told apart") {
  CHECK(toolkit_of("gtk", "3.24.38") == Toolkit::kGtk3);
  CHECK(toolkit_of("GTK", "4.8.3") == Toolkit::kGtk4);
  CHECK(toolkit_of("GAIL", "2.24") == Toolkit::kGtk3);
  CHECK(toolkit_of("Qt", "5.15.8") == Toolkit::kQt);
  CHECK(toolkit_of("Chromium", "1.0") == Toolkit::kChromium);
  CHECK(toolkit_of("", "") == Toolkit::kUnknown);
  CHECK(toolkit_traits(Toolkit::kGtk4).window_relative);
  CHECK(toolkit_traits(Toolkit::kGtk3).bounds_events);
}

TEST_CASE("native references survive a round trip, nonsense is refused") {
  const ObjectRef ref{":1.42", "/org/a11y/atspi/accessible/7"};
  CHECK(ObjectRef::parse(ref.native()) == ref);
  for (const char* bad : {"", ":1.42", "/org/a11y", "x:/a b", ":1.42:/a//b", ":/a"}) {
    INFO(bad);
    CHECK_FALSE(ObjectRef::parse(bad));
  }
}

TEST_CASE("the probe counts the bus's applications as people do") {
  BusStatus status;
  status.up = true;
  status.source = "AT_SPI_BUS_ADDRESS";
  for (const auto& [count, shown] :
       {std::pair{0, ", 0 applications"}, {1, ", 1 application"}, {2, ", 2 applications"}}) {
    status.applications = static_cast<std::size_t>(count);
    CHECK(to_report(status).reason.ends_with(shown));
  }
}
