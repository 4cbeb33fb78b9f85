// SPDX-License-Identifier: Apache-2.0
#include "argument_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json_object.hpp"
#include "sought_values.hpp"
#include "text.hpp"
#include "trace_record.hpp"

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

/// The first part of a list for which `fits` is true; nothing when there is none.
template <class Fits>
std::optional<std::string_view> first_part(std::string_view list, char between, Fits fits) {
  while (!list.empty()) {
    const std::size_t end = list.find(between);
    if (fits(list.substr(0, end))) return list.substr(0, end);
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return std::nullopt;
}

bool is_one_of(std::string_view values, std::string_view text, char between = '|') {
  return first_part(values, between, [&](std::string_view one) { return one == text; }).has_value();
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

/// nullptr: the tool does not know the name.
const Parameter* parameter_of(const Tool& tool, std::string_view name) {
  const auto found =
      std::find_if(tool.parameters.begin(), tool.parameters.end(), [&](const Parameter& p) {
        const bool aliased = std::any_of(kAliases.begin(), kAliases.end(), [&](const Alias& alias) {
          return alias.parameter == p.name && alias.other == name;
        });
        return p.name == name || aliased;
      });
  return found != tool.parameters.end() ? &*found : nullptr;
}

constexpr std::string_view kIgnored = "<ignored>";
constexpr std::string_view kProposedTool = "action";

/// Arguments and members that hold a selector, or may.
constexpr std::array<std::string_view, 3> kSelectors{"selector", "element_id", "focus_element"};

/// What of a call may be told.
struct Told {
  const std::vector<std::string>& readable;
  bool found = false;  ///< Its own selectors found what anybody may read.

  [[nodiscard]] bool has(const std::string& part) const {
    return std::find(readable.begin(), readable.end(), part) != readable.end();
  }
};

RawJson redacted_json() { return {json_string(kRedacted)}; }

RawJson value_json(const Arguments& object, std::string_view name, bool found) {
  const bool selects = std::find(kSelectors.begin(), kSelectors.end(), name) != kSelectors.end();
  if (!selects || object.kind(name) != Kind::Text) return {object.json(name)};
  return {json_string(recordable_selector(object.text(name), found))};
}

/// An id finds an element even when the selector beside it did not.
bool selectors_found(const Arguments& object, bool found) {
  return found && !(object.has("selector") && object.has("element_id"));
}

/// What a client named means nothing, and may be anything.
void add_count(JsonObject& out, std::int64_t ignored) {
  if (ignored > 0) out.add(kIgnored, ignored);
}

/// The members of an object that mean something; they are plain values.
std::string recordable_members(const Parameter& parameter, const Arguments& object, bool may_read,
                               bool found) {
  const std::vector<std::string> names = object.names();
  JsonObject out;
  std::int64_t ignored = 0;
  for (const std::string& name : names) {
    const auto known = first_part(parameter.members, '|', [&](std::string_view one) {
      return one.substr(0, one.find(':')) == name;
    });
    const std::size_t colon = known ? known->find(':') : std::string_view::npos;
    const bool no_word_of_the_tool = colon != std::string_view::npos &&
                                     !is_one_of(known->substr(colon + 1), object.text(name), ',');
    if (!known) {
      ++ignored;
    } else if (no_word_of_the_tool || object.is_object(name) || object.is_list(name) ||
               (!may_read && is_one_of(parameter.expectations, name))) {
      out.add(name, redacted_json());
    } else {
      out.add(name, value_json(object, name, selectors_found(object, found)));
    }
  }
  add_count(out, ignored);
  return out.text();
}

RawJson recordable_parts(const Parameter& parameter, const Arguments& arguments, const Told& told) {
  const std::vector<std::string> elements = arguments.elements(parameter.name);
  JsonArray out;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Outcome<Arguments> object = Arguments::parse(elements[i]);
    const bool may_read = told.has(part_name(parameter.name, i));
    const bool found = may_read || told.has(part_selector(parameter.name, i));
    out.add(object.ok() ? RawJson{recordable_members(parameter, *object, may_read, found)}
                        : redacted_json());
  }
  return out.done();
}

std::string recordable(const Tool* tool, const Arguments& arguments, const Told& told);

/// `proposed`: the tool that a proposal is for.
RawJson recordable_value(const Parameter& parameter, std::string_view name, Arguments arguments,
                         const Told& told, const Tool* proposed) {
  const std::optional<Kind> kind = arguments.kind(name);
  if (!kind) return {"null"};
  const bool other_name = name != parameter.name;  // it stands for the parameter, not by its type
  if (!other_name && !fits(parameter, arguments, *kind)) return redacted_json();
  const std::string text = arguments.text(name);
  if (!parameter.values.empty() && !text.empty() && !is_one_of(parameter.values, text)) {
    return redacted_json();
  }
  const bool is_call = parameter.members == kProposedArguments;
  if (parameter.members.empty() || (*kind == Kind::Text && is_blank(text))) {
    return value_json(arguments, name, selectors_found(arguments, told.found));
  }
  if (arguments.is_list(name)) return recordable_parts(parameter, arguments, told);
  const Outcome<Arguments> object = arguments.object(name);
  if (!arguments.is_object(name) || !object.ok()) return redacted_json();
  return {is_call ? recordable(proposed, *object, {{}, told.found})
                  : recordable_members(parameter, *object, false, told.found)};
}

std::string recordable(const Tool* tool, const Arguments& arguments, const Told& told) {
  const std::vector<std::string> names = arguments.names();
  const Tool* proposed = find_tool(arguments.text(kProposedTool));
  const bool proposes =
      tool != nullptr &&
      std::any_of(tool->parameters.begin(), tool->parameters.end(), [](const Parameter& parameter) {
        return parameter.members == kProposedArguments;
      });
  JsonObject out;
  std::int64_t ignored = 0;
  for (const std::string& name : names) {
    const Parameter* parameter = tool != nullptr ? parameter_of(*tool, name) : nullptr;
    // A caller's own mark is nothing that it is told about, and may be anything, too.
    if (tool != nullptr && name.starts_with('_')) continue;
    if (parameter == nullptr) {
      ++ignored;
    } else {
      const bool no_tool = proposes && name == kProposedTool && proposed == nullptr;
      out.add(name, no_tool ? redacted_json()
                            : recordable_value(*parameter, name, arguments, told, proposed));
    }
  }
  add_count(out, ignored);
  return out.text();
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
    if (!name.starts_with('_') && parameter_of(tool, name) == nullptr)
      out.push_back(std::move(name));
  }
  return out;
}

std::string part_name(std::string_view parameter, std::size_t index) {
  return fmt::format("{}[{}]", parameter, index);
}

std::string part_selector(std::string_view parameter, std::size_t index) {
  return part_name(parameter, index) + ".selector";
}

std::string recordable_args(const Tool* tool, const std::string& json,
                            const std::vector<std::string>& readable, bool found) {
  const Outcome<Arguments> arguments = Arguments::parse(json);
  if (!arguments.ok()) return "{}";
  return recordable(tool, *arguments, {readable, found});
}

}  // namespace gantry::observation
