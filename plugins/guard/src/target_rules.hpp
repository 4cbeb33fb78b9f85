// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules about windows and elements, judged on what was resolved and not on how it was named.

#include <gantry/contracts/guard.hpp>
#include <gantry/pattern.hpp>
#include <gantry/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::guard {

class TargetRules {
 public:
  /// `where` names the rules' key in messages. Fails with InvalidArgument when a pattern does not
  /// compile, and when a rule has none, which would fit everything.
  [[nodiscard]] static Result<TargetRules> compile(const std::vector<TargetRule>& rules,
                                                   std::string_view where);

  [[nodiscard]] bool empty() const { return rules_.empty(); }
  [[nodiscard]] std::size_t size() const { return rules_.size(); }

  /// Whether any rule fits. A pattern that takes too much effort counts as one that fits: what
  /// cannot be judged is not let through.
  [[nodiscard]] bool fit(const GuardedTarget& target) const;

 private:
  struct Rule {
    std::optional<Pattern> name;
    std::string role;  ///< Lower case; empty: any.
    std::optional<Pattern> title;
  };
  [[nodiscard]] static bool fits(const Rule& rule, const GuardedTarget& target);

  std::vector<Rule> rules_;
};

/// The patterns of a list, or InvalidArgument that names the key, the position and the reason.
[[nodiscard]] Result<void> check_patterns(const std::vector<std::string>& patterns,
                                          std::string_view where);

}  // namespace gantry::guard
