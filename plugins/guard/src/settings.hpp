// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::guard {

struct TargetRule {
  std::string name_regex;
  std::string role;
  std::string window_title_regex;
};
BOOST_DESCRIBE_STRUCT(TargetRule, (), (name_regex, role, window_title_regex))

struct ActionSettings {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
  std::vector<TargetRule> deny_targets;
  bool deny_by_default = false;  ///< actions.default, which is a word of C++.
};
BOOST_DESCRIBE_STRUCT(ActionSettings, (), (allow, deny, deny_targets))

struct ConfirmationSettings {
  std::int32_t bbox_tolerance_px = 20;
  std::int64_t ttl = 60'000;  ///< ms
};
BOOST_DESCRIBE_STRUCT(ConfirmationSettings, (), (bbox_tolerance_px, ttl))

struct RedactionSettings {
  bool enabled = true;
  std::vector<std::string> window_title_patterns;
  std::vector<std::string> element_name_patterns;
  std::vector<std::string> element_role_patterns;
  std::vector<std::string> ocr_text_patterns;
  std::string replacement = "[REDACTED]";
  bool blur_screenshots = false;
};
BOOST_DESCRIBE_STRUCT(RedactionSettings, (),
                      (enabled, window_title_patterns, element_name_patterns, element_role_patterns,
                       ocr_text_patterns, replacement, blur_screenshots))

struct TextSettings {
  std::int32_t max_length = 100'000;  ///< characters
};
BOOST_DESCRIBE_STRUCT(TextSettings, (), (max_length))

struct AuditSettings {
  bool enabled = false;
  std::string path = "./audit.log";
  std::int64_t max_bytes = 10'485'760;
  std::int32_t backups = 3;
  std::vector<std::string> redact_arg_keys{"text", "value", "password", "api_key", "Authorization"};
};
BOOST_DESCRIBE_STRUCT(AuditSettings, (), (enabled, path, max_bytes, backups, redact_arg_keys))

struct BudgetSettings {
  std::optional<std::int64_t> max_actions;
  std::optional<std::int64_t> max_screenshots;
  std::optional<std::int64_t> max_vlm_tokens;
  std::optional<std::int64_t> max_session_seconds;
  std::optional<std::int64_t> actions_per_minute;
};
BOOST_DESCRIBE_STRUCT(BudgetSettings, (),
                      (max_actions, max_screenshots, max_vlm_tokens, max_session_seconds,
                       actions_per_minute))

struct Settings {
  ActionSettings actions;
  std::vector<TargetRule> confirmation_required;
  ConfirmationSettings confirmation;
  RedactionSettings redaction;
  TextSettings text;
  AuditSettings audit;
  BudgetSettings budgets;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (actions, confirmation_required, confirmation, redaction, text, audit,
                       budgets))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::guard
