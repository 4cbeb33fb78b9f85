// SPDX-License-Identifier: Apache-2.0
#include <gantry/tools/text.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

using namespace gantry::tools;

namespace {

struct RepairCase {
  std::string_view bytes;
  std::string_view text;
  std::size_t replaced;
};

constexpr RepairCase kRepairs[] = {
    {"plain", "plain", 0},
    {"Gr\xC3\xBC\xC3\x9F", "Gr\xC3\xBC\xC3\x9F", 0},
    {"\xFF", "\xEF\xBF\xBD", 1},
    {"a\xC3", "a\xEF\xBF\xBD", 1},
    {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD", 2},                  // overlong
    {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 3},  // a surrogate
    {"\xF0\x9F\x98\x80!", "\xF0\x9F\x98\x80!", 0},
};

struct UnfinishedCase {
  std::string_view bytes;
  std::size_t open;
};

constexpr UnfinishedCase kUnfinished[] = {
    {"", 0},         {"a", 0},    {"a\xC3", 1},        {"a\xC3\xBC", 0},
    {"\xE2\x82", 2}, {"\xE2", 1}, {"\xF0\x9F\x98", 3}, {"\xF0\x9F\x98\x80", 0},
    {"\x80\x80", 0}, {"\xFF", 1},
};

}  // namespace

TEST_CASE("bytes that are no text are marked, one by one") {
  for (const RepairCase& c : kRepairs) {
    std::size_t replaced = 0;
    CHECK(repaired_utf8(c.bytes, &replaced) == c.text);
    CHECK(replaced == c.replaced);
  }
}

TEST_CASE("a character that goes on is seen at the end") {
  for (const UnfinishedCase& c : kUnfinished) CHECK(unfinished_utf8(c.bytes) == c.open);
}

TEST_CASE("what a model would read and a person not see is taken out, and no more") {
  CHECK(visible_text(std::string_view("a\0b\x08\x0B\r\x1B\x7F\u0085", 10)) == "ab");
  for (const char* unseen : {"\u00AD", "\u034F", "\u115F", "\u17B4", "\u180E", "\u200B", "\u202E",
                             "\u2066", "\u3164", "\uFE0F", "\uFEFF", "\uFFA0", "\uFFF0", "\uFFF9",
                             "\U0001BCA0", "\U0001D173", "\U000E0041"}) {
    INFO(unseen);
    CHECK(visible_text("a" + std::string(unseen) + "b") == "ab");
  }
  for (const char* seen :
       {"a\tb\nc", "Gr\u00FC\u00DFe \u2013 \u20AC", "\uFFFC\uFFFD", "\U0001D172"}) {
    CHECK(visible_text(seen) == seen);
  }
}
