// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <gantry/llm/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gantry::desk {
namespace {

namespace json = boost::json;
using llm::jsv;

std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

std::vector<std::string_view> words_of(std::string_view values) {
  std::vector<std::string_view> out;
  while (!values.empty()) {
    const std::size_t bar = values.find('|');
    out.push_back(values.substr(0, bar));
    values = bar == std::string_view::npos ? std::string_view() : values.substr(bar + 1);
  }
  return out;
}

json::object property_of(const Parameter& parameter) {
  json::object out;
  switch (parameter.kind) {
    case Kind::Text: out["type"] = "string"; break;
    case Kind::Integer: out["type"] = "integer"; break;
    case Kind::Number: out["type"] = "number"; break;
    case Kind::Flag: out["type"] = "boolean"; break;
    case Kind::Keys:
      out["type"] = json::array{"string", "array"};
      out["items"] = json::object{{"type", "string"}};
      break;
  }
  out["description"] = jsv(parameter.doc);
  if (!parameter.values.empty()) {
    json::array values;
    for (const std::string_view word : words_of(parameter.values)) values.emplace_back(jsv(word));
    out["enum"] = std::move(values);
  }
  if (parameter.most > parameter.least) {
    out["minimum"] = parameter.least;
    out["maximum"] = parameter.most;
    if (parameter.kind == Kind::Integer) {
      out["minimum"] = static_cast<std::int64_t>(parameter.least);
      out["maximum"] = static_cast<std::int64_t>(parameter.most);
    }
  }
  return out;
}

std::optional<double> number_in(const json::value& value) {
  if (!value.is_number()) return std::nullopt;
  boost::system::error_code problem;
  const double number = value.to_number<double>(problem);
  return problem ? std::nullopt : std::optional(number);
}

bool is_text_list(const json::value& value) {
  const json::array* list = value.if_array();
  return list != nullptr && std::all_of(list->begin(), list->end(),
                                        [](const json::value& v) { return v.is_string(); });
}

std::string_view wanted(Kind kind) {
  switch (kind) {
    case Kind::Text: return "a text";
    case Kind::Integer: return "a whole number";
    case Kind::Number: return "a number";
    case Kind::Flag: return "true or false";
    case Kind::Keys: break;
  }
  return "a text or a list of texts";
}

bool is_of_kind(Kind kind, const json::value& value) {
  switch (kind) {
    case Kind::Text: return value.is_string();
    case Kind::Integer: {
      const auto number = number_in(value);
      return number && std::trunc(*number) == *number;
    }
    case Kind::Number: return number_in(value).has_value();
    case Kind::Flag: return value.is_bool();
    case Kind::Keys: break;
  }
  return value.is_string() || is_text_list(value);
}

std::string number_text(double number) {
  const bool whole = std::trunc(number) == number && std::abs(number) < 1e15;
  return whole ? std::to_string(std::llround(number)) : codec::serialize(json::value(number));
}

std::string problem_of(const Parameter& parameter, const json::value& value) {
  const std::string name(parameter.name);
  if (!is_of_kind(parameter.kind, value)) {
    return name + " must be " + std::string(wanted(parameter.kind));
  }
  if (!parameter.values.empty()) {
    const std::vector<std::string_view> words = words_of(parameter.values);
    const std::string_view word = view(value.get_string());
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      std::string all;
      for (const std::string_view one : words) all += (all.empty() ? "" : ", ") + std::string(one);
      return name + " must be one of " + all;
    }
  }
  if (parameter.most > parameter.least) {
    const double number = number_in(value).value_or(parameter.least);
    if (!(number >= parameter.least && number <= parameter.most)) {
      return name + " must be from " + std::to_string(std::llround(parameter.least)) + " to " +
             std::to_string(std::llround(parameter.most)) + ", found " + number_text(number);
    }
  }
  return {};
}

}  // namespace

std::string input_schema(std::span<const Parameter> parameters) {
  json::object properties;
  json::array required;
  for (const Parameter& parameter : parameters) {
    properties[jsv(parameter.name)] = property_of(parameter);
    if (parameter.required) required.emplace_back(jsv(parameter.name));
  }
  return codec::serialize(json::object{{"type", "object"},
                                       {"properties", std::move(properties)},
                                       {"required", std::move(required)},
                                       {"additionalProperties", false}});
}

std::string problem_of(std::span<const Parameter> parameters, const json::object& arguments) {
  for (const auto& [name, value] : arguments) {
    const auto parameter =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const Parameter& one) { return one.name == view(name); });
    if (parameter == parameters.end()) {
      std::string known;
      for (const Parameter& one : parameters)
        known += (known.empty() ? "" : ", ") + std::string(one.name);
      return "there is no argument '" + std::string(view(name)) + "'; it takes " + known;
    }
    if (value.is_null()) continue;
    if (std::string problem = problem_of(*parameter, value); !problem.empty()) return problem;
  }
  for (const Parameter& parameter : parameters) {
    const json::value* value = arguments.if_contains(jsv(parameter.name));
    if (parameter.required && (value == nullptr || value->is_null())) {
      return std::string(parameter.name) + " is required";
    }
  }
  return {};
}

const json::value* Arguments::find(std::string_view name) const {
  const json::value* value = values_.if_contains(jsv(name));
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string Arguments::text(std::string_view name) const {
  const json::value* value = find(name);
  return value == nullptr || !value->is_string() ? std::string()
                                                 : std::string(view(value->get_string()));
}

std::optional<std::int64_t> Arguments::integer(std::string_view name) const {
  const auto value = number(name);
  if (!value || std::abs(*value) > 1e15) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<double> Arguments::number(std::string_view name) const {
  const json::value* value = find(name);
  return value == nullptr ? std::nullopt : number_in(*value);
}

bool Arguments::flag(std::string_view name) const {
  const json::value* value = find(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::vector<std::string> Arguments::keys(std::string_view name) const {
  std::vector<std::string> out;
  const json::value* value = find(name);
  if (value == nullptr) return out;
  if (value->is_string()) return {text(name)};
  for (const json::value& one : value->get_array()) out.emplace_back(view(one.get_string()));
  return out;
}

}  // namespace gantry::desk
