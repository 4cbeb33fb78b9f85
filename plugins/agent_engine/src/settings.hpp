// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it. Durations are milliseconds.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent {

struct LimitSettings {
  std::int64_t turns_per_principal = 4;
  std::int64_t turns = 200;
  std::int64_t waiting_per_principal = 64;
  std::int64_t waiting = 2000;
  std::int64_t waiting_bytes = 256 << 20;
  std::int64_t message_bytes = 10 << 20;
};
BOOST_DESCRIBE_STRUCT(LimitSettings, (),
                      (turns_per_principal, turns, waiting_per_principal, waiting, waiting_bytes,
                       message_bytes))

struct TurnSettings {
  std::int64_t max_duration = 3'600'000;
  std::int64_t max_model_calls = 500;
  std::int64_t max_output_tokens = 0;  // 0: no limit
};
BOOST_DESCRIBE_STRUCT(TurnSettings, (), (max_duration, max_model_calls, max_output_tokens))

/// The most that any protocol may allow, by class: allow, ask or deny.
struct ApprovalSettings {
  std::string read = "allow";
  std::string act = "allow";
  std::string execute = "allow";
  std::string network = "allow";
};
BOOST_DESCRIBE_STRUCT(ApprovalSettings, (), (read, act, execute, network))

struct ToolSettings {
  std::vector<std::string> allow{"*"};
  std::vector<std::string> deny;
  std::vector<std::string> execute;
  std::int64_t timeout = 120'000;
  std::int64_t output_limit = 60'000;
  std::int64_t parallel = 5;
  ApprovalSettings approval;
};
BOOST_DESCRIBE_STRUCT(ToolSettings, (),
                      (allow, deny, execute, timeout, output_limit, parallel, approval))

struct CompactionSettings {
  bool enabled = true;
  std::int64_t trigger_percent = 90;
  std::int64_t trigger_tokens = 0;  // 0: by percent
  std::int64_t target_tokens = 60'000;
  std::int64_t keep_last = 6;
  std::int64_t summary_tokens = 1'200;
};
BOOST_DESCRIBE_STRUCT(CompactionSettings, (),
                      (enabled, trigger_percent, trigger_tokens, target_tokens, keep_last,
                       summary_tokens))

struct Settings {
  std::string model;
  std::string system_prompt;
  std::int64_t context_window = 128'000;  // of models that do not tell theirs
  std::int64_t image_limit = 4 << 20;
  LimitSettings limits;
  TurnSettings turn;
  ToolSettings tools;
  CompactionSettings compaction;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (model, system_prompt, context_window, image_limit, limits, turn, tools,
                       compaction))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::agent
