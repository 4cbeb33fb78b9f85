// SPDX-License-Identifier: Apache-2.0
#include "target_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lower_ascii.hpp"

namespace gantry::guard {
namespace {

Error at(std::string_view where, const Error& error) {
  return invalid_argument(fmt::format("{}: {}", where, error.message));
}

Result<std::optional<Pattern>> optional_pattern(const std::string& expression,
                                                const std::string& where) {
  if (expression.empty()) return std::optional<Pattern>();
  Result<Pattern> pattern = Pattern::compile(expression);
  if (!pattern.ok()) return at(where, pattern.error());
  return std::optional<Pattern>(std::move(*pattern));
}

bool found(const Pattern& pattern, std::string_view text) {
  pattern.reset_effort();
  return pattern.search(text) || pattern.exhausted() > 0;
}

}  // namespace

Result<TargetRules> TargetRules::compile(const std::vector<TargetRule>& rules,
                                         std::string_view where) {
  TargetRules out;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const TargetRule& given = rules[i];
    const std::string place = fmt::format("{}[{}]", where, i);
    if (given.name_regex.empty() && given.role.empty() && given.window_title_regex.empty()) {
      return invalid_argument(
          fmt::format("{} says nothing; give it name_regex, role or window_title_regex", place));
    }
    Rule rule;
    GANTRY_ASSIGN(rule.name, optional_pattern(given.name_regex, place + ".name_regex"));
    GANTRY_ASSIGN(rule.title,
                  optional_pattern(given.window_title_regex, place + ".window_title_regex"));
    rule.role = lower_ascii(given.role);
    out.rules_.push_back(std::move(rule));
  }
  return out;
}

bool TargetRules::fits(const Rule& rule, const GuardedTarget& target) {
  const bool asks_element = rule.name || !rule.role.empty();
  if (asks_element && target.element_id.empty()) return false;
  if (!rule.role.empty() && lower_ascii(target.role) != rule.role) return false;
  if (rule.name && !found(*rule.name, target.name)) return false;
  return !rule.title || found(*rule.title, target.window_title);
}

bool TargetRules::fit(const GuardedTarget& target) const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [&](const Rule& rule) { return fits(rule, target); });
}

Result<void> check_patterns(const std::vector<std::string>& patterns, std::string_view where) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const Result<Pattern> pattern = Pattern::compile(patterns[i]);
    if (!pattern.ok()) return at(fmt::format("{}[{}]", where, i), pattern.error());
  }
  return {};
}

}  // namespace gantry::guard
