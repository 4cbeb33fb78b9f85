// SPDX-License-Identifier: Apache-2.0
//
// The errors that may end a chat (LlmErrorDetail), in one table. Pure functions.
#pragma once

#include <gantry/contracts/llm.hpp>
#include <gantry/result.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gantry::llm {

enum class Trouble {
  NoKey,
  BadKey,
  UnknownModel,
  RateLimit,
  Quota,
  ContextOverflow,
  BadRequest,
  Overloaded,
  Unreachable,
  Timeout,
  BrokenStream
};

/// LlmErrorDetail::kind of a trouble, and back.
[[nodiscard]] std::string_view kind_of(Trouble trouble);
[[nodiscard]] std::optional<Trouble> trouble_of(std::string_view kind);

/// What ended one request to a provider. Messages hold no secrets.
struct Failure {
  Trouble trouble = Trouble::BrokenStream;
  std::string message;
  LlmErrorDetail detail;  // `kind` is filled in by error()

  /// The error of the contract.
  [[nodiscard]] Error error() const;
};

}  // namespace gantry::llm
