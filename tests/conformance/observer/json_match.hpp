// SPDX-License-Identifier: Apache-2.0
#pragma once
// Comparing answers with what is expected of them. An answer may say more than expected (the
// protocol grows by new members), never less.

#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <vector>

namespace gantry::conformance {

/// Members whose value differs from run to run: compared by kind only (text, number, null or not).
struct Volatile {
  std::set<std::string> names;
};

/// Where `found` falls short of `expected`, as lines "$.a.b: expected …, found …"; empty: nowhere.
/// A text "re:…" expects a match of the whole text (Perl syntax; a dot matches newlines too).
[[nodiscard]] std::vector<std::string> shortfalls(const boost::json::value& expected,
                                                  const boost::json::value& found,
                                                  const Volatile& varying = {});

}  // namespace gantry::conformance
