// SPDX-License-Identifier: Apache-2.0
//
// Scenarios: made-up desktops that react, described in a file. Only an adapter without a real
// desktop serves these contracts.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct LoadScenarioRequest {
  std::string path;  // of a YAML file in one of the configured folders; relative ones are looked up
};
BOOST_DESCRIBE_STRUCT(LoadScenarioRequest, (), (path))

/// Where the desktop is in its scenario.
struct ScenarioReport {
  bool loaded = false;  // false: the built-in desktop, everything below is empty
  std::string scenario;
  std::string path;
  std::string state;
  std::vector<std::string> states;    // in the order of the file
  std::uint64_t acts = 0;             // since it was loaded
  std::uint64_t reactions = 0;        // acts that something reacted to
  Json oracles{"{}"};                 // {"success": [predicate…], "failure": [predicate…]}
  std::vector<std::string> warnings;  // for the author: what can never happen
};
BOOST_DESCRIBE_STRUCT(ScenarioReport, (),
                      (loaded, scenario, path, state, states, acts, reactions, oracles, warnings))

/// Starts a scenario from its initial state; everything that an earlier one remembered is gone.
/// Errors: invalid_argument (no such file, outside the folders, or not a scenario; `detail` is
/// {"file", "line", "path", "found", "allowed"}, each where it is known).
struct LoadScenario {
  static constexpr std::string_view kName = "gantry.scenario.load/1";
  static constexpr std::string_view kDoc = "Replaces the made-up desktop by a scenario's.";
  using Request = LoadScenarioRequest;
  using Response = ScenarioReport;
};

struct ScenarioState {
  static constexpr std::string_view kName = "gantry.scenario.state/1";
  static constexpr std::string_view kDoc = "Says where the desktop is in its scenario.";
  using Request = Nothing;
  using Response = ScenarioReport;
};

}  // namespace gantry
