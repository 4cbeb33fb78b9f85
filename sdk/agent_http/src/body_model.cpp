// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/body_model.hpp>

#include <gantry/agent_http/text.hpp>
#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

using Issues = std::vector<Issue>;

json::array at(const json::array& loc, json::value last) {
  json::array longer = loc;
  longer.push_back(std::move(last));
  return longer;
}

void add(Issues& issues, std::string_view type, const json::array& loc, std::string msg,
         const json::value& input, std::optional<json::object> ctx = std::nullopt) {
  issues.push_back({std::string(type), loc, std::move(msg), input, std::move(ctx)});
}

void add_value_error(Issues& issues, const json::array& loc, const std::string& problem,
                     const json::value& input) {
  add(issues, "value_error", loc, "Value error, " + problem, input, {{{"error", json::object()}}});
}

std::string plural(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

void check_text(const json::value& value, std::size_t min, std::size_t max, const json::array& loc,
                Issues& issues) {
  if (!value.is_string()) {
    return add(issues, "string_type", loc, "Input should be a valid string", value);
  }
  const std::size_t length = characters(value.get_string());
  if (length < min) {
    add(issues, "string_too_short", loc, "String should have at least " + plural(min, "character"),
        value, {{{"min_length", min}}});
  } else if (max != 0 && length > max) {
    add(issues, "string_too_long", loc, "String should have at most " + plural(max, "character"),
        value, {{{"max_length", max}}});
  }
}

/// "'a', 'b' or 'c'".
std::string listed(std::span<const std::string_view> options) {
  std::string text;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (i != 0) text += i + 1 == options.size() ? " or " : ", ";
    text += fmt::format("'{}'", options[i]);
  }
  return text;
}

void check_choice(const json::value& value, std::span<const std::string_view> options,
                  const json::array& loc, Issues& issues) {
  const auto is_value = [&value](std::string_view option) {
    return value.is_string() && value.get_string() == option;
  };
  if (std::any_of(options.begin(), options.end(), is_value)) return;
  const std::string expected = listed(options);
  add(issues, "literal_error", loc, "Input should be " + expected, value,
      {{{"expected", expected}}});
}

/// A list, within its limits.
const json::array* check_list(const json::value& value, const Field& field, const json::array& loc,
                              Issues& issues) {
  const json::array* list = value.if_array();
  if (list == nullptr) {
    add(issues, "list_type", loc, "Input should be a valid list", value);
    return nullptr;
  }
  const bool few = list->size() < field.min;
  if (few || (field.max != 0 && list->size() > field.max)) {
    const std::size_t limit = few ? field.min : field.max;
    add(issues, few ? "too_short" : "too_long", loc,
        fmt::format("List should have at {} {} after validation, not {}", few ? "least" : "most",
                    plural(limit, "item"), list->size()),
        value,
        {{{"field_type", "List"},
          {few ? "min_length" : "max_length", limit},
          {"actual_length", list->size()}}});
  }
  return list;
}

void check_object(const json::value& value, const json::array& loc, Issues& issues) {
  if (!value.is_object()) {
    add(issues, "dict_type", loc, "Input should be a valid dictionary", value);
  }
}

std::optional<bool> as_flag(const json::value& value) {
  if (value.is_bool()) return value.get_bool();
  if (value.is_number()) {
    const double number = value.to_number<double>();
    if (number == 0 || number == 1) return number == 1;
  }
  if (!value.is_string()) return std::nullopt;
  std::string word(value.get_string());
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 6> kYes = {"1", "true", "t", "yes", "y", "on"};
  constexpr std::array<std::string_view, 6> kNo = {"0", "false", "f", "no", "n", "off"};
  if (std::find(kYes.begin(), kYes.end(), word) != kYes.end()) return true;
  if (std::find(kNo.begin(), kNo.end(), word) != kNo.end()) return false;
  return std::nullopt;
}

void check_flag(const json::value& value, const json::array& loc, Issues& issues) {
  if (as_flag(value)) return;
  if (value.is_string() || value.is_number()) {
    return add(issues, "bool_parsing", loc,
               "Input should be a valid boolean, unable to interpret input", value);
  }
  add(issues, "bool_type", loc, "Input should be a valid boolean", value);
}

/// The number that pydantic reads out of a string, or what is no number by itself.
std::optional<double> as_number(const json::value& value) {
  if (value.is_bool()) return value.get_bool() ? 1 : 0;
  if (value.is_number()) return value.to_number<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string text(trim(value.get_string()));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool plain = text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (text.empty() || !plain || *end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number;
}

void check_limits(double number, const json::value& value, const Field& field,
                  const json::array& loc, Issues& issues) {
  struct Limit {
    const std::optional<double>& bound;
    bool broken;
    std::string_view type;
    std::string_view words;
    std::string_view name;
  };
  const Limit limits[] = {{field.at_least, number < field.at_least.value_or(number),
                           "greater_than_equal", "greater than or equal to", "ge"},
                          {field.more_than, number <= field.more_than.value_or(number - 1),
                           "greater_than", "greater than", "gt"},
                          {field.at_most, number > field.at_most.value_or(number),
                           "less_than_equal", "less than or equal to", "le"}};
  for (const Limit& limit : limits) {
    if (!limit.bound || !limit.broken) continue;
    const json::value bound = field.kind == FieldKind::Integer
                                  ? json::value(static_cast<std::int64_t>(*limit.bound))
                                  : json::value(*limit.bound);
    return add(issues, limit.type, loc,
               fmt::format("Input should be {} {}", limit.words, *limit.bound), value,
               json::object{{limit.name, bound}});
  }
}

void check_number(const json::value& value, const Field& field, const json::array& loc,
                  Issues& issues) {
  const bool whole = field.kind == FieldKind::Integer;
  const std::string_view kind = whole ? "integer" : "number";
  const std::string name = whole ? "int" : "float";
  const auto number = as_number(value);
  if (!number && value.is_string()) {
    return add(issues, name + "_parsing", loc,
               fmt::format("Input should be a valid {}, unable to parse string as {} {}", kind,
                           whole ? "an" : "a", kind),
               value);
  }
  if (!number) {
    return add(issues, name + "_type", loc, fmt::format("Input should be a valid {}", kind), value);
  }
  if (whole && std::trunc(*number) != *number) {
    if (value.is_string()) {
      return add(issues, "int_parsing", loc,
                 "Input should be a valid integer, unable to parse string as an integer", value);
    }
    return add(issues, "int_from_float", loc,
               "Input should be a valid integer, got a number with a fractional part", value);
  }
  check_limits(*number, value, field, loc, issues);
}

void check_items(const json::value& value, const Field& field, const json::array& loc,
                 Issues& issues) {
  const json::array* list = check_list(value, field, loc, issues);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const json::array here = at(loc, i);
    const json::value& item = (*list)[i];
    if (field.kind == FieldKind::Texts) {
      check_text(item, field.item_min, field.item_max, here, issues);
    } else if (field.kind == FieldKind::Objects) {
      check_object(item, here, issues);
    } else {
      const Issues inner = check(item, *field.model, here);
      issues.insert(issues.end(), inner.begin(), inner.end());
    }
  }
}

void check_field(const json::value& value, const Field& field, const json::array& loc,
                 Issues& issues) {
  if (value.is_null() && !field.required && field.nullable) return;
  const std::size_t before = issues.size();
  switch (field.kind) {
    case FieldKind::Text: check_text(value, field.min, field.max, loc, issues); break;
    case FieldKind::Flag: check_flag(value, loc, issues); break;
    case FieldKind::Choice: check_choice(value, field.options, loc, issues); break;
    case FieldKind::Integer:
    case FieldKind::Number: check_number(value, field, loc, issues); break;
    case FieldKind::Object: check_object(value, loc, issues); break;
    case FieldKind::One: {
      const Issues inner = check(value, *field.model, loc);
      issues.insert(issues.end(), inner.begin(), inner.end());
      break;
    }
    case FieldKind::Texts:
    case FieldKind::Objects:
    case FieldKind::Models: check_items(value, field, loc, issues); break;
  }
  if (field.judge == nullptr || issues.size() != before) return;
  const std::string problem = field.judge(value.get_string());
  if (!problem.empty()) add_value_error(issues, loc, problem, value);
}

void refuse_extras(const json::object& object, const Model& model, const json::array& loc,
                   Issues& issues) {
  for (const auto& member : object) {
    const bool known =
        std::any_of(model.fields.begin(), model.fields.end(),
                    [&member](const Field& field) { return field.name == member.key(); });
    if (known) continue;
    add(issues, "extra_forbidden", at(loc, json::string(member.key())),
        "Extra inputs are not permitted", member.value());
  }
}

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

Issue missing(json::array loc, json::value input) {
  return {"missing", std::move(loc), "Field required", std::move(input), std::nullopt};
}

std::vector<Issue> check(const json::value& value, const Field& field, const json::array& loc) {
  Issues issues;
  check_field(value, field, loc, issues);
  return issues;
}

std::vector<Issue> check(const json::value& body, const Model& model, const json::array& loc) {
  Issues issues;
  const json::object* object = body.if_object();
  if (object == nullptr) {
    add(issues, "model_attributes_type", loc,
        "Input should be a valid dictionary or object to extract fields from", body);
    return issues;
  }
  for (const Field& field : model.fields) {
    const json::array here = at(loc, json::string(field.name));
    const json::value* value = object->if_contains(field.name);
    if (value != nullptr) {
      check_field(*value, field, here, issues);
    } else if (field.required) {
      issues.push_back(missing(here, body));
    }
  }
  if (model.closed) refuse_extras(*object, model, loc, issues);
  if (!issues.empty() || model.judge == nullptr) return issues;
  const std::string problem = model.judge(*object);
  if (!problem.empty()) add_value_error(issues, loc, problem, body);
  return issues;
}

std::string validation_body(const std::vector<Issue>& issues) {
  json::array detail;
  for (const Issue& issue : issues) {
    json::object entry{
        {"type", issue.type}, {"loc", issue.loc}, {"msg", issue.msg}, {"input", issue.input}};
    if (issue.ctx) entry["ctx"] = *issue.ctx;
    detail.push_back(std::move(entry));
  }
  return codec::serialize(json::object{{"detail", std::move(detail)}});
}

std::optional<std::string> optional_text_of(const json::object& body, std::string_view name) {
  const json::value* value = body.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::string text_of(const json::object& body, std::string_view name, std::string_view otherwise) {
  return optional_text_of(body, name).value_or(std::string(otherwise));
}

bool flag_of(const json::object& body, std::string_view name, bool otherwise) {
  const json::value* value = body.if_contains(name);
  return value == nullptr ? otherwise : as_flag(*value).value_or(otherwise);
}

double number_of(const json::object& body, std::string_view name, double otherwise) {
  const json::value* value = body.if_contains(name);
  return value == nullptr ? otherwise : as_number(*value).value_or(otherwise);
}

std::int32_t integer_of(const json::object& body, std::string_view name, std::int32_t otherwise) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(
      std::clamp<double>(number_of(body, name, otherwise), Limits::min(), Limits::max()));
}

std::string json_of(const json::object& body, std::string_view name, std::string_view otherwise) {
  const json::value* value = body.if_contains(name);
  if (value == nullptr || value->is_null()) return std::string(otherwise);
  return codec::serialize(*value);
}

}  // namespace gantry::agent_http
