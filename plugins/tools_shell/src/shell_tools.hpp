// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tools run_shell_command and process. Strand only.

#include <gantry/host.hpp>
#include <gantry/tools/tool_server.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jobs.hpp"
#include "runner.hpp"

namespace gantry::shell {

class ShellTools {
 public:
  explicit ShellTools(Host& host) : host_(host), runner_(host) {}

  [[nodiscard]] std::vector<tools::Tool> tools();
  [[nodiscard]] Runner& runner() { return runner_; }
  void stop(Deadline deadline);

 private:
  void run(const tools::CallPtr& call);
  void run_in_foreground(const tools::CallPtr& call, const RunArguments& arguments);
  void run_in_background(const tools::CallPtr& call, const RunArguments& arguments);
  void process(const tools::CallPtr& call);

  // The actions of `process`; the session of the call is known to have an owner.
  void list(const tools::CallPtr& call, const ProcessArguments& arguments);
  void poll(const tools::CallPtr& call, const ProcessArguments& arguments);
  void log(const tools::CallPtr& call, const ProcessArguments& arguments);
  void write(const tools::CallPtr& call, const ProcessArguments& arguments);
  void submit(const tools::CallPtr& call, const ProcessArguments& arguments);
  void send_keys(const tools::CallPtr& call, const ProcessArguments& arguments);
  void kill(const tools::CallPtr& call, const ProcessArguments& arguments);
  void clear(const tools::CallPtr& call, const ProcessArguments& arguments);
  void remove(const tools::CallPtr& call, const ProcessArguments& arguments);

  /// Answers with what is new as soon as there is something, the command has ended, or the time is
  /// over.
  void answer_when_new(const tools::CallPtr& call, const JobPtr& job, std::int64_t until_ns,
                       bool for_output);
  void look_again(std::function<void()> look);
  void answer_when_ended(const tools::CallPtr& call, const JobPtr& job);
  void put(const tools::CallPtr& call, const JobPtr& job, std::string bytes, bool last);
  [[nodiscard]] Report report(const Job& job) const;
  [[nodiscard]] Result<JobPtr> job_of(const tools::CallPtr& call,
                                      const ProcessArguments& arguments) const;

  Host& host_;
  Runner runner_;
  Jobs jobs_;
  std::map<std::uint64_t, Timer> looks_;
  std::uint64_t last_look_ = 0;
};

}  // namespace gantry::shell
