// SPDX-License-Identifier: Apache-2.0
#include "params.hpp"

#include <cmath>

namespace gantry::gateway {

namespace json = boost::json;

const json::value* find(const json::object& in, Names names) {
  for (const std::string_view name : names) {
    const json::value* found = in.if_contains(name);
    if (found != nullptr && !found->is_null()) return found;
  }
  return nullptr;
}

std::optional<std::string> given_text(const json::object& in, Names names) {
  const json::value* found = find(in, names);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string());
}

std::string text(const json::object& in, Names names) {
  return given_text(in, names).value_or(std::string());
}

std::optional<std::int64_t> integer(const json::object& in, Names names) {
  constexpr double kExact = 9007199254740992.0;  // beyond it a double skips integers
  const json::value* found = find(in, names);
  if (found == nullptr) return std::nullopt;
  if (found->is_int64()) return found->get_int64();
  if (found->is_double()) {
    const double number = found->get_double();
    if (std::trunc(number) == number && std::abs(number) <= kExact) {
      return static_cast<std::int64_t>(number);
    }
  }
  return std::nullopt;
}

std::optional<bool> flag(const json::object& in, Names names) {
  const json::value* found = find(in, names);
  if (found == nullptr || !found->is_bool()) return std::nullopt;
  return found->get_bool();
}

const json::object* object(const json::object& in, Names names) {
  const json::value* found = find(in, names);
  return found != nullptr && found->is_object() ? &found->get_object() : nullptr;
}

}  // namespace gantry::gateway
