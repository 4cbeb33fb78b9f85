// SPDX-License-Identifier: Apache-2.0
#include "windows.hpp"

#include <catch2/catch.hpp>

namespace gantry::observation {
namespace {

WindowInfo window(std::string uid, std::string title, bool focused = false) {
  WindowInfo out;
  out.uid = std::move(uid);
  out.title = std::move(title);
  out.focused = focused;
  return out;
}

std::vector<WindowInfo> some_windows() {
  return {window("x:1", "Editor", true), window("x:2", "Äpfel"), window("x:3", "browser")};
}

TEST_CASE("the focused window comes first, the others by title without case") {
  const std::vector<WindowInfo> windows{window("1", "beta"),       window("2", "Alpha"),
                                        window("3", "Zulu", true), window("4", "alpha"),
                                        window("5", "ÄPFEL"),      window("6", "äpfel")};
  std::string order;
  for (const WindowInfo& w : in_order(windows)) order += w.uid;
  CHECK(order == "324156");
}

struct Row {
  const char* why;
  WindowSelector selector;
  const char* uid;  ///< nullptr: WindowGone when the caller refuses missing windows.
  bool by_request;
  const char* warning;
};

TEST_CASE("a request names a window by uid, index or title, in this order") {
  const std::vector<WindowInfo> windows = some_windows();
  const Row rows[] = {
      {"nothing means the focused one", {}, "x:1", false, ""},
      {"uid", {"x:2", {}, ""}, "x:2", true, ""},
      {"index", {"", 2, ""}, "x:3", true, ""},
      {"index 0 is a choice too", {"", 0, ""}, "x:1", true, ""},
      {"title without case", {"", {}, "ÄPF"}, "x:2", true, ""},
      {"uid wins over index",
       {"x:3", 0, ""},
       "x:3",
       true,
       "both window_index and window_uid given; window_uid used"},
      {"index wins over title", {"", 1, "browser"}, "x:2", true, ""},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    for (const MissingWindow missing : {MissingWindow::UseFocused, MissingWindow::Refuse}) {
      const auto found = select_window(windows, row.selector, missing);
      REQUIRE(found.ok());
      CHECK(found->window->uid == row.uid);
      CHECK(found->by_request == row.by_request);
      CHECK(found->warning == row.warning);
    }
  }
}

TEST_CASE("what fits no window: reads take the focused one and say so, acts refuse") {
  const std::vector<WindowInfo> windows = some_windows();
  for (const WindowSelector& selector :
       {WindowSelector{"", 3, ""}, WindowSelector{"", -1, ""}, WindowSelector{"", {}, "gimp"}}) {
    const auto read = select_window(windows, selector, MissingWindow::UseFocused);
    REQUIRE(read.ok());
    CHECK(read->window->uid == "x:1");
    CHECK_FALSE(read->by_request);
    CHECK(read->warning.find("the focused window was used instead") != std::string::npos);
    const auto act = select_window(windows, selector, MissingWindow::Refuse);
    REQUIRE_FALSE(act.ok());
    CHECK(act.failure().fault == Fault::WindowGone);
  }
}

TEST_CASE("a title that fits no window is answered with the nearest ones") {
  std::vector<WindowInfo> windows = some_windows();
  windows[0].title = "Mail";
  windows[1].title = "Terminal";
  const auto read = select_window(windows, {"", {}, "Terminla"}, MissingWindow::UseFocused);
  REQUIRE(read.ok());
  CHECK(read->warning.find("nearest: 'Terminal'") != std::string::npos);
  const auto index = select_window(windows, {"", 9, ""}, MissingWindow::UseFocused);
  REQUIRE(index.ok());
  CHECK(index->warning.find("nearest") == std::string::npos);
}

TEST_CASE("a stale uid is WindowGone, also for reads and also beside a good index") {
  const std::vector<WindowInfo> windows = some_windows();
  const auto read = select_window(windows, {"x:9", 0, ""}, MissingWindow::UseFocused);
  REQUIRE_FALSE(read.ok());
  CHECK(read.failure().fault == Fault::WindowGone);
  CHECK(read.failure().context.starts_with(
      R"({"did_you_mean":[{"title":"Editor","window_uid":"x:1"},)"));
  CHECK(read.failure().context.ends_with(R"("window_uid":"x:9"})"));
}

TEST_CASE("without the focus the first window is meant, without windows none") {
  std::vector<WindowInfo> windows{window("x:1", "a"), window("x:2", "b")};
  CHECK(select_window(windows, {}, MissingWindow::Refuse)->window->uid == "x:1");
  CHECK_FALSE(select_window({}, {}, MissingWindow::UseFocused).ok());
}

}  // namespace
}  // namespace gantry::observation
