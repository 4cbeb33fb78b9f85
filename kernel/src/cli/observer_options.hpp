// SPDX-License-Identifier: Apache-2.0
// The options of `gantry observer`: those of the published program, and two of our own.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::cli {

struct ObserverOption;

struct ObserverOptions {
  std::string mode = "auto";
  std::string config = "config.json";
  bool config_given = false;
  bool mock = false;
  std::string scenario;
  std::string plugin_dir;
  std::vector<std::string> sets;
  /// Options that set a plugin's key, and what was given.
  std::vector<std::pair<const ObserverOption*, std::string>> keys;
};

enum class Takes { kNothing, kText, kCount };

struct ObserverOption {
  std::string_view name;
  Takes takes = Takes::kNothing;
  std::string_view argument;
  std::string_view doc;
  std::string_view plugin;  ///< The key that it sets; empty: `apply` does.
  std::string_view key;
  void (*apply)(ObserverOptions&, const std::string&) = nullptr;
};

/// Takes the arguments after "observer". Answers what is wrong, or "". `help` becomes true when it
/// was asked for.
[[nodiscard]] std::string parse_observer_options(int argc, char** argv, ObserverOptions& options,
                                                 bool& help);

void print_observer_help(std::FILE* out);

}  // namespace gantry::cli
