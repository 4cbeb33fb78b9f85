// SPDX-License-Identifier: Apache-2.0
// A window in words for a person.
#include <catch2/catch.hpp>

#include "window_words.hpp"

namespace gantry::rules {
namespace {

constexpr std::string_view kTree = R"(Application : editor
Window      : Letter - Editor
Geometry    : (0, 27)  640 × 480 px

Root: Window  "Letter - Editor"
  └─ Window "Letter - Editor"  @(0,0) 642×505
    └─ MenuBar  @(0,27) 640×25
      └─ Menu "File"  [shortcut:Alt+F  desc:File "menu"]  @(0,27) 39×25
        └─ MenuItem "New      "  [shortcut:Ctrl+N]  @(0,0) 0×0
      └─ Menu "Say "hello""  @(40,27) 39×25
    └─ Entry "Subject" = "it's "on""  @(0,60) 640×20
    └─ Entry "To" = 'Ann'  [desc:Who "gets" it]  @(0,80) 640×20
    └─ Document  @(0,100) 640×360
    └─ Separator  @(0,460) 640×2

[11 elements total; focused → Document ""])";

}  // namespace

TEST_CASE("of a tree the elements that are to be seen are told, by their roles") {
  CHECK(window_words("Letter - Editor", kTree, "") ==
        "\"Letter - Editor\" has:\n- 1 MenuBar\n- 2 Menu: File, Say \"hello\"\n- 2 Entry: Subject, "
        "To\n"
        "- 1 Document");
  CHECK(window_words("", kTree, " Dear all,\n")
            .ends_with("\nIn its picture can be read:\nDear all,"));
}

TEST_CASE("long lists, names and texts are told in part") {
  std::string tree, name;
  for (int i = 0; i < 20; ++i) {
    tree += "  └─ Button \"b" + std::to_string(i) + "\"  @(0,0) 9×9\n";
  }
  for (int i = 0; i < 40; ++i) name += "é";
  tree += "  └─ Label \"" + name + "\"  @(0,0) 9×9\n";
  const std::string words = window_words("w", tree, std::string(5'000, 'x'));
  CHECK(words.find("- 20 Button: b0, b1, ") != words.npos);
  CHECK(words.find("b11 and 8 more\n") != words.npos);
  CHECK(words.find("- 1 Label: " + name.substr(0, 60) + "…\n") != words.npos);
  CHECK(words.ends_with("… (4400 bytes more are not shown)"));
}

TEST_CASE("why a picture was not read is not told as its text") {
  for (const std::string_view excuse :
       {"[OCR unavailable: no plugin reads]", "[OCR failed: late]"}) {
    const std::string words = window_words("w", kTree, excuse);
    CHECK(words == window_words("w", kTree, ""));
    CHECK_FALSE(words.empty());
    CHECK(window_words("w", "", excuse).empty());
  }
}

TEST_CASE("what was counted in a part is not told as the whole") {
  const std::string cut =
      std::string(kTree.substr(0, kTree.find("  └─ Document"))) + "… [truncated]";
  CHECK(window_words("w", cut, "").starts_with("\"w\" has, in the part I looked at:\n- 1 MenuBar"));
}

TEST_CASE("a tree that was cut anywhere is told as far as it goes") {
  for (std::size_t length = 0; length < kTree.size(); ++length) {
    const std::string words = window_words("w", kTree.substr(0, length), "");
    CHECK((words.empty() || words.starts_with("\"w\" has:\n- 1 MenuBar")));
  }
  CHECK(window_words("w", "no tree at all", "").empty());
  CHECK(window_words("w", "", "words") == "\"w\" shows:\nwords");
}

}  // namespace gantry::rules
