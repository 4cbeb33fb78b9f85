// SPDX-License-Identifier: Apache-2.0
#include "json_schema.hpp"

#include <gantry/codec.hpp>
#include <gantry/pattern.hpp>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdint>
#include <string>

#include "text.hpp"

namespace gantry::agent {
namespace {

namespace json = boost::json;

constexpr int kDepth = 64;
constexpr int kWork = 100'000;  // schemas applied to values

std::string_view std_view(json::string_view text) { return {text.data(), text.size()}; }

const json::value* rule_of(const json::object& object, std::string_view name) {
  return object.if_contains(json::string_view(name.data(), name.size()));
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<std::uint8_t>(byte) & 0xC0U) != 0x80;
  }));
}

std::optional<double> as_number(const json::value& value) {
  if (value.is_double()) return value.get_double();
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return std::nullopt;
}

bool is_whole(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::trunc(value.get_double()) == value.get_double();
}

/// Numbers are the same when their values are, however they are written (2020-12 core, 4.2.2).
bool equal_values(const json::value& a, const json::value& b) {
  const auto x = as_number(a);
  const auto y = as_number(b);
  if (x && y) return a == b || *x == *y;
  if (a.is_array() && b.is_array()) {
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(),
                      b.get_array().end(), &equal_values);
  }
  if (!a.is_object() || !b.is_object()) return a == b;
  const json::object& other = b.get_object();
  return a.get_object().size() == other.size() &&
         std::all_of(a.get_object().begin(), a.get_object().end(), [&](const auto& member) {
           const json::value* found = other.if_contains(member.key());
           return found != nullptr && equal_values(member.value(), *found);
         });
}

bool is_type(const json::value& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "null") return value.is_null();
  if (type == "integer") return is_whole(value);
  return type == "number" && as_number(value).has_value();
}

std::string brief(const json::value& value) {
  return std::string(cut_end(json::serialize(value), 80));
}

class Checker {
 public:
  explicit Checker(const json::value& root) : root_(root) {}

  /// False, with error(), when the value does not fit.
  bool check(const json::value& schema, const json::value& value, const std::string& path,
             int depth) {
    if (++work_ > kWork) return broken("it is too much work to check");
    if (schema.is_bool()) {
      return schema.get_bool() || fail(path + " is not allowed");
    }
    const json::object* rules = schema.if_object();
    if (rules == nullptr) return broken("a schema is an object or a boolean");
    if (depth > kDepth) return broken("it is nested too deeply");
    return refers(*rules, value, path, depth) && types(*rules, value, path) &&
           values(*rules, value, path) && numbers(*rules, value, path) &&
           strings(*rules, value, path) && arrays(*rules, value, path, depth) &&
           objects(*rules, value, path, depth) && combined(*rules, value, path, depth);
  }

  [[nodiscard]] Error error() const {
    return {broken_ ? Code::FailedPrecondition : Code::InvalidArgument, message_, {}};
  }

 private:
  bool fail(std::string message) {
    message_ = std::move(message);
    return false;
  }
  bool broken(const std::string& why) {
    broken_ = true;
    return fail("the tool's schema cannot be used: " + why);
  }

  bool refers(const json::object& rules, const json::value& value, const std::string& path,
              int depth) {
    const json::value* ref = rule_of(rules, "$ref");
    if (ref == nullptr) return true;
    if (!ref->is_string()) return broken("$ref is no text");
    const json::value* target = resolve(std_view(ref->get_string()));
    if (target == nullptr) return broken("$ref " + brief(*ref) + " leads nowhere in it");
    return check(*target, value, path, depth + 1);
  }

  /// Only within this schema: nothing is fetched.
  [[nodiscard]] const json::value* resolve(std::string_view ref) const {
    if (ref == "#") return &root_;
    if (!ref.starts_with("#/")) return nullptr;
    boost::system::error_code problem;
    const std::string_view pointer = ref.substr(1);
    return root_.find_pointer(json::string_view(pointer.data(), pointer.size()), problem);
  }

  bool types(const json::object& rules, const json::value& value, const std::string& path) {
    const json::value* type = rule_of(rules, "type");
    if (type == nullptr) return true;
    if (type->is_string()) {
      return is_type(value, std_view(type->get_string())) ||
             fail(path + " must be of the type " + std::string(std_view(type->get_string())) +
                  ", found " + brief(value));
    }
    if (!type->is_array()) return broken("type is neither a text nor a list");
    const auto& list = type->get_array();
    return std::any_of(list.begin(), list.end(),
                       [&](const json::value& one) {
                         return one.is_string() && is_type(value, std_view(one.get_string()));
                       }) ||
           fail(path + " must be of one of the types " + brief(*type) + ", found " + brief(value));
  }

  bool values(const json::object& rules, const json::value& value, const std::string& path) {
    if (const json::value* only = rule_of(rules, "const");
        only != nullptr && !equal_values(*only, value)) {
      return fail(path + " must be " + brief(*only) + ", found " + brief(value));
    }
    const json::value* list = rule_of(rules, "enum");
    if (list == nullptr) return true;
    if (!list->is_array()) return broken("enum is no list");
    return std::any_of(list->get_array().begin(), list->get_array().end(),
                       [&](const json::value& one) { return equal_values(one, value); }) ||
           fail(path + " must be one of " + std::string(cut_end(json::serialize(*list), 400)) +
                ", found " + brief(value));
  }

  bool numbers(const json::object& rules, const json::value& value, const std::string& path) {
    const auto found = as_number(value);
    if (!found) return true;
    struct Limit {
      std::string_view name;
      bool (*fits)(double, double);
      std::string_view words;
    };
    constexpr std::array<Limit, 4> kLimits{
        {{"minimum", [](double a, double b) { return a >= b; }, "at least"},
         {"maximum", [](double a, double b) { return a <= b; }, "at most"},
         {"exclusiveMinimum", [](double a, double b) { return a > b; }, "more than"},
         {"exclusiveMaximum", [](double a, double b) { return a < b; }, "less than"}}};
    for (const Limit& limit : kLimits) {
      const json::value* rule = rule_of(rules, limit.name);
      const auto bound = rule == nullptr ? std::nullopt : as_number(*rule);
      if (bound && !limit.fits(*found, *bound)) {
        return fail(path + " must be " + std::string(limit.words) + " " + brief(*rule) +
                    ", found " + brief(value));
      }
    }
    const json::value* step = rule_of(rules, "multipleOf");
    const auto size = step == nullptr ? std::nullopt : as_number(*step);
    if (!size || *size <= 0) return true;
    return std::trunc(*found / *size) == *found / *size ||
           fail(path + " must be a multiple of " + brief(*step) + ", found " + brief(value));
  }

  /// `size` against two limits that count `what`.
  bool sized(const json::object& rules, std::size_t size, std::string_view least,
             std::string_view most, std::string_view what, const std::string& path) {
    const json::value* low = rule_of(rules, least);
    const json::value* high = rule_of(rules, most);
    const auto from = low == nullptr ? std::nullopt : as_number(*low);
    const auto to = high == nullptr ? std::nullopt : as_number(*high);
    const auto found = static_cast<double>(size);
    if (from && found < *from) {
      return fail(path + " must have at least " + brief(*low) + " " + std::string(what) +
                  ", found " + std::to_string(size));
    }
    if (to && found > *to) {
      return fail(path + " must have at most " + brief(*high) + " " + std::string(what) +
                  ", found " + std::to_string(size));
    }
    return true;
  }

  bool strings(const json::object& rules, const json::value& value, const std::string& path) {
    if (!value.is_string()) return true;
    const std::string_view text = std_view(value.get_string());
    if (!sized(rules, characters(text), "minLength", "maxLength", "characters", path)) return false;
    const json::value* rule = rule_of(rules, "pattern");
    if (rule == nullptr) return true;
    if (!rule->is_string()) return broken("pattern is no text");
    const auto pattern = Pattern::compile(std_view(rule->get_string()));
    if (!pattern.ok()) return broken("pattern: " + pattern.error().message);
    return pattern->search(text) || fail(path + " must match " + brief(*rule));
  }

  bool arrays(const json::object& rules, const json::value& value, const std::string& path,
              int depth) {
    if (!value.is_array()) return true;
    const json::array& items = value.get_array();
    if (!sized(rules, items.size(), "minItems", "maxItems", "elements", path)) return false;
    const json::value* unique = rule_of(rules, "uniqueItems");
    if (unique != nullptr && unique->is_bool() && unique->get_bool() && repeats(items)) {
      return fail(path + " must not have an element twice");
    }
    const json::value* first = rule_of(rules, "prefixItems");
    const std::size_t fixed = first != nullptr && first->is_array() ? first->get_array().size() : 0;
    const json::value* rest = rule_of(rules, "items");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const json::value* rule = i < fixed ? &first->get_array()[i] : rest;
      if (rule != nullptr &&
          !check(*rule, items[i], path + "[" + std::to_string(i) + "]", depth + 1)) {
        return false;
      }
    }
    return true;
  }

  bool repeats(const json::array& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (++work_ > kWork) return false;  // the next check() says so
        if (equal_values(items[i], items[j])) return true;
      }
    }
    return false;
  }

  bool objects(const json::object& rules, const json::value& value, const std::string& path,
               int depth) {
    const json::object* object = value.if_object();
    if (object == nullptr) return true;
    if (!sized(rules, object->size(), "minProperties", "maxProperties", "members", path)) {
      return false;
    }
    if (const json::value* required = rule_of(rules, "required"); required != nullptr) {
      if (!required->is_array()) return broken("required is no list");
      for (const json::value& name : required->get_array()) {
        if (name.is_string() && rule_of(*object, std_view(name.get_string())) == nullptr) {
          return fail(path + " lacks the required member '" +
                      std::string(std_view(name.get_string())) + "'");
        }
      }
    }
    const json::value* known = rule_of(rules, "properties");
    const json::object* properties = known == nullptr ? nullptr : known->if_object();
    const json::value* others = rule_of(rules, "additionalProperties");
    for (const auto& [key, element] : *object) {
      const std::string_view name = std_view(key);
      const json::value* rule = properties == nullptr ? nullptr : rule_of(*properties, name);
      if (rule == nullptr && others != nullptr && others->is_bool() && !others->get_bool()) {
        return fail(path + " has the unknown member '" + std::string(cut_end(name, 80)) + "'");
      }
      if (rule == nullptr) rule = others;
      if (rule != nullptr && !check(*rule, element, path + "." + std::string(name), depth + 1)) {
        return false;
      }
    }
    return true;
  }

  bool combined(const json::object& rules, const json::value& value, const std::string& path,
                int depth) {
    if (const json::value* all = rule_of(rules, "allOf"); all != nullptr && all->is_array()) {
      for (const json::value& rule : all->get_array()) {
        if (!check(rule, value, path, depth + 1)) return false;
      }
    }
    for (const bool one : {false, true}) {
      const json::value* list = rule_of(rules, one ? "oneOf" : "anyOf");
      if (list == nullptr || !list->is_array()) continue;
      std::size_t fitting = 0;
      std::string last;
      for (const json::value& rule : list->get_array()) {
        if (check(rule, value, path, depth + 1)) ++fitting;
        if (broken_) return false;
        last = message_;
      }
      if (fitting == 0) return fail(path + " fits none of the possible forms; the last: " + last);
      if (one && fitting > 1) return fail(path + " fits more than one of the possible forms");
    }
    const json::value* rule = rule_of(rules, "not");
    if (rule == nullptr) return true;
    const bool fits_it = check(*rule, value, path, depth + 1);
    if (broken_) return false;
    return !fits_it || fail(path + " has a form that is not allowed");
  }

  const json::value& root_;
  std::string message_;
  bool broken_ = false;
  int work_ = 0;
};

}  // namespace

Result<void> check_schema(std::string_view schema, std::string_view arguments) {
  Result<void> result;
  struct State {
    std::string_view arguments;
    const json::value* schema = nullptr;
    Result<void>* result = nullptr;
  } state{arguments, nullptr, &result};
  const auto parsed = codec::with_parsed(
      schema,
      [](void* user, const json::value& rules) -> Result<void> {
        auto& mine = *static_cast<State*>(user);
        mine.schema = &rules;
        *mine.result = codec::with_parsed(
            mine.arguments,
            [](void* inner, const json::value& value) -> Result<void> {
              auto& both = *static_cast<State*>(inner);
              Checker checker(*both.schema);
              if (checker.check(*both.schema, value, "$", 0)) return {};
              return checker.error();
            },
            user);
        return {};
      },
      &state);
  if (!parsed.ok()) {
    return failed_precondition("the tool's schema cannot be used: " + parsed.error().message);
  }
  return result;
}

}  // namespace gantry::agent
