// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <catch2/catch.hpp>

#include "tree_yaml.hpp"

namespace gantry::observation {
namespace {

std::string text_in(const YAML::Node& row) { return row["in"].as<std::string>(); }
std::string text_out(const YAML::Node& row) { return row["out"].as<std::string>(); }

using Transform = std::string (*)(const std::string&);

void check_rows(const char* section, Transform transform) {
  const YAML::Node rows = tests::load_cases("text.yaml")[section];
  REQUIRE(rows.size() > 0);
  for (const YAML::Node& row : rows) {
    INFO(section << ": " << text_in(row));
    CHECK(transform(text_in(row)) == text_out(row));
  }
}

TEST_CASE("repr prints strings as Python does") {
  check_rows("repr", [](const std::string& in) { return python_repr(in); });
}

TEST_CASE("white space is flattened as by Python's split and join") {
  check_rows("flatten", [](const std::string& in) {
    return encode_utf8(flatten_whitespace(decode_utf8(in)));
  });
}

TEST_CASE("lower case covers more than ASCII, whatever the locale") {
  check_rows("lower", [](const std::string& in) { return to_lower(in); });
}

TEST_CASE("terminal controls are stripped from screen text") {
  check_rows("strip", [](const std::string& in) { return strip_terminal_controls(in); });
}

TEST_CASE("lines break where Python's textwrap breaks them") {
  for (const YAML::Node& row : tests::load_cases("text.yaml")["wrap"]) {
    const auto width = row["width"].as<std::size_t>();
    INFO(text_in(row) << " at width " << width);
    std::vector<std::string> lines;
    for (const auto& line : wrap_text(flatten_whitespace(decode_utf8(text_in(row))), width)) {
      lines.push_back(encode_utf8(line));
    }
    CHECK(lines == row["out"].as<std::vector<std::string>>());
  }
}

TEST_CASE("texts are cut by code points") {
  for (const YAML::Node& row : tests::load_cases("text.yaml")["shorten"]) {
    INFO(text_in(row));
    CHECK(shorten(text_in(row), row["limit"].as<std::size_t>(), row["keep"].as<std::size_t>()) ==
          text_out(row));
  }
}

TEST_CASE("bad UTF-8 becomes one replacement for each bad byte") {
  CHECK(encode_utf8(decode_utf8("a\xFFz")) == "a\uFFFDz");
  CHECK(count_code_points("\xC0\x80") == 2);                      // overlong
  CHECK(count_code_points("\xED\xA0\x80") == 3);                  // surrogate
  CHECK(count_code_points("\xF4\x90\x80\x80") == 4);              // beyond U+10FFFF
  CHECK(encode_utf8(decode_utf8("\xE2\x82")) == "\uFFFD\uFFFD");  // cut short
  CHECK(encode_utf8(decode_utf8("\xF0\x9F\x98\x80")) == "😀");
}

}  // namespace
}  // namespace gantry::observation
