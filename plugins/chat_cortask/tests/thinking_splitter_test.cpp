// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "thinking_splitter.hpp"

namespace gantry::chat_cortask {
namespace {

using Pieces = std::vector<std::pair<std::string, bool>>;  // text, thought; neighbours are joined

ThinkingSplitter::Sink into(Pieces& pieces) {
  return [&pieces](std::string_view text, bool thought) {
    CHECK_FALSE(text.empty());
    if (!pieces.empty() && pieces.back().second == thought) {
      pieces.back().first += text;
    } else {
      pieces.emplace_back(text, thought);
    }
  };
}

Pieces split(const std::vector<std::string>& chunks) {
  Pieces out;
  ThinkingSplitter splitter;
  for (const std::string& chunk : chunks) splitter.feed(chunk, into(out));
  splitter.flush(into(out));
  return out;
}

struct Row {
  const char* name;
  const char* text;
  Pieces pieces;
};

const std::vector<Row> kRows = {
    {"no tag", "just words", {{"just words", false}}},
    {"a thought first", "<thinking>why</thinking>because", {{"why", true}, {"because", false}}},
    {"a thought in the middle",
     "a <thinking>b</thinking> c",
     {{"a ", false}, {"b", true}, {" c", false}}},
    {"nothing but a thought", "<thinking>b</thinking>", {{"b", true}}},
    {"an empty thought", "a<thinking></thinking>b", {{"ab", false}}},
    {"a thought that is not closed", "a<thinking>b", {{"a", false}, {"b", true}}},
    {"two thoughts",
     "<thinking>a</thinking>b<thinking>c</thinking>",
     {{"a", true}, {"b", false}, {"c", true}}},
    {"the beginning of a tag at the end", "a <thin", {{"a <thin", false}}},
    {"the beginning of a closing tag at the end", "<thinking>a </thin", {{"a </thin", true}}},
    {"a tag that is none", "a <thinker>b</thinker>", {{"a <thinker>b</thinker>", false}}},
    {"signs before a tag", "1 << 2 <<thinking>x</thinking>", {{"1 << 2 <", false}, {"x", true}}},
    {"a closing tag outside", "a</thinking>b", {{"a</thinking>b", false}}},
    {"an opening tag inside",
     "<thinking>a<thinking>b</thinking>c",
     {{"a<thinking>b", true}, {"c", false}}},
    {"a tag begun again",
     "<th<thinking>x</th</thinking>y",
     {{"<th", false}, {"x</th", true}, {"y", false}}},
    {"many bytes a character",
     "ä<thinking>€</thinking>🙂",
     {{"ä", false}, {"€", true}, {"🙂", false}}},
};

TEST_CASE("thoughts are told from words wherever the pieces end") {
  for (const Row& row : kRows) {
    INFO(row.name);
    const std::string text = row.text;
    CHECK(split({text}) == row.pieces);
    std::vector<std::string> bytes;
    for (const char c : text) bytes.emplace_back(1, c);
    CHECK(split(bytes) == row.pieces);
    for (std::size_t one = 0; one <= text.size(); ++one) {
      for (std::size_t two = one; two <= text.size(); ++two) {
        INFO("cut at " << one << " and " << two);
        CHECK(split({text.substr(0, one), text.substr(one, two - one), text.substr(two)}) ==
              row.pieces);
      }
    }
  }
}

TEST_CASE("what cannot be a tag any more is handed on at once") {
  Pieces out;
  ThinkingSplitter splitter;
  splitter.feed("a <thinX", into(out));
  CHECK(out == Pieces{{"a <thinX", false}});
  splitter.feed("<think", into(out));
  CHECK(out == Pieces{{"a <thinX", false}});
}

TEST_CASE("a new answer begins outside of thoughts") {
  Pieces out;
  ThinkingSplitter splitter;
  splitter.feed("<thinking>a</th", into(out));
  splitter.reset();
  splitter.feed("b", into(out));
  CHECK(out == Pieces{{"a", true}, {"b", false}});
}

}  // namespace
}  // namespace gantry::chat_cortask
