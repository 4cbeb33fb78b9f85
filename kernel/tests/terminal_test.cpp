// SPDX-License-Identifier: Apache-2.0
// What a command reads, and what it prints of what others have written.
#include <catch2/catch.hpp>

#include <string>

#include "cli/input.hpp"
#include "cli/printable.hpp"
#include "cli/told.hpp"
#include "test_files.hpp"

namespace gantry::cli {
namespace {

TEST_CASE("nothing that a terminal would act on is printed") {
  CHECK(printable("Grüße\n\tOK") == "Grüße\n\tOK");
  CHECK(printable("a\x1b[2Jb\x07"
                  "c\x7f") == "a[2Jbc");
  CHECK(printable("a\xc2\x9b"
                  "2Jb\xc2\xa0") == "a2Jb\xc2\xa0");  // U+009B begins a command, too
  CHECK(printable_line("two\nlines\tand\ra tab") == "two lines anda tab");
}

TEST_CASE("an answer without a word is told in words") {
  const auto [tools, stop_reason, reason,
              words] = GENERATE(table<int, const char*, const char*, const char*>({
      {0, "stop", "", "The model answered without a word."},
      {0, "length", "", "The model reached its limit of tokens before it said a word."},
      {0, "filter", "", "The model refused to answer, or its provider withheld the answer."},
      {0, "", "enable a model", "enable a model"},
      {1, "stop", "", "The last tool answered: 7"},
      {1, "length", "",
       "The model reached its limit of tokens before it said a word.\nThe last tool answered: 7"},
  }));
  TurnFinishedBody end;
  end.final_text = "The last tool answered: 7";
  end.final_was_empty = true;
  end.tool_calls = tools;
  end.reason = reason;
  CHECK(words_for_nothing(end, stop_reason) == words);
}

TEST_CASE("a tool is named by its name, and not by a word that is also one") {
  CHECK(names_tool("it needs the tool scroll, which this session does not offer", "scroll"));
  CHECK(names_tool("I would need `scroll` for that", "scroll"));
  CHECK(names_tool("it needs the tool open_app.", "open_app"));
  CHECK(names_tool("call click_element, then type_text", "type_text"));
  CHECK_FALSE(names_tool("press KEYS; scroll up or down [N]", "scroll"));
  CHECK_FALSE(names_tool("it needs the tool click_element", "click"));
  CHECK_FALSE(names_tool("click_element_and_observe", "click_element"));
  CHECK_FALSE(names_tool("", "scroll"));
}

TEST_CASE("consent is a clear word or nothing") {
  CHECK(consent("y") == Consent::Yes);
  CHECK(consent(" Yes\r") == Consent::Yes);
  CHECK(consent("A") == Consent::Always);
  CHECK(consent("always") == Consent::Always);
  CHECK(consent("") == Consent::No);
  CHECK(consent("No ") == Consent::No);
  for (const char* line : {"yessir", "maybe", "ye", "1", "no, why?", "y e s", "n o"}) {
    CHECK(consent(line) == Consent::Unclear);
  }
}

TEST_CASE("a command of a conversation is a slash and a word") {
  CHECK(command_of("/exit") == "/exit");
  CHECK(command_of("/exit\r") == "/exit");
  CHECK(command_of("/new-one please") == "/new-one");
  for (const char* line : {"", "/", "/ x", "// hm", "//exit", "/tmp/x", "/a.txt is what?", " /exit",
                           "what is /exit"}) {
    CHECK(command_of(line).empty());
  }
}

TEST_CASE("a tool's failure is told by its message") {
  CHECK(failure_message(R"({"error":{"code":"X","message":"no display"},"ok":false})") ==
        "no display");
  CHECK(failure_message(R"({"error":"too late","ok":false})") == "too late");
  CHECK(failure_message("the user said no") == "the user said no");
  CHECK(failure_message(R"({"error":7})") == R"({"error":7})");
  CHECK(failure_message("[1]") == "[1]");
}

TEST_CASE("a character fills one column however many bytes it has") {
  CHECK(columns("WORDS…") == 6);
  CHECK(columns("Grüße") == 5);
  CHECK(columns("") == 0);
}

TEST_CASE("a file is read whole or not at all") {
  const test::TempDir folder;
  const std::string file = folder.write("sound", std::string(200'000, '\0') + "end").string();
  const auto whole = read_input(file, 200'003);
  REQUIRE(whole.ok());
  CHECK(whole->size() == 200'003);
  CHECK(whole->ends_with("end"));
  const auto large = read_input(file, 200'002);
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().code == Code::InvalidArgument);
  const auto gone = read_input(file + ".gone", 10);
  REQUIRE_FALSE(gone.ok());
  CHECK(gone.error().code == Code::NotFound);
}

}  // namespace
}  // namespace gantry::cli
