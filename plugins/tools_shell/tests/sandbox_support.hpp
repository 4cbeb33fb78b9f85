// SPDX-License-Identifier: Apache-2.0
#pragma once
// Commands in the sandbox, as the tools run them.

#include <gantry/testkit/temp_dir.hpp>

#include <filesystem>
#include <string>

#include "sandbox.hpp"
#include "settings.hpp"
#include "support.hpp"

namespace gantry::shell::testing {

/// What a command printed and how it ended.
struct Ran {
  std::string text;
  int code = -1;
};

inline Result<Ran> try_run(const Settings& settings, const CommandRequest& request) {
  auto plan = plan_command(settings, request);
  if (!plan.ok()) return plan.error();
  ProcessLoop loop;
  Started command(loop, std::move(*plan));
  command.ended.wait();  // no assertion: the tests' main asks, too
  const Result<Exit> end = command.process->end().value();
  if (!end.ok()) return end.error();
  return Ran{command.text(), end->signal == 0 ? end->code : 128 + end->signal};
}

/// Empty when a sandbox can be made here, else the reason: the typed one, nothing else counts.
inline std::string no_sandbox(const std::string& folder) {
  CommandRequest request;
  request.command = "true";
  request.workspace = std::filesystem::canonical(folder).string();
  const auto ran = try_run(Settings{}, request);
  return !ran.ok() && ran.error().code == Code::Unavailable ? ran.error().message : std::string();
}

}  // namespace gantry::shell::testing
