// SPDX-License-Identifier: Apache-2.0
#include "cli/observer_options.hpp"

#include <charconv>
#include <cstdint>

namespace gantry::cli {
namespace {

constexpr ObserverOption kObserverOptions[] = {
    {"--mode",
     Takes::kText,
     "MODE",
     "auto, inspect (HTTP), mcp (stdio) or both",
     {},
     {},
     [](ObserverOptions& o, const std::string& v) { o.mode = v; }},
    {"--config",
     Takes::kText,
     "FILE",
     "the published program's config.json (config.json)",
     {},
     {},
     [](ObserverOptions& o, const std::string& v) {
       o.config = v;
       o.config_given = true;
     }},
    {"--mock",
     Takes::kNothing,
     "",
     "a made-up desktop",
     {},
     {},
     [](ObserverOptions& o, const std::string&) { o.mock = true; }},
    {"--scenario",
     Takes::kText,
     "FILE",
     "with --mock: the scenario that it plays",
     {},
     {},
     [](ObserverOptions& o, const std::string& v) { o.scenario = v; }},
    {"--port", Takes::kCount, "N", "port of the HTTP side (5001)", "rest_observer", "port"},
    {"--host", Takes::kText, "ADDRESS", "address of the HTTP side (127.0.0.1)", "rest_observer",
     "host"},
    {"--max-actions", Takes::kCount, "N", "budget of actions", "guard", "budgets.max_actions"},
    {"--max-screenshots", Takes::kCount, "N", "budget of screenshots", "guard",
     "budgets.max_screenshots"},
    {"--max-vlm-tokens", Takes::kCount, "N", "budget of vision model tokens", "guard",
     "budgets.max_vlm_tokens"},
    {"--max-session-seconds", Takes::kCount, "N", "budget of time", "guard",
     "budgets.max_session_seconds"},
    {"--actions-per-minute", Takes::kCount, "N", "limit of actions in any 60 seconds", "guard",
     "budgets.actions_per_minute"},
    {"--plugin-dir",
     Takes::kText,
     "DIR",
     "the plugins, when not beside the binary",
     {},
     {},
     [](ObserverOptions& o, const std::string& v) { o.plugin_dir = v; }},
    {"--set",
     Takes::kText,
     "KEY=VALUE",
     "set one key of Gantry's own (may be repeated)",
     {},
     {},
     [](ObserverOptions& o, const std::string& v) { o.sets.push_back(v); }},
};

/// The row of a name or of an unambiguous beginning of one, as the published parser takes them.
const ObserverOption* option_of(std::string_view name) {
  const ObserverOption* found = nullptr;
  for (const ObserverOption& row : kObserverOptions) {
    if (row.name == name) return &row;
    if (name.size() < 3 || !row.name.starts_with(name)) continue;
    if (found != nullptr) return nullptr;
    found = &row;
  }
  return found;
}

bool is_count(const std::string& text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

/// Takes one option and moves past its value; answers what is wrong, or "".
std::string take_option(ObserverOptions& options, int argc, char** argv, int& at) {
  std::string word = argv[at];
  std::string value;
  const std::size_t equals = word.find('=');
  const ObserverOption* row = option_of(word.substr(0, equals));
  if (row == nullptr) return "there is no option " + word.substr(0, equals);
  const std::string name(row->name);
  if (row->takes != Takes::kNothing) {
    if (equals == std::string::npos && at + 1 >= argc) {
      return name + " needs " + std::string(row->argument);
    }
    value = equals != std::string::npos ? word.substr(equals + 1) : argv[++at];
    if (row->takes == Takes::kCount && !is_count(value)) {
      return name + " takes a number from 0, found '" + value + "'";
    }
  } else if (equals != std::string::npos) {
    return name + " takes no value";
  }
  if (row->apply != nullptr) {
    row->apply(options, value);
  } else {
    options.keys.emplace_back(row, value);
  }
  return {};
}

}  // namespace

std::string parse_observer_options(int argc, char** argv, ObserverOptions& options, bool& help) {
  for (int at = 0; at < argc; ++at) {
    const std::string_view word = argv[at];
    help = help || word == "-h" || word == "--help";
    if (help) return {};
    if (!word.starts_with("--")) return "found '" + std::string(word) + "', allowed: options";
    if (std::string problem = take_option(options, argc, argv, at); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

void print_observer_help(std::FILE* out) {
  std::fputs(
      "usage: gantry observer [OPTIONS]\n\nThe screen observer with its published command "
      "line.\n\noptions:\n",
      out);
  for (const ObserverOption& row : kObserverOptions) {
    const std::string left = std::string(row.name) + ' ' + std::string(row.argument);
    std::fprintf(out, "  %-26s %.*s\n", left.c_str(), static_cast<int>(row.doc.size()),
                 row.doc.data());
  }
}

}  // namespace gantry::cli
