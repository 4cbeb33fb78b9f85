// SPDX-License-Identifier: Apache-2.0
//
// The X server absent, killed, restarted, stuck; a display without a window manager. These start
// their own Xvfb.
#include "activate.hpp"
#include "capture.hpp"
#include "clipboard.hpp"
#include "desktop_support.hpp"
#include "keyboard.hpp"
#include "pointer.hpp"
#include "probe.hpp"
#include "window_watch.hpp"

#include <signal.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace gantry;
using namespace gantry::x11;
using namespace gantry::x11::testing;

TEST_CASE("without a display everything answers unavailable, with a cure") {
  X11Connection connection({":54321"});
  ScreenCapture capture(connection);
  Keyboard keyboard(connection);
  connection.start();
  const auto session = connection.session();
  REQUIRE_FALSE(session.ok());
  CHECK(session.error().code == Code::Unavailable);
  CHECK_THAT(session.error().message, Catch::Contains("cure:") && Catch::Contains("DISPLAY"));
  CHECK(capture.screen({}).error().code == Code::Unavailable);
  CHECK(keyboard.type("x", patience()).error().code == Code::Unavailable);
  const Suitability found = probe(connection, capture);
  CHECK(found.score == 0);
  CHECK_THAT(found.reason, Catch::Contains(":54321"));
  CHECK_FALSE(found.cure.empty());
  connection.stop();
}

TEST_CASE("DISPLAY unset, malformed or of a wrong screen is told apart") {
  struct Row {
    std::string display;
    std::string says;
  };
  for (const Row& row :
       {Row{"nonsense", "not a display name"}, Row{":54321", "no X server answers"}}) {
    INFO(row.display);
    const auto session = Session::open(row.display);
    REQUIRE_FALSE(session.ok());
    CHECK_THAT(session.error().message, Catch::Contains(row.says));
  }
  const char* saved = std::getenv("DISPLAY");
  const std::string display = saved != nullptr ? saved : "";
  unsetenv("DISPLAY");
  CHECK_THAT(Session::open({}).error().message, Catch::Contains("DISPLAY is not set"));
  if (saved != nullptr) setenv("DISPLAY", display.c_str(), 1);
}

TEST_CASE("a server that is killed and comes back is found again") {
  Xvfb server;
  REQUIRE(server.ok());
  std::atomic<int> lost{0};
  WindowWatch watch([&](WindowChange change, xcb_window_t, std::uint64_t) {
    if (change == WindowChange::Lost) ++lost;
  });
  X11Connection connection({server.display()});
  ScreenCapture capture(connection);
  Clipboard clipboard(connection);
  connection.add_listener(&watch);
  connection.add_listener(&clipboard);
  connection.start();
  const auto first = capture.screen({});
  REQUIRE(first.ok());
  REQUIRE(clipboard.set("dies with the server", patience()).ok());
  const std::uint64_t generation = (*connection.session())->generation();

  server.kill();
  CHECK(eventually([&] { return lost == 1; }));
  CHECK(capture.screen({}).error().code == Code::Unavailable);
  CHECK(clipboard.get(patience()).error().code == Code::Unavailable);
  CHECK_FALSE(connection.why_not().empty());
  CHECK(first->image.pixels.data()[0] ==
        first->image.pixels.data()[0]);  // an image outlives its server

  server.restart();
  REQUIRE(eventually([&] { return connection.session().ok(); }));
  CHECK((*connection.session())->generation() > generation);
  const auto second = capture.screen({std::nullopt, false, first->serial});
  REQUIRE(second.ok());
  CHECK_FALSE(second->unchanged);  // serials of the old server mean nothing
  CHECK(clipboard.get(patience()).error().code == Code::NotFound);
  const TestWindow window({{10, 10, 100, 100}, 0x123456, "after the restart"}, server.display());
  CHECK(eventually(
      [&] { return find_window(connection, window.id()).title == "after the restart"; }));
  connection.stop();
}

TEST_CASE("the thread reconnects by itself, with back-off, by the injected clock") {
  Xvfb server;
  REQUIRE(server.ok());
  server.kill();
  std::atomic<std::int64_t> now{1'000'000'000};
  ConnectionOptions options{server.display(), [&] { return now.load(); }, 100, 1'000'000'000};
  X11Connection connection(options);
  connection.start();
  CHECK(connection.current() == nullptr);
  server.restart();
  // Time stands still, so only a later now makes the thread try.
  CHECK(eventually([&] {
    now += 2'000'000'000;
    connection.poke();
    return connection.current() != nullptr;
  }));
  connection.stop();
}

TEST_CASE("calls under way end when the server dies, and calls after stop are refused") {
  Xvfb server;
  REQUIRE(server.ok());
  X11Connection connection({server.display()});
  ScreenCapture capture(connection);
  connection.start();
  std::atomic<bool> failed{false};
  std::thread grabbing([&] {
    while (capture.screen({}).ok()) {
    }
    failed = true;
  });
  server.kill();
  CHECK(eventually([&] { return failed.load(); }));
  grabbing.join();
  connection.stop();
  CHECK(connection.session().error().code == Code::Unavailable);
}

TEST_CASE("a stopped server counts as hung and its connection is broken") {
  Xvfb server;
  REQUIRE(server.ok());
  X11Connection connection({server.display()});
  ScreenCapture capture(connection);
  connection.start();
  REQUIRE(capture.screen({}).ok());
  connection.break_hung(1);  // nothing is under way, nothing is broken
  REQUIRE(connection.current() != nullptr);
  server.process().signal(SIGSTOP);
  Result<Frame> frame = internal_error("not run");
  std::atomic<bool> answered{false};
  std::thread waiting([&] {
    frame = capture.screen({});
    answered = true;
  });
  CHECK(eventually([&] {
    connection.break_hung(50'000'000);
    return answered.load();
  }));
  waiting.join();
  CHECK(frame.error().code == Code::Unavailable);
  server.process().signal(SIGCONT);
  CHECK(eventually([&] { return capture.screen({}).ok(); }));
  connection.stop();
}

TEST_CASE("a display without a window manager works with what there is") {
  Xvfb server;
  REQUIRE(server.ok());
  X11Connection connection({server.display()});
  ScreenCapture capture(connection);
  Pointer pointer(connection);
  connection.start();
  const TestWindow low({{10, 10, 200, 100}, 0x112233, "low"}, server.display());
  const TestWindow high({{50, 50, 200, 100}, 0x332211, "high"}, server.display());
  REQUIRE(eventually([&] { return find_window(connection, high.id()).mapped; }));
  const Window window = find_window(connection, low.id());
  CHECK(window.bounds == x11::Rect{10, 10, 200, 100});
  CHECK(window.title == "low");
  CHECK(window.app_class == "TestClass");
  CHECK(window.frame == Extents{});
  CHECK(window.stacking < find_window(connection, high.id()).stacking);
  CHECK(pointer.click({Point{60, 60}, {}, {}}, "left", 1, patience())->window == high.id());
  const auto done = activate_window(connection, low.id(), patience());
  REQUIRE(done.ok());
  CHECK(done->route == "XSetInputFocus");
  CHECK(find_window(connection, low.id()).focused);
  CHECK(pointer.click({Point{60, 60}, {}, {}}, "left", 1, patience())->window == low.id());
  const Suitability found = probe(connection, capture);
  CHECK(found.score == 80);
  CHECK_THAT(found.reason, Catch::Contains("without a window manager"));
  connection.stop();
}
