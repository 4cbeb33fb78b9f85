// SPDX-License-Identifier: Apache-2.0
//
// Keys and buttons that are held: by whom, and who lets go when their holder is gone or the server
// hangs. These start their own Xvfb.
#include "desktop.hpp"
#include "desktop_support.hpp"
#include "held_note.hpp"
#include "keyboard.hpp"
#include "pointer.hpp"

#include <signal.h>
#include <xcb/xtest.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace gantry;
using namespace gantry::x11;
using namespace gantry::x11::testing;

namespace {

constexpr std::uint8_t kKey = 38;
constexpr std::uint8_t kShiftKey = 50;
constexpr std::uint8_t kLeft = 1;

/// A server, and somebody who looks at it without pressing anything.
struct Stage {
  Stage() : watcher(Session::open(server.display())) {
    REQUIRE(server.ok());
    REQUIRE(watcher.ok());
  }
  [[nodiscard]] const Session& eye() const { return **watcher; }
  [[nodiscard]] std::size_t held() const {
    const HeldByTest now = held_by_test(eye());
    return now.keys.count() + now.buttons.count();
  }
  [[nodiscard]] bool noted() const {
    return is_holding_noted(eye(), Holder::Keyboard) || is_holding_noted(eye(), Holder::Pointer);
  }
  [[nodiscard]] bool exists(xcb_window_t window) const {
    return fetch_or_null<xcb_get_geometry_reply>(eye().xcb(),
                                                 xcb_get_geometry(eye().xcb(), window)) != nullptr;
  }
  static void press(Session& session, std::uint8_t type, std::uint8_t detail) {
    xcb_test_fake_input(session.xcb(), type, detail, XCB_CURRENT_TIME, XCB_NONE, 0, 0, 0);
    REQUIRE(session.sync().ok());
  }

  Xvfb server;
  Result<SessionPtr> watcher;
};

/// Tells when the listeners before it have done what they do with a new session.
struct Connected final : Listener {
  void on_connected(const SessionPtr&) override { yes = true; }
  void on_event(const SessionPtr&, const xcb_generic_event_t&) override {}
  std::atomic<bool> yes{false};
};

/// The adapter's next start.
void connect_once(const Stage& stage) {
  X11Connection connection({stage.server.display()});
  Keyboard keyboard(connection);
  Connected connected;
  connection.add_listener(&keyboard);
  connection.add_listener(&connected);
  connection.start();
  CHECK(eventually([&] { return connected.yes.load(); }));
  connection.stop();
}

/// Presses a key and a button, and is gone without letting go, as after SIGKILL.
void hold_and_vanish(const Stage& stage, bool noted) {
  const auto session = Session::open(stage.server.display());
  REQUIRE(session.ok());
  Session& killed = **session;
  if (noted) note_holding(killed, Holder::Keyboard);
  if (noted) note_holding(killed, Holder::Pointer);
  Stage::press(killed, XCB_KEY_PRESS, kKey);
  Stage::press(killed, XCB_BUTTON_PRESS, kLeft);
  const xcb_window_t helper = killed.helper();
  killed.shut_down();
  REQUIRE(eventually([&] { return !stage.exists(helper); }));
}

}  // namespace

TEST_CASE("what a daemon that was killed still held is let go by the next one") {
  const Stage stage;
  hold_and_vanish(stage, true);
  REQUIRE(stage.held() == 2);
  connect_once(stage);
  CHECK(eventually([&] { return stage.held() == 0 && !stage.noted(); }));
}

TEST_CASE("what others hold by test events is theirs") {
  const Stage stage;
  SECTION("a program that leaves no note") { hold_and_vanish(stage, false); }
  SECTION("a Gantry that lives") {
    note_holding(stage.eye(), Holder::Pointer);
    Stage::press(**stage.watcher, XCB_KEY_PRESS, kKey);
    Stage::press(**stage.watcher, XCB_BUTTON_PRESS, kLeft);
  }
  REQUIRE(stage.held() == 2);
  connect_once(stage);
  CHECK(stage.held() == 2);
}

TEST_CASE("an act notes that it may hold something, until it holds nothing") {
  // The note goes on the adapter's connection, and the server may read the watcher's first.
  const Stage stage;
  X11Connection connection({stage.server.display()});
  Pointer pointer(connection);
  Keyboard keyboard(connection);
  connection.start();
  const TestWindow below({{0, 0, 300, 300}, 0x336699, "below"}, stage.server.display());
  const Pointer::At here{Point{20, 20}, {}, {}};
  REQUIRE(pointer.move(here, patience()).ok());
  CHECK(eventually([&] { return !stage.noted(); }));
  REQUIRE(pointer.press(here, "left", patience()).ok());
  CHECK(is_holding_noted(stage.eye(), Holder::Pointer));
  REQUIRE(pointer.scroll(here, 1, 0, patience()).ok());
  CHECK(is_holding_noted(stage.eye(), Holder::Pointer));  // the button still is down
  REQUIRE(pointer.release(here, "left", patience()).ok());
  CHECK(eventually([&] { return !stage.noted(); }));
  REQUIRE(pointer.click({Point{20, 20}, {"ctrl"}, {}}, "left", 1, patience()).ok());
  const auto pressed = keyboard.press("shift+a", 1, patience());
  INFO((pressed.ok() ? std::string() : pressed.error().message));
  REQUIRE(pressed.ok());
  CHECK(eventually([&] { return !stage.noted(); }));
  CHECK(stage.held() == 0);
  connection.stop();
}

TEST_CASE("nothing is held when the connection ends right after an act") {
  const Stage stage;
  const TestWindow below({{0, 0, 300, 300}, 0x336699, "below"}, stage.server.display());
  for (int round = 0; round < 20; ++round) {
    X11Connection connection({stage.server.display()});
    Keyboard keyboard(connection);
    Pointer pointer(connection);
    connection.start();
    REQUIRE(pointer.click({Point{5, 5}, {"alt"}, {}}, "left", 1, patience()).ok());
    REQUIRE(keyboard.press("ctrl+shift+a", 1, patience()).ok());
    // What the server has not read yet it drops now.
    (*connection.session())->shut_down();
    connection.stop();
    CHECK(stage.held() == 0);
  }
}

TEST_CASE("a modifier that another program holds is held again when a text is refused") {
  const Stage stage;
  Stage::press(**stage.watcher, XCB_KEY_PRESS, kShiftKey);
  X11Connection connection({stage.server.display()});
  Keyboard keyboard(connection);
  connection.start();
  const auto typed = keyboard.type("x", patience());  // no window has the focus
  REQUIRE_FALSE(typed.ok());
  CHECK(typed.error().code == Code::FailedPrecondition);
  CHECK(eventually([&] {
    const HeldByTest held = held_by_test(stage.eye());
    return held.keys.test(kShiftKey);
  }));
  connection.stop();
}

TEST_CASE("a server that hangs does not hold up a stop") {
  Stage stage;
  x11::Settings settings;
  settings.display = stage.server.display();
  Desktop desktop(settings, &steady_now, {});
  desktop.start();
  std::thread dragging([&] {
    PointerRequest request;
    request.action = PointerAction::Drag;
    request.x = 10;
    request.y = 10;
    request.to_x = 200;
    request.to_y = 200;
    request.duration_ms = 30'000;
    (void)desktop.pointer(request, patience());
  });
  CHECK(eventually([&] { return stage.held() == 1; }));
  stage.server.process().signal(SIGSTOP);
  std::atomic<bool> stopped{false};
  std::thread stopping([&] {
    desktop.stop(std::chrono::milliseconds(100));
    stopped = true;
  });
  CHECK(eventually([&] { return stopped.load(); }));
  stage.server.process().signal(SIGCONT);
  stopping.join();
  dragging.join();
}
