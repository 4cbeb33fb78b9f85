// SPDX-License-Identifier: Apache-2.0
#include <gantry/tools/text.hpp>

#include <catch2/catch.hpp>

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
