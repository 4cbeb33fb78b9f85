// SPDX-License-Identifier: Apache-2.0
//
// Text that arrives in real programs, read back from what the programs themselves write to a file.
// Runs inside tools/desktop-session.
#include "activate.hpp"
#include "desktop_support.hpp"
#include "keyboard.hpp"
#include "xcb_xkb.hpp"

#include <unistd.h>
#include <xcb/xtest.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

using namespace gantry;
using namespace gantry::x11;
using namespace gantry::x11::testing;

namespace {

struct Receiver {
  std::string name;
  std::vector<std::string> command;  // FILE is replaced by the file's path
};

const Receiver kReceivers[] = {
    {"gtk3", {GANTRY_RECEIVERS "/gtk3_receiver", "FILE"}},
    {"gtk4", {GANTRY_RECEIVERS "/gtk4_receiver", "FILE"}},
    {"qt5", {GANTRY_RECEIVERS "/qt5_receiver", "FILE"}},
    // A line at a time; no accessibility, no _NET_WM_PING.
    {"xterm",
     {"xterm", "-u8", "-T", "receiver xterm", "-e", "sh", "-c", "stty -echoctl; exec cat > FILE"}},
};

const std::string kLayouts[] = {"us", "fr", "de", "ru", "us,ru"};

const std::string kTexts[] = {
    "The quick brown fox jumps over THE LAZY dog, 51 ch!",
    "Straße kostet 20 € – Привет, МИР! 日本語 😀👍🏽 Zażółć gęślą jaźń “ok” É À ÿ",
    "~^`'\" {}[]|\\@#$%&*()_+-=<>?/;: 0123456789 e\u0301",
};

class TypingFixture {
 public:
  TypingFixture() {
    REQUIRE(manager_answers());
    connection_.add_listener(&keyboard_);
    connection_.start();
    file_ = std::filesystem::temp_directory_path() / ("gantry-typed-" + std::to_string(getpid()));
  }
  ~TypingFixture() {
    process_.kill();
    connection_.stop();
    std::filesystem::remove(file_);
    set_layout("us");
  }

 protected:
  static void set_layout(const std::string& layout) {
    REQUIRE(std::system(("setxkbmap " + layout).c_str()) == 0);
  }

  void start(const Receiver& receiver) {
    std::filesystem::remove(file_);
    std::vector<std::string> command = receiver.command;
    for (std::string& argument : command) {
      if (const auto at = argument.find("FILE"); at != std::string::npos)
        argument.replace(at, 4, file_.string());
    }
    // Not with the strict checks of strings that our programs get: libxkbcommon bounds strndup() by
    // a length, in a buffer that has no terminator.
    process_ = Process(command, {"LC_ALL=C.UTF-8", "GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb",
                                 "ASAN_OPTIONS=detect_leaks=0"});
    window_ = XCB_NONE;
    REQUIRE(eventually([&] { return find_receiver("receiver " + receiver.name); }, 30s));
    REQUIRE(activate_window(connection_, window_, patience()).ok());
    // A program that has just mapped its window may still be setting up its keyboard: it is ready
    // when the first key shows.
    is_terminal_ = receiver.name == "xterm";
    REQUIRE(eventually([&] {
      if (!keyboard_.type(is_terminal_ ? "r\n" : "r", patience()).ok()) return false;
      return eventually([&] { return !read_file(file_).empty(); }, 500ms);
    }));
    clear();
  }

  void clear() {
    if (is_terminal_) {
      // What was typed before may still be on its way; a last line tells when all of it has come.
      REQUIRE(keyboard_.type("END\n", patience()).ok());
      REQUIRE(eventually([&] { return read_file(file_).ends_with("END\n"); }));
      std::filesystem::resize_file(file_, 0);
      offset_ = 0;
      return;
    }
    REQUIRE(eventually([&] {
      REQUIRE(keyboard_.press("ctrl+a delete", 1, patience()).ok());
      return eventually([&] { return read_file(file_).empty(); }, 1s);
    }));
  }

  /// Types and gives back what the program has then: when it is as long as it should be, and stays
  /// so.
  std::string typed(const std::string& text, KeyboardOutcome* outcome = nullptr) {
    const auto result = keyboard_.type(is_terminal_ ? text + "\n" : text, patience());
    INFO((result.ok() ? std::string() : result.error().message));
    REQUIRE(result.ok());
    if (outcome != nullptr) *outcome = *result;
    eventually([&] { return received() == text; });
    return received();
  }

  std::string received() {
    std::string got = read_file(file_);
    // cat goes on writing behind the hole that emptying the file left.
    got.erase(0, std::min(got.find_first_not_of('\0'), got.size()));
    if (is_terminal_ && got.ends_with('\n')) got.pop_back();
    return got;
  }

  std::vector<xcb_keysym_t> core_map() {
    const auto session = *connection_.session();
    const auto reply = fetch_or_null<xcb_get_keyboard_mapping_reply>(
        session->xcb(), xcb_get_keyboard_mapping(session->xcb(), 8, 248));
    const xcb_keysym_t* keysyms = xcb_get_keyboard_mapping_keysyms(reply.get());
    return {keysyms, keysyms + xcb_get_keyboard_mapping_keysyms_length(reply.get())};
  }

  bool find_receiver(const std::string& title) {
    const auto list = list_windows(**connection_.session(), {});
    if (!list.ok()) return false;
    for (const Window& window : list->windows) {
      if (window.title == title && window.mapped) window_ = window.id;
    }
    return window_ != XCB_NONE;
  }

  X11Connection connection_{{}};
  Keyboard keyboard_{connection_};
  std::filesystem::path file_;
  Process process_;
  xcb_window_t window_ = XCB_NONE;
  bool is_terminal_ = false;
  std::size_t offset_ = 0;
};

}  // namespace

TEST_CASE_METHOD(TypingFixture, "every program gets exactly the text, under every layout") {
  for (const Receiver& receiver : kReceivers) {
    start(receiver);
    for (const std::string& layout : kLayouts) {
      set_layout(layout);
      const auto before = core_map();
      for (const std::string& text : kTexts) {
        INFO(receiver.name << ", layout " << layout);
        KeyboardOutcome outcome;
        CHECK(typed(text, &outcome) == text);
        CHECK_FALSE(outcome.restored_later);
        CHECK(outcome.map_changes <= 1);
        CHECK(core_map() == before);
        CHECK(keys_down(**connection_.session()).none());
        clear();
      }
    }
    set_layout("us");
  }
}

TEST_CASE_METHOD(TypingFixture, "lines and tabs arrive as such") {
  start(kReceivers[0]);
  CHECK(typed("one\n\ttwo\r\nthree") == "one\n\ttwo\nthree");
}

TEST_CASE_METHOD(TypingFixture,
                 "more strange characters than spare keycodes go in several batches") {
  for (const Receiver& receiver : kReceivers) {
    INFO(receiver.name);
    start(receiver);
    std::string text;
    for (char32_t c = U'ⴀ'; c < U'ⴀ' + 38; ++c) append_utf8(text, c);  // Georgian
    for (char32_t c = U'Ա'; c < U'Ա' + 38; ++c) append_utf8(text, c);  // Armenian
    for (char32_t c = U'ⴀ'; c < U'ⴀ' + 10; ++c) append_utf8(text, c);  // Georgian again
    const auto before = core_map();
    KeyboardOutcome outcome;
    CHECK(typed(text, &outcome) == text);
    CHECK(outcome.map_changes >= 3);
    CHECK(core_map() == before);
  }
}

TEST_CASE_METHOD(
    TypingFixture,
    "CapsLock, NumLock, a held Shift and another group do not change the text and are put back") {
  start(kReceivers[0]);
  set_layout("us,ru");
  const auto session = *connection_.session();
  const auto keymap = read_keymap(*session);
  const auto shift = keymap->holder_of(kShift);
  REQUIRE(shift);
  xcb_xkb_latch_lock_state(session->xcb(), XCB_XKB_ID_USE_CORE_KBD, kLock | kMod2, kLock | kMod2, 1,
                           1, 0, 0, 0);
  xcb_test_fake_input(session->xcb(), XCB_KEY_PRESS, *shift, 0, XCB_NONE, 0, 0, 0);
  REQUIRE(session->sync().ok());
  CHECK(typed("Mixed Case, Привет and ß") == "Mixed Case, Привет and ß");
  const auto after = read_keyboard_state(*session);
  CHECK(after->locked == (kLock | kMod2));
  CHECK(after->locked_group == 1);
  CHECK(after->held == kShift);
  xcb_test_fake_input(session->xcb(), XCB_KEY_RELEASE, *shift, 0, XCB_NONE, 0, 0, 0);
  xcb_xkb_latch_lock_state(session->xcb(), XCB_XKB_ID_USE_CORE_KBD, 0xFF, 0, 1, 0, 0, 0, 0);
  REQUIRE(session->sync().ok());
}

TEST_CASE_METHOD(TypingFixture, "what takes the focus does not get the rest of a text") {
  start(kReceivers[0]);
  const TestWindow thief({.title = "thief"});
  REQUIRE(eventually([&] { return find_window(connection_, thief.id()).mapped; }));
  REQUIRE(activate_window(connection_, window_, patience()).ok());
  (void)thief.events();
  int questions = 0;
  const Patience watched(&steady_now, Patience::kForever, [&] {
    if (++questions == 3) REQUIRE(activate_window(connection_, thief.id(), patience()).ok());
    return false;
  });
  const auto outcome = keyboard_.type(std::string(1000, 'x'), watched);
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.error().code == Code::FailedPrecondition);
  CHECK(outcome.error().message.find("went to another window") != std::string::npos);
  CHECK(received().find_first_not_of('x') == std::string::npos);
  CHECK(received().size() < 1000);
  CHECK(keys_down(**connection_.session()).none());
}

TEST_CASE_METHOD(TypingFixture,
                 "a long text is typed whole, and a cancelled one leaves a clean keyboard") {
  start(kReceivers[0]);
  std::string text;
  for (int i = 0; i < 60; ++i) text += "Line " + std::to_string(i) + " with some words.\n";
  CHECK(typed(text) == text);
  clear();
  const auto before = core_map();
  int questions = 0;
  const Patience fickle(&steady_now, Patience::kForever, [&] { return ++questions > 3; });
  const auto cancelled = keyboard_.type(text + "ß", fickle);
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().code == Code::Cancelled);
  keyboard_.maintain(true);
  CHECK(core_map() == before);
  CHECK(keys_down(**connection_.session()).none());
}
