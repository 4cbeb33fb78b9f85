// SPDX-License-Identifier: Apache-2.0
// Desktop entries: how names, visibility and Exec lines are read.
#include <catch2/catch.hpp>

#include "desktop_entry.hpp"
#include "key_file.hpp"

using namespace gantry;
using namespace gantry::apps;

namespace {

using Words = std::vector<std::string>;

std::optional<DesktopEntry> entry_of(const std::string& lines, const Locale& locale = {}) {
  return read_entry("x", "# a comment\n[Desktop Entry]\nType=Application\n" + lines, locale);
}

Words words_of(const std::string& exec) {
  const auto entry = entry_of("Name=Pad\nExec=" + exec + "\n");
  REQUIRE(entry);
  const auto words = command_of(*entry);
  return words.ok() ? *words : Words{"refused: " + words.error().message};
}

}  // namespace

TEST_CASE("an Exec line becomes the words of a command") {
  struct Case {
    const char* exec;
    Words words;
  };
  const std::vector<Case> cases{
      {"mousepad %U", {"mousepad"}},
      {"  pad   --new\t%f", {"pad", "--new"}},
      {"pad --file=%f", {"pad", "--file="}},
      {"pad \"two words\" \"\"", {"pad", "two words", ""}},
      {R"(pad "a \\"quote\\" and \\$x")", {"pad", "a \"quote\" and $x"}},
      {"pad --title %c 100%% %i %k", {"pad", "--title", "Pad", "100%"}},
      {"sh -c \"echo; rm %f\"", {"sh", "-c", "echo; rm "}},
      {"pad \"open", {"refused: its Exec line has a quote that is not closed"}},
      {"%U", {"refused: its Exec line names no program"}},
      {"", {"refused: its Exec line names no program"}},
  };
  for (const Case& one : cases) {
    INFO(one.exec);
    CHECK(words_of(one.exec) == one.words);
  }
}

TEST_CASE("the program is what runs, not what sets its variables") {
  CHECK(entry_of("Exec=/usr/bin/pad %U")->info.program == "pad");
  CHECK(entry_of("Exec=env A=b -u C /nowhere/x/pad --y")->info.program == "pad");
  CHECK(entry_of("Name=Nothing")->info.program.empty());
}

TEST_CASE("names come in the user's language") {
  const std::string names = "Name=Editor\nName[de]=Schreiber\nName[de_AT]=Schreiberl\nExec=x\n";
  const auto name = [&](const char* language) {
    return entry_of(names, {language, ""})->info.name;
  };
  CHECK(name("de_AT.UTF-8") == "Schreiberl");
  CHECK(name("de_DE.UTF-8@euro") == "Schreiber");
  CHECK(name("fr_FR.UTF-8") == "Editor");
  CHECK(name("C") == "Editor");
  CHECK(name("") == "Editor");
  CHECK(entry_of(names, {"de", ""})->info.plain_name == "Editor");
}

TEST_CASE("what menus do not show is not listed") {
  const auto listed = [](const std::string& line, const char* desktop) {
    return entry_of("Exec=x\n" + line + "\n", {"", desktop})->info.listed;
  };
  CHECK(listed("", "XFCE"));
  CHECK_FALSE(listed("NoDisplay=true", "XFCE"));
  CHECK(listed("OnlyShowIn=GNOME;XFCE;", "XFCE"));
  CHECK(listed("OnlyShowIn=GNOME;", "ubuntu:GNOME"));
  CHECK_FALSE(listed("OnlyShowIn=GNOME;", "XFCE"));
  CHECK_FALSE(listed("OnlyShowIn=GNOME;", ""));
  CHECK_FALSE(listed("NotShowIn=XFCE;", "XFCE"));
}

TEST_CASE("only applications are entries") {
  CHECK_FALSE(read_entry("x", "[Desktop Entry]\nType=Link\nURL=https://example.org\n", {}));
  CHECK_FALSE(read_entry("x", "[Other]\nType=Application\n", {}));
  CHECK_FALSE(read_entry("x", "", {}));
  CHECK_FALSE(read_entry("x", "Type=Application\n=\n[\n]", {}));
}

TEST_CASE("values are lists, and escapes mean something") {
  CHECK(list_of("a;b c;;d") == Words{"a", "b c", "d"});
  CHECK(list_of("a\\;b;c;") == Words{"a;b", "c"});
  CHECK(list_of("").empty());
  CHECK(unescaped("a\\sb\\\\c\\n") == "a b\\c\n");
}
