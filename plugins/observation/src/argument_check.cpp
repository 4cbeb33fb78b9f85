// SPDX-License-Identifier: Apache-2.0
#include "argument_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "text.hpp"

namespace gantry::observation {
namespace {

using Kind = Arguments::Kind;

/// Other names of arguments: "value" is what an action request calls the text or the keys.
struct Alias {
  std::string_view parameter, other;
};
constexpr std::array<Alias, 2> kAliases{{{"text", "value"}, {"keys", "value"}}};

constexpr std::array<std::string_view, 9> kFlagWords{"1",  "true",  "yes", "on", "0",
                                                     "no", "false", "off", ""};

std::string_view wanted(ParameterType type) {
  switch (type) {
    case ParameterType::Integer: return "an integer";
    case ParameterType::Number: return "a number";
    case ParameterType::Boolean: return "true or false";
    case ParameterType::String: return "a string";
    case ParameterType::Object: return "an object";
    case ParameterType::Array: return "an array";
    case ParameterType::Any: break;
  }
  return "any value";
}

Failure refused(const Parameter& parameter, std::string_view allowed, const std::string& found) {
  return failure(Fault::BadRequest, fmt::format("{} must be {}, found '{}'", parameter.name,
                                                allowed, shorten(found, 60, 59)));
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_flag(const Arguments& arguments, std::string_view name, Kind kind) {
  if (kind == Kind::Boolean || kind == Kind::Integer) return true;
  const std::string word = to_lower(arguments.text(name));
  return kind == Kind::Text &&
         std::find(kFlagWords.begin(), kFlagWords.end(), word) != kFlagWords.end();
}

/// Lists of strings may also be written as one text with commas.
bool is_text_list(const Parameter& parameter) {
  return parameter.items.starts_with(R"({"type":"string")");
}

bool fits(const Parameter& parameter, Arguments& arguments, Kind kind) {
  const std::string_view name = parameter.name;
  const std::string text = kind == Kind::Text ? arguments.text(name) : std::string();
  switch (parameter.type) {
    case ParameterType::Integer: return arguments.integer(name).ok() && kind != Kind::Boolean;
    case ParameterType::Number: return arguments.number(name).ok() && kind != Kind::Boolean;
    case ParameterType::Boolean: return is_flag(arguments, name, kind);
    case ParameterType::String: return kind != Kind::List && kind != Kind::Object;
    case ParameterType::Object:
      if (kind == Kind::Text && !is_blank(text)) arguments.read_text_as_json(name);
      return arguments.is_object(name) || (kind == Kind::Text && is_blank(text));
    case ParameterType::Array:
      if (kind == Kind::Text && text.starts_with('[')) arguments.read_text_as_json(name);
      return arguments.is_list(name) || (kind == Kind::Text && is_text_list(parameter));
    case ParameterType::Any: return true;
  }
  return true;
}

bool is_one_of(std::string_view values, std::string_view text) {
  while (!values.empty()) {
    const std::size_t bar = values.find('|');
    if (values.substr(0, bar) == text) return true;
    values = bar == std::string_view::npos ? std::string_view() : values.substr(bar + 1);
  }
  return false;
}

/// "left, right or middle"
std::string words_of(std::string_view values) {
  std::string out(values);
  if (const std::size_t last = out.rfind('|'); last != std::string::npos) {
    out.replace(last, 1, " or ");
  }
  for (std::size_t at = 0; (at = out.find('|', at)) != std::string::npos;) out.replace(at, 1, ", ");
  return out;
}

bool knows(const Tool& tool, std::string_view name) {
  return std::any_of(tool.parameters.begin(), tool.parameters.end(), [&](const Parameter& p) {
    const bool aliased = std::any_of(kAliases.begin(), kAliases.end(), [&](const Alias& alias) {
      return alias.parameter == p.name && alias.other == name;
    });
    return p.name == name || aliased;
  });
}

bool takes_object(const Tool& tool, std::string_view name) {
  return std::any_of(tool.parameters.begin(), tool.parameters.end(), [&](const Parameter& p) {
    return p.name == name && p.type == ParameterType::Object;
  });
}

}  // namespace

Outcome<Arguments> check_arguments(const Tool& tool, Arguments arguments) {
  for (const Parameter& parameter : tool.parameters) {
    const std::optional<Kind> kind = arguments.kind(parameter.name);
    if (!kind) continue;
    if (!fits(parameter, arguments, *kind)) {
      return refused(parameter, wanted(parameter.type), arguments.text(parameter.name));
    }
    const std::string text = arguments.text(parameter.name);
    if (!parameter.values.empty() && !text.empty() && !is_one_of(parameter.values, text)) {
      return refused(parameter, words_of(parameter.values), text);
    }
  }
  return arguments;
}

std::vector<std::string> ignored_arguments(const Tool& tool, const Arguments& arguments) {
  std::vector<std::string> out;
  for (std::string& name : arguments.names()) {
    if (!name.starts_with('_') && !knows(tool, name)) out.push_back(std::move(name));
  }
  return out;
}

std::vector<std::string> unknown_arguments(const Tool& tool, const std::string& json) {
  const Outcome<Arguments> arguments = Arguments::parse(json);
  if (!arguments.ok()) return {};
  std::vector<std::string> out = ignored_arguments(tool, *arguments);
  // A proposal carries another tool's arguments: that tool says which of their names mean
  // something.
  if (!takes_object(tool, "args") || !arguments->has("args")) return out;
  const Outcome<Arguments> inner = arguments->object("args");
  if (!inner.ok() || !arguments->is_object("args")) {  // a text, whose parts have no names
    out.emplace_back("args");
    return out;
  }
  const Tool* proposed = find_tool(arguments->text("action"));
  std::vector<std::string> unknown =
      proposed != nullptr ? ignored_arguments(*proposed, *inner) : inner->names();
  out.insert(out.end(), std::make_move_iterator(unknown.begin()),
             std::make_move_iterator(unknown.end()));
  return out;
}

}  // namespace gantry::observation
