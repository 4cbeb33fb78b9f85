// SPDX-License-Identifier: Apache-2.0
#include "value_lesson.hpp"

#include <gantry/mcp/json_rpc.hpp>

#include <boost/json/array.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "near_names.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

// The engine's own words in refusals.
constexpr std::string_view kFrom = " from ";
constexpr std::string_view kTo = " to ";
constexpr std::string_view kMustBe = " must be ";
constexpr std::string_view kNoKey = "there is no key named '";
constexpr std::string_view kNearKeys = "near to it: ";
constexpr std::string_view kConditions = "any_of[";
constexpr std::string_view kUnknownType = " has the unknown type '";
constexpr std::string_view kUnknownMember = " has the unknown member '";

/// The words of "a, b or c", up to what ends a sentence.
std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  list = list.substr(0, list.find_first_of(";'"));
  while (!list.empty()) {
    const std::size_t end = list.find_first_of(", ");
    const std::string_view word = list.substr(0, end);
    if (!word.empty() && word != "or") words.emplace_back(word);
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return words;
}

/// What stands behind `mark`; nothing when it is not there.
std::optional<std::string_view> behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

void add_near(ArgumentLesson& lesson, std::string_view argument,
              const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    lesson.near.push_back(json::object{{"argument", argument}, {"value", value}});
  }
}

/// A word that is none of those that the schema lists.
void correct_words(ArgumentLesson& lesson, const json::object& properties) {
  for (const auto& [name, property] : properties) {
    json::value* given = lesson.arguments.if_contains(name);
    const json::object* described = property.if_object();
    const json::value* listed = described == nullptr ? nullptr : member(*described, "enum");
    if (given == nullptr || !given->is_string() || listed == nullptr || !listed->is_array()) {
      continue;
    }
    std::vector<std::string> values;
    bool known = false;
    for (const json::value& one : listed->get_array()) {
      known = known || one == *given;
      if (one.is_string()) values.emplace_back(one.get_string());
    }
    if (known) continue;
    const std::string word(given->get_string());
    const auto meant = nearest_name(word, values);
    add_near(lesson, name, meant ? near_names(word, values) : values);
    if (!meant) continue;
    *given = *meant;
    lesson.then = "`" + std::string(name) + "` is one of the words that its schema lists";
  }
}

std::optional<std::int64_t> integer_in(std::string_view& text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

/// "depth must be from 1 to 50, found 99": the nearest that is allowed.
void correct_number(ArgumentLesson& lesson, std::string_view message) {
  const std::size_t must = message.find(kMustBe);
  if (must == std::string_view::npos) return;
  const std::string_view name = message.substr(0, must);
  json::value* given = lesson.arguments.if_contains(json::string_view(name.data(), name.size()));
  auto limits = behind(message, kFrom);
  if (given == nullptr || !given->is_int64() || !limits) return;
  const auto least = integer_in(*limits);
  if (!least || !limits->starts_with(kTo)) return;
  limits->remove_prefix(kTo.size());
  const auto most = integer_in(*limits);
  const std::int64_t number = given->get_int64();
  if (!most || *least > *most || (number >= *least && number <= *most)) return;
  *given = number < *least ? *least : *most;
  lesson.then = "`" + std::string(name) + "` has the nearest value that it may have";
}

/// Names of keys are the adapter's, and its refusal has the near ones.
void correct_key(ArgumentLesson& lesson, std::string_view message) {
  const auto named = behind(message, kNoKey);
  if (!named) return;
  const std::string wrong(named->substr(0, named->find('\'')));
  const auto listed = behind(*named, kNearKeys);
  if (!listed || wrong.empty()) return;
  const std::vector<std::string> near = words_of(*listed);
  for (const char* name : {"keys", "value"}) {
    json::value* given = lesson.arguments.if_contains(name);
    if (given == nullptr || !given->is_string() || near.empty()) continue;
    std::string keys(given->get_string());
    const std::size_t at = keys.find(wrong);
    if (at == std::string::npos) continue;
    add_near(lesson, name, near);
    keys.replace(at, wrong.size(), near.front());
    *given = keys;
    lesson.then = "`" + near.front() + "` is the nearest name of a key; see near_matches";
    return;
  }
}

/// The condition that a refusal of any_of is about.
json::object* condition_of(ArgumentLesson& lesson, std::string_view& message) {
  if (!message.starts_with(kConditions)) return nullptr;
  message.remove_prefix(kConditions.size());
  const auto index = integer_in(message);
  json::value* list = lesson.arguments.if_contains("any_of");
  json::array* conditions = list == nullptr ? nullptr : list->if_array();
  if (!index || *index < 0 || conditions == nullptr) return nullptr;
  const auto at = static_cast<std::size_t>(*index);
  return at < conditions->size() ? conditions->at(at).if_object() : nullptr;
}

void correct_condition(ArgumentLesson& lesson, std::string_view message) {
  json::object* condition = condition_of(lesson, message);
  if (condition == nullptr) return;
  const bool type = message.find(kUnknownType) != std::string_view::npos;
  const auto named = behind(message, type ? kUnknownType : kUnknownMember);
  if (!named) return;
  const std::string wrong(named->substr(0, named->find('\'')));
  std::optional<std::string_view> listed;
  for (const std::string_view mark : {"there are ", " takes ", " needs "}) {
    if (!listed) listed = behind(*named, mark);
  }
  if (!listed) return;
  const std::vector<std::string> words = words_of(*listed);
  add_near(lesson, "any_of", near_names(wrong, words));
  std::optional<std::string> meant = nearest_name(wrong, words);
  if (!type && !meant && words.size() == 1) meant = words.front();
  if (!meant) return;
  if (type) {
    condition->insert_or_assign("type", *meant);
  } else if (const json::value* value = condition->if_contains(wrong)) {
    json::value kept = *value;
    condition->erase(wrong);
    condition->insert_or_assign(*meant, std::move(kept));
  }
  lesson.then = "`" + wrong + "` is called " + *meant + " here";
}

}  // namespace

void correct_values(ArgumentLesson& lesson, const json::object& schema, std::string_view message) {
  if (const json::object* properties = object_member(schema, "properties")) {
    correct_words(lesson, *properties);
  }
  correct_number(lesson, message);
  correct_key(lesson, message);
  correct_condition(lesson, message);
}

}  // namespace gantry::mcp
