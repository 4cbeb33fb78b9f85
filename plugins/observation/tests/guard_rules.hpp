// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules of the guard as tests make them.

#include <gantry/contracts/guard.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gantry::observation::tests {

/// Hides the elements whose names fit one of `names`.
inline GuardRules rules_with(std::vector<std::string> names) {
  GuardRules rules;
  rules.version = 1;
  rules.element_name_patterns = std::move(names);
  rules.replacement = "[REDACTED]";
  rules.max_text = 100'000;
  return rules;
}

}  // namespace gantry::observation::tests
