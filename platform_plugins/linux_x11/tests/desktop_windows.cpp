// SPDX-License-Identifier: Apache-2.0
//
// Windows and capture on a desktop with a window manager. Runs inside tools/desktop-session.
#include "activate.hpp"
#include "capture.hpp"
#include "desktop.hpp"
#include "desktop_support.hpp"
#include "probe.hpp"
#include "window_watch.hpp"
#include "wire.hpp"

#include <unistd.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>

using namespace gantry;
using namespace gantry::x11;
using namespace gantry::x11::testing;

namespace {

/// A started connection on $DISPLAY.
struct Fixture {
  X11Connection connection{{}};
  ScreenCapture capture{connection};
  Fixture() {
    REQUIRE(manager_answers());
    connection.start();
  }
  ~Fixture() { connection.stop(); }

  Window managed(const TestWindow& window) {
    REQUIRE(eventually([&] { return find_window(connection, window.id()).mapped; }));
    return find_window(connection, window.id());
  }
  void bring_up(const TestWindow& window) {
    managed(window);
    REQUIRE(activate_window(connection, window.id(), patience()).ok());
  }
  SessionPtr session() { return *connection.session(); }
};

std::uint32_t pixel(const Frame& frame, int x, int y) {
  const std::uint8_t* p =
      frame.image.pixels.data() +
      static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.image.stride) +
      static_cast<std::size_t>(x) * 4;
  return static_cast<std::uint32_t>(p[2] << 16 | p[1] << 8 | p[0]);
}

bool all_of_colour(const Frame& frame, std::uint32_t colour) {
  for (int y = 0; y < frame.image.height; ++y) {
    for (int x = 0; x < frame.image.width; ++x) {
      if (pixel(frame, x, y) != colour) return false;
    }
  }
  return frame.image.width > 0;
}

double milliseconds_of(const std::function<void()>& work, int repetitions) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const std::int64_t begin = steady_now();
    work();
    best = std::min(best, static_cast<double>(steady_now() - begin) / 1e6);
  }
  return best;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a window is listed as it is") {
  const TestWindow window(
      {{220, 140, 320, 200}, 0x336699, "Grüße – 日本 😀 and a long enough title"});
  bring_up(window);
  const Window w = find_window(connection, window.id());
  CHECK(w.title == "Grüße – 日本 😀 and a long enough title");
  CHECK(w.pid == static_cast<std::uint32_t>(getpid()));
  CHECK(w.process == process_name(w.pid));
  CHECK_THAT(w.process, Catch::StartsWith("linux_x11"));
  CHECK(w.app_class == "TestClass");
  CHECK(w.type == "normal");
  CHECK(w.focused);
  CHECK_FALSE(w.minimized);
  CHECK_FALSE(w.popup);
  CHECK(w.monitor == 0);
  CHECK(w.bounds.width == 320);
  CHECK(w.bounds.height == 200);
  CHECK(w.frame.top > 0);  // openbox decorates it
  // The bounds are where the pixels are: the client area, not the frame.
  const auto frame = capture.screen({w.bounds, false, 0});
  REQUIRE(frame.ok());
  CHECK(all_of_colour(*frame, 0x336699));
  const auto beside = capture.screen({x11::Rect{w.bounds.x - 1, w.bounds.y, 1, 1}, false, 0});
  REQUIRE(beside.ok());
  CHECK(pixel(*beside, 0, 0) != 0x336699);
}

TEST_CASE_METHOD(Fixture, "stacking, focus and titles follow the desktop") {
  const TestWindow below({{50, 50, 200, 150}, 0x110000, "below"});
  const TestWindow above({{120, 90, 200, 150}, 0x001100, "above"});
  managed(below);
  bring_up(above);
  CHECK(find_window(connection, above.id()).stacking >
        find_window(connection, below.id()).stacking);
  const auto done = activate_window(connection, below.id(), patience());
  REQUIRE(done.ok());
  CHECK(done->route == "_NET_ACTIVE_WINDOW");
  CHECK(done->active == below.id());
  CHECK(find_window(connection, below.id()).stacking >
        find_window(connection, above.id()).stacking);
  CHECK(find_window(connection, below.id()).focused);
  CHECK_FALSE(find_window(connection, above.id()).focused);
  CHECK(activate_window(connection, below.id(), patience())->was_active);
  below.set_title("renamed");
  CHECK(eventually([&] { return find_window(connection, below.id()).title == "renamed"; }));
}

TEST_CASE_METHOD(Fixture,
                 "a minimised window says so, has no pixels, and comes back when activated") {
  const TestWindow window({{60, 60, 200, 100}, 0x445566, "to be minimised"});
  bring_up(window);
  window.minimise();
  REQUIRE(eventually([&] { return find_window(connection, window.id()).minimized; }));
  const auto frame = capture.window(window.id(), {}, patience());
  REQUIRE_FALSE(frame.ok());
  CHECK(frame.error().code == Code::FailedPrecondition);
  CHECK_THAT(frame.error().message, Catch::Contains("minimised"));
  const auto done = activate_window(connection, window.id(), patience());
  REQUIRE(done.ok());
  CHECK(done->was_minimized);
  const Window again = find_window(connection, window.id());
  CHECK(again.focused);
  CHECK_FALSE(again.minimized);
  CHECK(eventually([&] {
    const auto shot = capture.window(window.id(), {}, patience());
    return shot.ok() && all_of_colour(*shot, 0x445566);
  }));
}

TEST_CASE_METHOD(Fixture, "menus are listed as popups on top, and cannot be activated") {
  const TestWindow window({{60, 60, 200, 100}, 0x223344, "with a menu"});
  bring_up(window);
  const TestWindow menu({{80, 80, 60, 60}, 0x998877, "menu", true});
  const Window m = managed(menu);
  CHECK(m.popup);
  CHECK(m.bounds == x11::Rect{80, 80, 60, 60});
  CHECK(m.stacking > find_window(connection, window.id()).stacking);
  const auto refused = activate_window(connection, menu.id(), patience());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::FailedPrecondition);
}

TEST_CASE_METHOD(Fixture, "a window that is gone is not found") {
  xcb_window_t id = XCB_NONE;
  {
    const TestWindow window({});
    id = window.id();
    managed(window);
  }
  REQUIRE(eventually([&] { return find_window(connection, id).id == XCB_NONE; }));
  CHECK(activate_window(connection, id, patience()).error().code == Code::NotFound);
  CHECK(capture.window(id, {}, patience()).error().code == Code::NotFound);
}

TEST_CASE_METHOD(Fixture, "a covered window is captured without what covers it") {
  const TestWindow covered({{100, 100, 300, 200}, 0xAA3311, "covered"});
  const TestWindow cover({{80, 80, 400, 300}, 0x1133AA, "cover"});
  managed(covered);
  bring_up(cover);
  const auto frame = capture.window(covered.id(), {}, patience());
  REQUIRE(frame.ok());
  CHECK(frame->route == "XComposite+XShm");
  CHECK(frame->area == find_window(connection, covered.id()).bounds);
  CHECK(all_of_colour(*frame, 0xAA3311));
  // The name of the window's pixmap goes stale with a resize; the next capture has the new size.
  covered.move({100, 100, 350, 240});
  REQUIRE(eventually([&] { return find_window(connection, covered.id()).bounds.width == 350; }));
  CHECK(eventually([&] {
    const auto larger = capture.window(covered.id(), {}, patience());
    return larger.ok() && larger->image.width == 350 && larger->image.height == 240 &&
           all_of_colour(*larger, 0xAA3311);
  }));
  const auto part = capture.window(
      covered.id(), {x11::Rect{frame->area.x + 5, frame->area.y + 5, 10, 20}, false, 0},
      patience());
  INFO((part.ok() ? std::string() : part.error().message));
  REQUIRE(part.ok());
  CHECK(part->image.width == 10);
  CHECK(part->image.height == 20);
}

TEST_CASE_METHOD(Fixture, "a window that sticks out of the screen is captured whole") {
  const TestWindow window({{-40, 100, 200, 120}, 0x55AA22, "partly outside", true});
  managed(window);
  const auto frame = capture.window(window.id(), {}, patience());
  INFO((frame.ok() ? std::string() : frame.error().message));
  REQUIRE(frame.ok());
  CHECK(frame->area == x11::Rect{-40, 100, 200, 120});
  CHECK(all_of_colour(*frame, 0x55AA22));
}

TEST_CASE_METHOD(Fixture,
                 "an unchanged target is answered without pixels, a changed one with them") {
  const TestWindow window({{100, 100, 200, 100}, 0x101010, "still", true});
  managed(window);
  const x11::Rect area{110, 110, 50, 50};
  REQUIRE(eventually([&] { return all_of_colour(*capture.screen({area, false, 0}), 0x101010); }));
  for (const bool of_window : {false, true}) {
    const auto shot = [&](std::uint64_t serial) {
      const FrameRequest request{area, false, serial};
      return *(of_window ? capture.window(window.id(), request, patience())
                         : capture.screen(request));
    };
    std::uint64_t serial = shot(0).serial;
    REQUIRE(serial != 0);
    // Other programs draw too (a blinking cursor), so one still moment is enough.
    CHECK(eventually([&] {
      const Frame again = shot(serial);
      serial = again.serial;
      return again.unchanged && again.image.pixels.empty();
    }));
    const std::uint32_t colour = of_window ? 0x203040 : 0x405060;
    window.fill(colour);
    CHECK(eventually([&] {
      const Frame changed = shot(serial);
      return !changed.unchanged && changed.serial > serial && all_of_colour(changed, colour);
    }));
  }
}

TEST_CASE_METHOD(Fixture, "regions are cut to the screen, and refused outside of it") {
  const auto monitors = list_monitors(*session());
  REQUIRE(monitors.ok());
  const x11::Rect screen = monitors->front().bounds;
  const auto cut = capture.screen({x11::Rect{screen.width - 10, -5, 100, 20}, false, 0});
  REQUIRE(cut.ok());
  CHECK(cut->area == x11::Rect{screen.width - 10, 0, 10, 15});
  const auto outside = capture.screen({x11::Rect{screen.width, 0, 10, 10}, false, 0});
  REQUIRE_FALSE(outside.ok());
  CHECK(outside.error().code == Code::OutOfRange);
  CHECK_THAT(outside.error().message, Catch::Contains(to_text(screen)));
}

TEST_CASE_METHOD(Fixture, "images stay as they were while newer ones are taken") {
  const TestWindow window({{100, 100, 200, 100}, 0x0000FF, "colours", true});
  managed(window);
  const FrameRequest area{x11::Rect{110, 110, 20, 20}, false, 0};
  REQUIRE(eventually([&] { return all_of_colour(*capture.screen(area), 0x0000FF); }));
  std::map<std::uint32_t, Frame> kept;
  for (const std::uint32_t colour : {0xFF0000U, 0x00FF00U, 0xFFFF00U, 0x00FFFFU, 0xFFFFFFU}) {
    window.fill(colour);
    REQUIRE(eventually([&] { return all_of_colour(*capture.screen(area), colour); }));
    kept.emplace(colour, *capture.screen(area));
  }
  for (const auto& [colour, frame] : kept) CHECK(all_of_colour(frame, colour));
}

TEST_CASE_METHOD(Fixture, "changes are reported as they happen") {
  std::mutex mutex;
  std::vector<std::pair<WindowChange, xcb_window_t>> seen;
  WindowWatch watch([&](WindowChange change, xcb_window_t window, std::uint64_t) {
    const std::lock_guard lock(mutex);
    seen.emplace_back(change, window);
  });
  X11Connection watching{{}};
  watching.add_listener(&watch);
  watching.start();
  const auto saw = [&](WindowChange change, xcb_window_t window) {
    return eventually([&] {
      const std::lock_guard lock(mutex);
      return std::find(seen.begin(), seen.end(), std::pair(change, window)) != seen.end();
    });
  };
  const std::uint64_t before = watch.serial();
  {
    const TestWindow window({{90, 90, 200, 100}, 0x777777, "watched"});
    CHECK(saw(WindowChange::Opened, window.id()));
    bring_up(window);
    CHECK(saw(WindowChange::Focused, window.id()));
    window.set_title("watched, renamed");
    CHECK(saw(WindowChange::Renamed, window.id()));
    window.move({140, 120, 220, 130});
    CHECK(saw(WindowChange::Moved, window.id()));
    {
      const std::lock_guard lock(mutex);
      seen.clear();
    }
    const xcb_window_t id = window.id();
    const TestWindow menu({{0, 0, 50, 50}, 0x888888, "menu", true});
    CHECK(saw(WindowChange::Opened, menu.id()));
    window.unmap();
    CHECK(saw(WindowChange::Closed, id));
  }
  CHECK(watch.serial() > before);
  watching.stop();
}

TEST_CASE_METHOD(Fixture, "a window that gets the id of one before it has a uid of its own") {
  std::mutex mutex;
  std::set<xcb_window_t> opened;
  Desktop::Events events;
  events.window_changed = [&](WindowChange change, xcb_window_t window, std::uint64_t) {
    const std::lock_guard lock(mutex);
    if (change == WindowChange::Opened) opened.insert(window);
  };
  Desktop desktop(Settings{}, &steady_now, std::move(events));
  desktop.start();
  const std::unique_ptr<xcb_connection_t, decltype(&xcb_disconnect)> client(
      xcb_connect(nullptr, nullptr), &xcb_disconnect);
  const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(client.get())).data->root;
  const xcb_window_t id = xcb_generate_id(client.get());
  const auto make = [&] {
    const std::uint32_t unmanaged = 1;
    xcb_create_window(client.get(), XCB_COPY_FROM_PARENT, id, root, 10, 10, 60, 40, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_OVERRIDE_REDIRECT,
                      &unmanaged);
    xcb_map_window(client.get(), id);
    xcb_flush(client.get());
  };
  const auto uid = [&] {
    const auto list = desktop.list_windows({.include_transient = true}, patience());
    REQUIRE(list.ok());
    for (const WindowInfo& window : list->windows) {
      if (window.handle == to_handle(id)) return window.uid;
    }
    return std::string();
  };
  make();
  REQUIRE(eventually([&] { return !uid().empty(); }));
  const std::string first = uid();
  xcb_destroy_window(client.get(), id);
  std::free(xcb_get_input_focus_reply(client.get(), xcb_get_input_focus(client.get()), nullptr));
  // Events come in the order of what happened: when this one is heard, the end was heard before.
  const TestWindow later({{0, 0, 50, 50}, 0x888888, "later", true});
  REQUIRE(eventually([&] {
    const std::lock_guard lock(mutex);
    return opened.contains(later.id());
  }));
  make();
  REQUIRE(eventually([&] { return !uid().empty(); }));
  CHECK(uid() == first + ".2");
  CHECK(uid() == first + ".2");
}

TEST_CASE_METHOD(Fixture, "the probe finds a whole desktop") {
  const Suitability found = probe(connection, capture);
  CHECK(found.score == 100);
  CHECK(found.abilities.size() == 9);
  for (const Ability& ability : found.abilities) {
    INFO(ability.name << ": " << ability.reason);
    CHECK(ability.available);
  }
}

TEST_CASE_METHOD(Fixture, "the calls can be made at every step, and print what they take") {
  std::vector<std::unique_ptr<TestWindow>> windows;
  for (int i = 0; i < 10; ++i) {
    windows.push_back(std::make_unique<TestWindow>(
        TestWindow::Options{{30 * i, 30 * i, 200, 150}, 0x303030, "window " + std::to_string(i)}));
    managed(*windows.back());
  }
  const auto monitors = list_monitors(*session());
  // The best of many: a loaded machine says nothing about the code.
  const double list_ms =
      milliseconds_of([&] { REQUIRE(list_windows(*session(), *monitors)); }, 200);
  const double grab_ms = milliseconds_of([&] { REQUIRE(capture.screen({})); }, 100);
  std::uint64_t serial = capture.screen({})->serial;
  const double unchanged_ms = milliseconds_of(
      [&] {
        serial = capture.screen({std::nullopt, false, serial})->serial;
      },
      100);
  WARN("10 windows listed in " << list_ms << " ms, screen grabbed in " << grab_ms
                               << " ms, unchanged answered in " << unchanged_ms << " ms");
}
