// SPDX-License-Identifier: Apache-2.0
#include <gantry/pattern.hpp>

#include <catch2/catch.hpp>

#include <string>

namespace gantry {
namespace {

TEST_CASE("patterns search Unicode text and give up on hostile ones") {
  CHECK(Pattern::compile("(?i)größe")->search("die GRÖSSE") == false);
  CHECK(Pattern::compile("(?i)GRÖßE")->search("die größe"));
  CHECK(Pattern::compile(R"(^\w+$)")->search("Äpfel"));
  const auto hostile = Pattern::compile("(a+)+$");
  REQUIRE(hostile.ok());
  CHECK_FALSE(hostile->search(std::string(40, 'a') + "!"));
  const auto bad = Pattern::compile("a(");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().code == Code::InvalidArgument);
}

TEST_CASE("a pattern can be held against the whole text") {
  const auto digits = Pattern::compile(R"(\d+|\d+-\d+)");
  REQUIRE(digits.ok());
  CHECK(digits->matches_whole("12"));
  CHECK(digits->matches_whole("12-3"));
  CHECK_FALSE(digits->matches_whole("12-3!"));
  CHECK_FALSE(digits->matches_whole("a12"));
}

TEST_CASE("every match that is not empty is replaced") {
  const auto replaced = [](std::string_view expression, std::string text) {
    const auto pattern = Pattern::compile(expression);
    REQUIRE(pattern.ok());
    const bool any = pattern->replace_all(text, "#");
    return std::string(any ? "+" : "-") + text;
  };
  CHECK(replaced(R"(\d+)", "a1b22c") == "+a#b#c");
  CHECK(replaced("x*", "äxxö") == "+ä#ö");
  CHECK(replaced("x*", "äö") == "-äö");
  CHECK(replaced("(?<=a)b", "abab b") == "+a#a# b");
}

TEST_CASE("after some exhausted attempts a hostile pattern is not tried any more") {
  const auto hostile = Pattern::compile("(a+)+$");
  REQUIRE(hostile.ok());
  const std::string hard = std::string(40, 'a') + "!";
  for (int i = 0; i < Pattern::kMaxExhausted; ++i) CHECK_FALSE(hostile->search(hard));
  CHECK(hostile->exhausted() == Pattern::kMaxExhausted);
  CHECK_FALSE(hostile->search("aaa"));
  hostile->reset_effort();
  CHECK(hostile->search("aaa"));
}

}  // namespace
}  // namespace gantry
