// SPDX-License-Identifier: Apache-2.0
#include "shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "text.hpp"

namespace gantry::agent_ws {
namespace {

namespace json = boost::json;
using Problem = std::optional<std::string>;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string_view plural(std::size_t count) { return count == 1 ? "" : "s"; }

/// The words that stand for booleans.
std::optional<bool> boolean_of(std::string_view word) {
  constexpr std::array<std::string_view, 6> kYes{"true", "t", "yes", "y", "on", "1"};
  constexpr std::array<std::string_view, 6> kNo{"false", "f", "no", "n", "off", "0"};
  const std::string text = lowered(word);
  if (std::find(kYes.begin(), kYes.end(), text) != kYes.end()) return true;
  if (std::find(kNo.begin(), kNo.end(), text) != kNo.end()) return false;
  return std::nullopt;
}

Problem boolean_problem(json::value& value) {
  if (value.is_bool()) return std::nullopt;
  std::optional<bool> found;
  if (const json::string* text = value.if_string()) {
    found = boolean_of({text->data(), text->size()});
  } else if (value.is_number()) {
    const auto number = value.to_number<double>();
    if (number == 0.0 || number == 1.0) found = number == 1.0;
  } else {
    return "Input should be a valid boolean";
  }
  if (!found) return "Input should be a valid boolean, unable to interpret input";
  value = *found;
  return std::nullopt;
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Problem integer_problem(json::value& value) {
  if (value.is_int64()) return std::nullopt;
  if (value.is_uint64()) return "Input should be less than or equal to 9223372036854775807";
  if (value.is_bool()) {
    value = std::int64_t{value.get_bool() ? 1 : 0};
    return std::nullopt;
  }
  if (value.is_double()) {
    const double number = value.get_double();
    if (std::trunc(number) != number) {
      return "Input should be a valid integer, got a number with a fractional part";
    }
    if (std::abs(number) > 9e15) return "Input should be a valid integer";
    value = static_cast<std::int64_t>(number);
    return std::nullopt;
  }
  const json::string* text = value.if_string();
  if (text == nullptr) return "Input should be a valid integer";
  const auto number = integer_in(trimmed({text->data(), text->size()}));
  if (!number) return "Input should be a valid integer, unable to parse string as an integer";
  value = *number;
  return std::nullopt;
}

/// 'a', 'b' or 'c'.
std::string quoted_choices(const std::vector<std::string>& choices) {
  std::string out;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i != 0) out += i + 1 == choices.size() ? " or " : ", ";
    out += fmt::format("'{}'", choices[i]);
  }
  return out;
}

}  // namespace

std::string join_findings(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    if (!out.empty()) out += "; ";
    out += finding.at + ": " + finding.problem;
  }
  return out;
}

Shape::Shape(Kind kind) : kind_(kind) {}
Shape::Shape(const Shape&) = default;
Shape::Shape(Shape&&) noexcept = default;
Shape& Shape::operator=(const Shape&) = default;
Shape& Shape::operator=(Shape&&) noexcept = default;
Shape::~Shape() = default;

Shape Shape::any() { return Shape(Kind::Any); }
Shape Shape::text() { return Shape(Kind::Text); }
Shape Shape::boolean() { return Shape(Kind::Boolean); }
Shape Shape::integer() { return Shape(Kind::Integer); }
Shape Shape::number() { return Shape(Kind::Number); }
Shape Shape::dictionary() { return Shape(Kind::Dictionary); }
Shape Shape::list(Shape items) {
  Shape shape(Kind::List);
  shape.items_.push_back(std::move(items));
  return shape;
}
Shape Shape::choice(std::vector<std::string> texts) {
  Shape shape(Kind::Choice);
  shape.choices_ = std::move(texts);
  return shape;
}
Shape Shape::object(std::string model) {
  Shape shape(Kind::Object);
  shape.model_ = std::move(model);
  return shape;
}

Shape& Shape::length(std::size_t least, std::size_t most) {
  least_ = least;
  most_ = most;
  return *this;
}
Shape& Shape::range(std::int64_t least, std::int64_t most) {
  low_ = least;
  high_ = most;
  return *this;
}
Shape& Shape::characters(std::string_view others, std::string pattern) {
  others_ = others;
  pattern_ = std::move(pattern);
  return *this;
}
Shape& Shape::trimmed() {
  trimmed_ = true;
  return *this;
}
Shape& Shape::not_blank() {
  not_blank_ = true;
  return *this;
}
Shape& Shape::nullable() {
  nullable_ = true;
  return *this;
}
Shape& Shape::check(Check rule) {
  check_ = std::move(rule);
  return *this;
}
Shape& Shape::member(std::string name, Shape shape, bool required) {
  members_.push_back({std::move(name), std::move(shape), required});
  return *this;
}
Shape& Shape::of(std::string_view name) {
  return std::find_if(members_.begin(), members_.end(),
                      [name](const Member& member) { return member.name == name; })
      ->shape;
}
Shape& Shape::not_required(std::string_view name) {
  for (Member& member : members_) member.required = member.required && member.name != name;
  return *this;
}
Shape& Shape::extras(Extras policy) {
  extras_ = policy;
  return *this;
}

Problem Shape::text_problem(json::value& value) const {
  const json::string* found = value.if_string();
  if (found == nullptr) return "Input should be a valid string";
  if (trimmed_) {
    const std::string inner(agent_ws::trimmed({found->data(), found->size()}));
    value = inner;
    found = value.if_string();
  }
  const std::string_view text(found->data(), found->size());
  const std::size_t length = code_points(text);
  if (length < least_) {
    return fmt::format("String should have at least {} character{}", least_, plural(least_));
  }
  if (length > most_) {
    return fmt::format("String should have at most {} character{}", most_, plural(most_));
  }
  if (!pattern_.empty() && !std::all_of(text.begin(), text.end(), [this](char c) {
        return is_word(c) || others_.find(c) != std::string::npos;
      })) {
    return fmt::format("String should match pattern '{}'", pattern_);
  }
  if (not_blank_ && blank(text)) return "Value error, must not be blank";
  return std::nullopt;
}

Problem Shape::list_problem(const json::value& value) const {
  const json::array* found = value.if_array();
  if (found == nullptr) return "Input should be a valid list";
  if (found->size() < least_) {
    return fmt::format("List should have at least {} item{} after validation, not {}", least_,
                       plural(least_), found->size());
  }
  if (found->size() > most_) {
    return fmt::format("List should have at most {} item{} after validation, not {}", most_,
                       plural(most_), found->size());
  }
  return std::nullopt;
}

Problem Shape::problem(json::value& value) const {
  switch (kind_) {
    case Kind::Any: return std::nullopt;
    case Kind::Text: return text_problem(value);
    case Kind::Boolean: return boolean_problem(value);
    case Kind::Integer: {
      if (Problem wrong = integer_problem(value)) return wrong;
      const std::int64_t number = value.get_int64();
      if (number < low_) return fmt::format("Input should be greater than or equal to {}", low_);
      if (number > high_) return fmt::format("Input should be less than or equal to {}", high_);
      return std::nullopt;
    }
    case Kind::Number:
      if (value.is_number()) return std::nullopt;
      return "Input should be a valid number";
    case Kind::Dictionary:
      if (value.is_object()) return std::nullopt;
      return "Input should be a valid dictionary";
    case Kind::List: return list_problem(value);
    case Kind::Choice: {
      const json::string* text = value.if_string();
      if (text != nullptr &&
          std::find(choices_.begin(), choices_.end(),
                    std::string_view(text->data(), text->size())) != choices_.end()) {
        return std::nullopt;
      }
      return "Input should be " + quoted_choices(choices_);
    }
    case Kind::Object:
      if (value.is_object()) return std::nullopt;
      return "Input should be a valid dictionary or instance of " + model_;
  }
  return std::nullopt;
}

void Shape::apply_members(json::value& value, const std::string& at, Findings& out) const {
  json::object& object = value.get_object();
  for (const Member& member : members_) {
    const std::string inner = at.empty() ? member.name : at + '.' + member.name;
    if (json::value* found = object.if_contains(member.name)) {
      member.shape.apply(*found, inner, out);
    } else if (member.required) {
      out.push_back({inner, "Field required"});
    }
  }
  if (extras_ == Extras::Keep) return;
  const auto known = [this](std::string_view name) {
    return std::any_of(members_.begin(), members_.end(),
                       [name](const Member& member) { return member.name == name; });
  };
  std::vector<std::string> unknown;
  for (const auto& entry : object) {
    const std::string_view name(entry.key().data(), entry.key().size());
    if (!known(name)) unknown.emplace_back(name);
  }
  for (const std::string& name : unknown) {
    if (extras_ == Extras::Ignore) {
      object.erase(name);
    } else {
      out.push_back({at.empty() ? name : at + '.' + name, "Extra inputs are not permitted"});
    }
  }
}

void Shape::apply(json::value& value, const std::string& at, Findings& out) const {
  if (nullable_ && value.is_null()) return;
  if (Problem wrong = problem(value)) {
    out.push_back({at, std::move(*wrong)});
    return;
  }
  const std::size_t before = out.size();
  if (kind_ == Kind::Object) {
    apply_members(value, at, out);
  } else if (kind_ == Kind::List) {
    json::array& array = value.get_array();
    for (std::size_t i = 0; i < array.size(); ++i) {
      items_.front().apply(array[i], at + '.' + std::to_string(i), out);
    }
  }
  if (out.size() != before || !check_) return;
  if (Problem wrong = check_(value)) out.push_back({at, "Value error, " + *wrong});
}

}  // namespace gantry::agent_ws
