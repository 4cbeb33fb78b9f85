// SPDX-License-Identifier: Apache-2.0
#pragma once
// Starts commands and ends them in time. Strand only.

#include <gantry/host.hpp>
#include <gantry/tools/tool_server.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "arguments.hpp"
#include "jobs.hpp"
#include "settings.hpp"

namespace gantry::shell {

class Runner {
 public:
  explicit Runner(Host& host) : host_(host) {}

  void set_settings(std::shared_ptr<const Settings> settings) { settings_ = std::move(settings); }
  [[nodiscard]] const Settings& settings() const { return *settings_; }

  /// Makes the sandbox's plan on the blocking pool and starts it. `started` gets the command, or
  /// why there is none; later `ended` runs, once. Errors besides those of plan_command():
  /// resource_exhausted.
  void start(const tools::CallPtr& call, const RunArguments& arguments,
             std::function<void(Result<RunningPtr>)> started, std::function<void()> ended);
  /// SIGTERM now, SIGKILL after the grace.
  void end(const RunningPtr& running, Ended why);
  void write(const RunningPtr& running, std::string bytes, bool last,
             std::function<void(Result<void>)> done);
  void signal(const RunningPtr& running, int number) { loop_.signal(running->loop_id, number); }
  [[nodiscard]] Report report(const Running& running) const;
  /// Ends everything; returns when nothing is left.
  void stop(Deadline deadline);

 private:
  void launch(SpawnPlan plan, std::int64_t limit_ms,
              const std::function<void(Result<RunningPtr>)>& started, std::function<void()> ended);
  [[nodiscard]] std::int64_t limit_of(const RunArguments& arguments) const;

  Host& host_;
  std::shared_ptr<const Settings> settings_ = std::make_shared<Settings>();
  ProcessLoop loop_;
  std::int64_t running_ = 0;  // planned ones included
};

}  // namespace gantry::shell
