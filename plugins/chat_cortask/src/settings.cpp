// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/contract.hpp>

#include <charconv>
#include <cstdlib>
#include <utility>

namespace gantry::chat_cortask {
namespace {

constexpr const char* kPort = "CORTASK_PORT";
constexpr std::int64_t kHighestPort = 65535;

struct NameRow {
  const char* variable;
  std::string Settings::*member;
};
constexpr NameRow kNames[] = {
    {"CORTASK_HOST", &Settings::host},
    {"CORTASK_DATA_DIR", &Settings::data_dir},
    {"CORTASK_SECRET", &Settings::secret},
    {"CORTASK_CORS_ORIGIN", &Settings::cors_origin},
};

Result<std::int64_t> read_port(const std::string& text) {
  std::int64_t port = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (problem != std::errc() || end != text.data() + text.size() || port < 0 ||
      port > kHighestPort) {
    return invalid_argument(std::string(kPort) + " is '" + text +
                            "'; it must be a number from 0 to 65535");
  }
  return port;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): never set here
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
  };
}

Result<Settings> read_settings(std::string_view json, const Environment& environment) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  for (const NameRow& row : kNames) {
    if (auto value = environment(row.variable)) settings.*row.member = std::move(*value);
  }
  if (const auto port = environment(kPort)) {
    GANTRY_ASSIGN(settings.port, read_port(*port));
  }
  return settings;
}

ToolPolicy tool_policy(const Settings& settings) {
  ToolPolicy policy;
  policy.daemon_tools = settings.daemon_tools;
  apply_approvals(settings.approvals, policy);
  policy.approval_timeout_ms = settings.permission_timeout;
  policy.questionnaires = true;
  return policy;
}

}  // namespace gantry::chat_cortask
