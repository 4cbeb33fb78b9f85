// SPDX-License-Identifier: Apache-2.0
//
// Text of properties, numbers of resources, rectangles, back-off, handles.
#include "back_off.hpp"
#include "monitors.hpp"
#include "probe.hpp"
#include "property.hpp"
#include "wire.hpp"

#include <catch2/catch.hpp>

using namespace gantry;
using namespace gantry::x11;

TEST_CASE("text that is not UTF-8 becomes UTF-8") {
  CHECK(valid_utf8("Grüße 日本 😀") == "Grüße 日本 😀");
  CHECK(valid_utf8(std::string("end\0", 4)) == "end");
  CHECK(valid_utf8("a\xC0\xAFz") == "a\uFFFD\uFFFDz");        // overlong slash
  CHECK(valid_utf8("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // surrogate
  CHECK(valid_utf8("\xF5\x80") == "\uFFFD\uFFFD");
  CHECK(valid_utf8("cut \xE2\x82") == "cut \uFFFD\uFFFD");
  CHECK(latin1_to_utf8("caf\xE9") == "café");
}

TEST_CASE("compound text gives its Latin and UTF-8 segments") {
  CHECK(compound_text_to_utf8("plain") == "plain");
  CHECK(compound_text_to_utf8("\x1b-Acaf\xE9") == "café");
  CHECK(compound_text_to_utf8("a \x1b%G日本\x1b%@ b") == "a 日本 b");
  CHECK(compound_text_to_utf8("\x1b$(Bxx") == "\uFFFDxx");  // a set that we have no table for
  CHECK(compound_text_to_utf8("\x1b%G").empty());
  CHECK(compound_text_to_utf8("\x1b") == "\uFFFD");
}

TEST_CASE("code points are counted, malformed bytes are named by their place") {
  CHECK(*code_points("aß😀") == U"aß😀");
  const auto bad = code_points("ab\xE9");
  REQUIRE_FALSE(bad.ok());
  CHECK_THAT(bad.error().message, Catch::Contains("byte 2"));
}

TEST_CASE("Xft.dpi is read from the resources") {
  CHECK(xft_dpi("Xft.antialias:\t1\nXft.dpi:\t144\n") == 144);
  CHECK(xft_dpi("Xft.dpi: 96.5") == Approx(96.5));
  CHECK(xft_dpi("*Xft.dpix: 3\nother") == 0);
  CHECK(xft_dpi("Xft.dpi: many") == 0);
  CHECK(xft_dpi("") == 0);
}

TEST_CASE("a window belongs to the monitor that shows most of it") {
  const std::vector<Monitor> monitors = {{"left", {0, 0, 100, 100}, true, 1},
                                         {"right", {100, 0, 100, 100}, false, 1}};
  CHECK(monitor_of(monitors, {10, 10, 20, 20}) == 0);
  CHECK(monitor_of(monitors, {80, 0, 60, 10}) == 1);
  CHECK(monitor_of(monitors, {500, 0, 60, 10}) == -1);
}

TEST_CASE("rectangles meet, grow and shrink") {
  CHECK(intersection({0, 0, 10, 10}, {5, 6, 10, 10}) == x11::Rect{5, 6, 5, 4});
  CHECK(intersection({0, 0, 10, 10}, {20, 0, 5, 5}).empty());
  CHECK(grown({10, 10, 5, 5}, {1, 2, 3, 4}) == x11::Rect{9, 7, 8, 12});
  CHECK(shrunk({9, 7, 8, 12}, {1, 2, 3, 4}) == x11::Rect{10, 10, 5, 5});
  // What a request may hold does not wrap around.
  constexpr std::int32_t kMost = 0x7FFFFFFF;
  CHECK(intersection({10, 10, kMost, kMost}, {0, 0, 1920, 1080}) == x11::Rect{10, 10, 1910, 1070});
  CHECK(intersection({-kMost, 0, 10, 10}, {0, 0, 1920, 1080}).empty());
  CHECK_FALSE(x11::Rect{0, 0, 1920, 1080}.contains(x11::Rect{10, 10, kMost, 10}));
  CHECK_FALSE(x11::Rect{0, 0, 2, 2}.contains(Point{2, 0}));
  CHECK(x11::Rect{-5, 0, 5, 2}.contains(Point{-1, 1}));
}

TEST_CASE("back-off doubles up to its limit and starts over after a success") {
  BackOff back_off(100, 350);
  CHECK(back_off.due(0));
  back_off.failed(1000);
  CHECK(back_off.due_ns() == 1100);
  CHECK_FALSE(back_off.due(1099));
  back_off.failed(1100);
  CHECK(back_off.due_ns() == 1300);
  back_off.failed(1300);
  back_off.failed(1650);
  CHECK(back_off.due_ns() == 2000);
  back_off.succeeded();
  CHECK(back_off.due(0));
  back_off.failed(5000);
  CHECK(back_off.due_ns() == 5100);
}

TEST_CASE("a window id that another process is given is another window") {
  WindowNames names;
  CHECK(names.uid_of(0x800007, 11) == "x11:800007");
  CHECK(names.uid_of(0x800007, 11) == "x11:800007");
  CHECK(names.uid_of(0x800007, 0) == "x11:800007");
  CHECK(names.uid_of(0x800007, 12) == "x11:800007.2");
  CHECK(names.uid_of(0x800007, 12) == "x11:800007.2");
  CHECK(names.uid_of(0x800008, 12) == "x11:800008");
  // The first one does not come back, even when its process number does.
  CHECK(names.uid_of(0x800007, 11) == "x11:800007.3");
}

TEST_CASE("the next window under one id of the same process is another window") {
  WindowNames names;
  CHECK(names.uid_of(0x800007, 11, {1, 10}) == "x11:800007");
  names.destroyed(0x800007, {1, 10});
  names.destroyed(0x800008, {1, 10});
  CHECK(names.uid_of(0x800007, 11, {1, 20}) == "x11:800007.2");
  CHECK(names.uid_of(0x800007, 11, {1, 30}) == "x11:800007.2");
  CHECK(names.uid_of(0x800008, 11, {1, 30}) == "x11:800008");
  SECTION("one that was named before its forerunner was known to be gone keeps its name") {
    names.destroyed(0x800007, {1, 29});
    CHECK(names.uid_of(0x800007, 11, {1, 40}) == "x11:800007.2");
  }
  SECTION("another process and another window at once are one step") {
    names.destroyed(0x800007, {2, 1});  // of the next connection: later, whatever the number
    CHECK(names.uid_of(0x800007, 12, {2, 5}) == "x11:800007.3");
  }
}

TEST_CASE("handles are hexadecimal window ids") {
  CHECK(to_handle(0x3a00007) == "3a00007");
  CHECK(to_handle(0).empty());
  CHECK(*from_handle("3a00007") == 0x3a00007);
  CHECK(*from_handle("0x3a00007") == 0x3a00007);
  CHECK(*from_handle("x11:3a00007") == 0x3a00007);
  for (const char* bad : {"", "0", "zz", "3a00007 ", "123456789abc", "-1"}) {
    INFO(bad);
    CHECK(from_handle(bad).error().code == Code::InvalidArgument);
  }
}
