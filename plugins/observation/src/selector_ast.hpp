// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a selector says, after parsing and before it meets a tree (observer contract 2.5).

#include <gantry/pattern.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"

namespace gantry::observation {

/// Longest selector in bytes, and most steps: far more than any real tree needs.
inline constexpr std::size_t kMaxSelectorBytes = 32768;
inline constexpr std::size_t kMaxSelectorSteps = 1024;

enum class SelectorKey { Name, Value, Role, Shortcut, Enabled, Focused, Index, Unknown };
enum class SelectorOperator { Equals, Matches, Contains };
enum class SelectorLiteral { Text, Boolean, Integer };

struct SelectorPredicate {
  SelectorKey key = SelectorKey::Name;
  std::string key_text;  ///< As written, for keys that are not known: those never match.
  SelectorOperator op = SelectorOperator::Equals;
  SelectorLiteral literal = SelectorLiteral::Text;
  std::string text;                        ///< The value; numbers and booleans as they print.
  std::string normalized;                  ///< normalize_text(text).
  std::int64_t integer = 0;                ///< The value as a number: 1 and 0 for true and false.
  std::shared_ptr<const Pattern> pattern;  ///< Only with Matches.
  std::size_t at = 0;    ///< Where the value stands in the selector, its quotes included: bytes.
  std::size_t size = 0;  ///< 0: it does not stand there in brackets.
};

/// For a value, or by a key that is not known: it may be a misspelt `value`.
[[nodiscard]] inline bool asks_for_value(const SelectorPredicate& predicate) {
  return predicate.key == SelectorKey::Value || predicate.key == SelectorKey::Unknown;
}

/// A part of the text of a selector, in bytes.
struct SelectorSpan {
  std::size_t at = 0;
  std::size_t size = 0;
};

struct SelectorStep {
  bool descendant = false;  ///< Anywhere below the step before, not just its child.
  bool any_role = false;    ///< Written as * or left out.
  std::string role;
  std::vector<SelectorPredicate> predicates;
  std::vector<SelectorSpan> passed_over;  ///< Arguments of pseudo-classes that are not known.
};

struct SelectorAst {
  bool below_root = false;  ///< Leading //: look below the root first.
  std::vector<SelectorStep> steps;
};

/// BadRequest names the column (1-based, in characters) and what was expected there.
[[nodiscard]] Outcome<SelectorAst> parse_selector(std::string_view text);

/// The text of these steps. It is in the published form as long as that can say it; names with
/// quotes, trailing backslashes or control characters need the escaped form, which is marked by a
/// quoted first role (see parse_selector).
[[nodiscard]] std::string write_selector(const std::vector<SelectorStep>& steps);

/// Texts that differ only in typography compare equal: … and ..., no-break space and space, – and
/// -, — and --.
[[nodiscard]] std::string normalize_text(std::string_view text);

}  // namespace gantry::observation
