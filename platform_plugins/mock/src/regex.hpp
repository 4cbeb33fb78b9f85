// SPDX-License-Identifier: Apache-2.0
#pragma once
// The regular expressions of scenarios: Perl syntax, always matched against the whole text, with
// bounded effort. Immutable after construction; safe on any thread.

#include <gantry/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::mock {

class Regex {
 public:
  /// InvalidArgument that says what is wrong and at which character.
  [[nodiscard]] static Result<Regex> compile(std::string_view expression);

  /// What the text stands for when the whole of it matches: the first group, or all of it when the
  /// expression has no group. Nothing when it does not match, or the bound on effort was reached.
  [[nodiscard]] std::optional<std::string> match(std::string_view text) const;

 private:
  struct Code;
  explicit Regex(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
  std::shared_ptr<const Code> code_;
};

}  // namespace gantry::mock
