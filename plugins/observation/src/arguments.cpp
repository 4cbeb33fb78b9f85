// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "text.hpp"

namespace gantry::observation {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxJsonDepth = 32;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

std::optional<std::int64_t> parse_integer(std::string_view raw) {
  std::string_view text = trim(raw);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string text_of(const json::value& value) {
  if (const auto* string = value.if_string()) return {string->data(), string->size()};
  return json::serialize(value);
}

}  // namespace

struct Arguments::Reader {
  static Value read(const json::value& in) {
    Value value;
    value.text = text_of(in);
    value.json = in.is_string() ? json::serialize(in) : value.text;
    if (in.is_string()) {
      value.kind = Kind::Text;
    } else if (in.is_bool()) {
      value.kind = Kind::Boolean;
      value.boolean = in.get_bool();
    } else if (in.is_number()) {
      read_number(value, in);
    } else if (const auto* array = in.if_array()) {
      value.kind = Kind::List;
      for (const json::value& element : *array) {
        value.list.push_back(text_of(element));
        value.elements.push_back(json::serialize(element));
      }
    }
    return value;
  }

  static void read_number(Value& value, const json::value& in) {
    value.kind = Kind::Number;
    value.number = in.to_number<double>();
    if (const auto* number = in.if_int64()) {
      value.kind = Kind::Integer;
      value.integer = *number;
    } else if (const auto* real = in.if_double();
               real != nullptr && std::trunc(*real) == *real && std::abs(*real) < kExactIntegers) {
      value.kind = Kind::Integer;  // 5.0 is an integer
      value.integer = static_cast<std::int64_t>(*real);
    }
  }
};

Outcome<Arguments> Arguments::parse(std::string_view text) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  const json::value value = json::parse({text.data(), text.size()}, error, {}, options);
  if (error) {
    return failure(Fault::BadRequest, "the arguments are not valid JSON: " + error.message());
  }
  const json::object* object = value.if_object();
  if (object == nullptr) {
    return failure(Fault::BadRequest,
                   "the arguments must be a JSON object, found " + json::serialize(value));
  }
  Arguments arguments;
  for (const auto& [key, member] : *object) {
    if (!member.is_null()) {
      arguments.values_.emplace(std::string(key), Reader::read(member));
    }
  }
  return arguments;
}

const Arguments::Value* Arguments::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() ? &found->second : nullptr;
}

std::string Arguments::text(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr ? value->text : std::string();
}

Outcome<std::optional<std::int64_t>> Arguments::integer(std::string_view name) const {
  const std::optional<std::int64_t> value = integer_or_nothing(name);
  if (!value && has(name) && !trim(text(name)).empty()) {
    return failure(Fault::BadRequest, fmt::format("{} must be an integer, found '{}'", name,
                                                  shorten(text(name), 60, 59)));
  }
  return value;
}

std::optional<std::int64_t> Arguments::integer_or_nothing(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Kind::Integer) return value->integer;
  return value->kind == Kind::Text ? parse_integer(value->text) : std::nullopt;
}

bool Arguments::flag(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return false;
  if (value->kind == Kind::Boolean) return value->boolean;
  if (value->kind == Kind::Integer) return value->integer != 0;
  const std::string word = to_lower(value->text);
  return value->kind == Kind::Text && (word == "1" || word == "true" || word == "yes");
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (value->kind == Kind::List) return value->list;
  std::vector<std::string> parts;
  std::string_view rest = value->text;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = trim(rest.substr(0, comma));
    if (!part.empty()) parts.emplace_back(part);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return parts;
}

Outcome<std::optional<double>> Arguments::number(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr || (value->kind == Kind::Text && trim(value->text).empty())) {
    return std::optional<double>();
  }
  if (value->kind == Kind::Integer || value->kind == Kind::Number) {
    return std::optional<double>(value->number);
  }
  const std::string_view text = trim(value->text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (value->kind != Kind::Text || error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(number)) {
    return failure(Fault::BadRequest, fmt::format("{} must be a number, found '{}'", name,
                                                  shorten(value->text, 60, 59)));
  }
  return std::optional<double>(number);
}

std::string Arguments::json(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr ? value->json : std::string();
}

bool Arguments::is_object(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->kind == Kind::Object;
}

bool Arguments::is_list(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->kind == Kind::List;
}

Outcome<Arguments> Arguments::object(std::string_view name) const {
  if (!has(name)) return Arguments();
  if (!is_object(name)) {
    return failure(Fault::BadRequest, fmt::format("{} must be an object, found '{}'", name,
                                                  shorten(text(name), 60, 59)));
  }
  return parse(json(name));
}

std::vector<std::string> Arguments::elements(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr ? value->elements : std::vector<std::string>();
}

std::optional<Arguments::Kind> Arguments::kind(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr ? std::optional<Kind>(value->kind) : std::nullopt;
}

bool Arguments::read_text_as_json(std::string_view name) {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.kind != Kind::Text) return false;
  json::error_code error;
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  const json::value value = json::parse(found->second.text, error, {}, options);
  if (error || value.is_null()) return false;
  found->second = Reader::read(value);
  return true;
}

std::vector<std::string> Arguments::names() const {
  std::vector<std::string> out;
  out.reserve(values_.size());
  for (const auto& [name, value] : values_) out.push_back(name);
  return out;
}

}  // namespace gantry::observation
