// SPDX-License-Identifier: Apache-2.0
//
// The row of values against Boost.JSON's values: both must take the same texts, refuse the others
// with the same words, and find the same in them. Recorded events of all providers, whole and
// damaged.
#include <catch2/catch.hpp>
#include <gantry/http/sse.hpp>
#include <gantry/llm/json.hpp>
#include <gantry/llm/json_node.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

using namespace gantry;
using llm::JsonNode;

namespace {

/// The events that the fuzzer of the readers starts from.
std::vector<std::string> recorded() {
  const char* source = std::getenv("GANTRY_SOURCE_DIR");
  const std::filesystem::path folder =
      std::filesystem::path(source != nullptr ? source : ".") / "tests/fuzz/llm_stream/corpus";
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const http::SseReader::Use use = [&](const http::SseEvent& event) {
      out.push_back(event.data);
    };
    http::SseReader sse;
    REQUIRE(sse.feed(std::string_view(bytes).substr(1), use));
    sse.end(use);
  }
  return out;
}

/// What number_of() makes of a value is asked of it as a member.
std::optional<std::int64_t> number(const boost::json::value& value) {
  return llm::number_of(boost::json::value(boost::json::object{{"n", value}}), "n");
}

bool same(JsonNode node, const boost::json::value& value);

bool same_object(JsonNode node, const boost::json::object& object) {
  if (!node.is_object()) return false;
  for (const auto& [name, value] : object) {
    const JsonNode found = llm::member(node, {name.data(), name.size()});
    if (value.is_null() ? static_cast<bool>(found) : !same(found, value)) return false;
  }
  return !llm::member(node, "no such member");
}

bool same_array(JsonNode node, const boost::json::array& array) {
  if (!node.is_array() || node.items().empty() != array.empty()) return false;
  std::size_t i = 0;
  for (const JsonNode item : node.items()) {
    if (i == array.size() || !same(item, array[i++])) return false;
  }
  return i == array.size();
}

bool same(JsonNode node, const boost::json::value& value) {
  if (!node || node.json() != codec::serialize(value)) return false;
  const auto* text = value.if_string();
  if (node.text() != (text == nullptr ? "" : std::string_view(text->data(), text->size()))) {
    return false;
  }
  if (node.is_text() != (text != nullptr) || node.number() != number(value)) return false;
  if (node.is_true() != (value.is_bool() && value.get_bool())) return false;
  if (const auto* object = value.if_object()) return same_object(node, *object);
  if (const auto* array = value.if_array()) return same_array(node, *array);
  return !node.is_object() && !node.is_array() && node.items().empty() && !node.member("");
}

/// Reads it both ways, in a reader that has read others before; true: it was taken.
bool check(llm::JsonReader& reader, const std::string& text) {
  bool alike = false;
  const auto by_row = reader.read(text, [&](JsonNode node) {
    (void)llm::read_json(text, [&](const boost::json::value& value) { alike = same(node, value); });
  });
  const auto by_values = llm::read_json(text, [](const boost::json::value&) {});
  INFO(text);
  REQUIRE(by_row.ok() == by_values.ok());
  if (by_row.ok()) {
    REQUIRE(alike);
  } else {
    REQUIRE(by_row.error().message == by_values.error().message);
    REQUIRE(by_row.error().code == by_values.error().code);
  }
  return by_row.ok();
}

}  // namespace

TEST_CASE("the row has what values have: every recorded event") {
  llm::JsonReader reader;
  const auto events = recorded();
  REQUIRE(events.size() > 100);
  std::size_t taken = 0;
  for (const std::string& event : events) taken += check(reader, event) ? 1U : 0U;
  CHECK(taken > 100);
}

TEST_CASE("the row has what values have: every strange document") {
  llm::JsonReader reader;
  const auto levels = [](std::size_t count, char open, char close) {
    return std::string(count, open) + std::string(count, close);
  };
  const std::vector<std::string> good{
      R"({"a":1,"a":null})",
      R"({"a":{"b":1},"a":{"c":2},"z":[]})",
      R"({"a":null,"a":"x"})",
      R"({"\u0061":1,"a":2})",
      R"({"a":2,"\u0061":"\n"})",
      R"({"":0,"b":{"":1}})",
      R"(["\ud83d\ude00","\u0000","é","\/\"\\\b\f\n\r\t"])",
      R"([-0,0.0,-0.0,1e-400,1E5,1e+30])",
      "[9223372036854775807,9223372036854775808,18446744073709551615,18446744073709551616]",
      "[-9223372036854775808,-9223372036854775809,9007199254740993.0,9007199254740992.0,1.9,-1.9]",
      " \t\r\n{ \"a\" : [ ] , \"b\" : { } } ",
      "null",
      "true",
      "\"\"",
      "\"\\u0041\"",
      "[[],[[]],{}]",
      levels(64, '[', ']'),
      R"({"n":[{"n":1},{"n":"n"}],"m":[1,"n",{"m":2}]})"};
  for (const std::string& text : good) CHECK(check(reader, text));
  const std::vector<std::string> bad{"",
                                     " ",
                                     "{",
                                     "[1,]",
                                     R"({"a":1,})",
                                     R"({"a" 1})",
                                     "{a:1}",
                                     "[1 2]",
                                     "nul",
                                     "truex",
                                     "01",
                                     "1.",
                                     "-",
                                     "1e",
                                     "1e400",
                                     "-1e400",
                                     "\"\x80\"",
                                     "\"\xC3\"",
                                     "\"\xED\xA0\x80\"",
                                     R"("\ud800")",
                                     R"("\ude00")",
                                     R"("\x")",
                                     "\"\n\"",
                                     "\"\\",
                                     "[1] 2",
                                     "\xEF\xBB\xBF{}",
                                     levels(65, '[', ']'),
                                     std::string(100'000, '['),
                                     R"({"\ud800":1})",
                                     std::string("[\0]", 3)};
  for (const std::string& text : bad) CHECK_FALSE(check(reader, text));
}

TEST_CASE("the row has what values have: damaged events") {
  constexpr std::string_view kParts[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "\"",
                                         "\\",
                                         "\\u00e9",
                                         "\\n",
                                         "\\ud8",
                                         "null",
                                         "true",
                                         "-1.5e3",
                                         "1e999",
                                         "0",
                                         " ",
                                         "\"id\":",
                                         "\x80",
                                         "\xC3\xA9",
                                         "\"\"",
                                         "[[[[[[[[",
                                         "\"type\":\"x\",",
                                         "9223372036854775808",
                                         "\"index\":1,",
                                         "\"delta\":{},"};
  const auto events = recorded();
  std::mt19937_64 random(20'261'130);
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  llm::JsonReader reader;
  std::size_t taken = 0, refused = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::string text = events[below(events.size())];
    for (std::size_t hits = 1 + below(3); hits > 0; --hits) {
      const std::size_t at = below(text.size());
      const std::string_view part = kParts[below(std::size(kParts))];
      switch (below(5)) {
        case 0: text.insert(at, part); break;
        case 1: text.replace(at, below(4), part); break;
        case 2: text.erase(at, below(8)); break;
        case 3: text.insert(at, text.substr(below(text.size()), below(60))); break;
        default:
          // In front of a member: what it gets is another member, which may be there already.
          if (const auto comma = text.find(',', at); comma != std::string::npos) {
            const auto from = text.find(",\"", below(text.size()));
            const auto to = from == std::string::npos ? from : text.find(",\"", from + 1);
            if (to != std::string::npos) text.insert(comma, text.substr(from, to - from));
          }
      }
    }
    ++(check(reader, text) ? taken : refused);
  }
  CHECK(taken > 2'000);
  CHECK(refused > 2'000);
}

TEST_CASE("a document of more values than anybody reads is refused") {
  std::string text = "[1";
  for (int i = 2; i < 1'000'000; ++i) text += ",1";  // and the array itself
  llm::JsonReader reader;
  std::size_t seen = 0;
  auto count = [&seen](JsonNode root) {
    for ([[maybe_unused]] const JsonNode item : root.items()) ++seen;
  };
  REQUIRE(reader.read(text + "]", count).ok());
  CHECK(seen == 999'999);
  const auto refused = reader.read(text + ",1]", count);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::ResourceExhausted);
}
