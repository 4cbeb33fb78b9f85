// SPDX-License-Identifier: Apache-2.0
#pragma once
// Predicates about the desktop: what assert_state checks, and what a scenario calls success and
// failure (observer contract 2.15).

#include <string>
#include <vector>

#include "engine.hpp"

namespace gantry::observation {

struct Verdict {
  bool passed = false;
  JsonObject result;  ///< {kind, passed, observed, args, error_code?}
  /// What the predicate expects is compared with nothing that is hidden. False: its element is a
  /// password field, hidden or not there, or nobody knows what was meant.
  bool readable = false;
};

/// Judges one predicate, given as JSON. Never fails: what cannot be judged has not passed, and says
/// why in `observed`.
Task<Verdict> judge(Engine& engine, const std::string& predicate);

struct Judgement {
  bool all_passed = true;  ///< False for an empty list too: nothing was shown.
  RawJson results;
  std::vector<std::size_t> readable;  ///< Which predicates are, by Verdict::readable.
};
Task<Judgement> judge_all(Engine& engine, const std::vector<std::string>& predicates);

/// What the scenario's own predicates say now.
struct OracleReport {
  bool there = false;  ///< The desktop plays a scenario.
  std::string scenario;
  std::string state;
  bool success_defined = false;
  bool failure_defined = false;
  Judgement success;
  Judgement failure;

  /// "failure" as soon as every failure predicate holds, else "success", else "open".
  [[nodiscard]] std::string_view outcome() const;
};
Task<OracleReport> judge_scenario(Engine& engine);

/// After an input: judges the scenario and remembers when it first succeeded or failed.
Task<OracleReport> watch_scenario(Engine& engine, std::int64_t step);

}  // namespace gantry::observation
