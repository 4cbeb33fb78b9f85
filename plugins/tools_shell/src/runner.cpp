// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <gantry/tools/workspace.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "sandbox.hpp"

namespace gantry::shell {
namespace {

using std::chrono::milliseconds;

constexpr double kMsInSecond = 1000;

/// On the blocking pool.
Result<SpawnPlan> make_plan(const Settings& settings, const ToolCallRequest& request,
                            const RunArguments& arguments) {
  const tools::WorkspaceSettings places{settings.workspace, settings.workspaces};
  CommandRequest command;
  GANTRY_ASSIGN(command.workspace, tools::find_workspace(places, request));
  command.command = arguments.command;
  command.folder = arguments.working_directory;
  command.principal = request.principal;
  command.wants_input = arguments.run_in_background;
  return plan_command(settings, command);
}

}  // namespace

std::int64_t Runner::limit_of(const RunArguments& arguments) const {
  const LimitSettings& limits = settings_->limits;
  const bool background = arguments.run_in_background;
  const std::int64_t most = background ? limits.background_timeout : limits.max_timeout;
  if (!arguments.terminate_after_seconds) {
    return background ? most : std::min(limits.timeout, most);
  }
  const double ms =
      std::min(*arguments.terminate_after_seconds * kMsInSecond, static_cast<double>(most));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(ms));
}

void Runner::start(const tools::CallPtr& call, const RunArguments& arguments,
                   std::function<void(Result<RunningPtr>)> started, std::function<void()> ended) {
  if (running_ >= settings_->limits.running) {
    return started(Error{Code::ResourceExhausted,
                         std::to_string(running_) +
                             " commands run already (tools_shell.limits.running); try again later",
                         {}});
  }
  ++running_;
  host_.blocking([this, call, arguments, settings = settings_, limit = limit_of(arguments),
                  started = std::move(started), ended = std::move(ended)]() mutable {
    auto plan =
        std::make_shared<Result<SpawnPlan>>(make_plan(*settings, call->request(), arguments));
    host_.post([this, call, plan, limit, started = std::move(started),
                ended = std::move(ended)]() mutable {
      if (plan->ok() && !call->over()) {
        return launch(std::move(**plan), limit, started, std::move(ended));
      }
      --running_;
      started(plan->ok() ? Error{Code::Cancelled, "nobody waits for it any more", {}}
                         : plan->error());
    });
  });
}

void Runner::launch(SpawnPlan plan, std::int64_t limit_ms,
                    const std::function<void(Result<RunningPtr>)>& started,
                    std::function<void()> ended) {
  auto running = std::make_shared<Running>();
  running->process = std::make_shared<Process>(static_cast<std::size_t>(settings_->limits.output));
  running->started_ns = host_.monotonic_ns();
  running->loop_id = loop_.start(
      std::move(plan), running->process, [this, running, ended = std::move(ended)]() mutable {
        // The loop's thread: the rest belongs to the strand. A result must not wait in a long line.
        host_.post(
            [this, running = std::move(running), ended = std::move(ended)] {
              --running_;
              running->ended_ns = host_.monotonic_ns();
              running->limit.cancel();
              running->grace.cancel();
              ended();
            },
            0, GANTRY_LANE_CONTROL);
      });
  running->limit = host_.after(milliseconds(limit_ms), [this, weak = std::weak_ptr(running)] {
    if (const auto alive = weak.lock()) end(alive, Ended::TimedOut);
  });
  started(running);
}

void Runner::end(const RunningPtr& running, Ended why) {
  if (running->ended_ns != 0 || running->why != Ended::None) return;
  running->why = why;
  running->limit.cancel();
  loop_.signal(running->loop_id, SIGTERM);
  running->grace = host_.after(milliseconds(settings_->limits.grace),
                               [this, id = running->loop_id] { loop_.signal(id, SIGKILL); });
}

void Runner::write(const RunningPtr& running, std::string bytes, bool last,
                   std::function<void(Result<void>)> done) {
  loop_.write(running->loop_id, std::move(bytes), last,
              [this, done = std::move(done)](const Result<void>& written) {
                host_.post([done, written] { done(written); }, 0, GANTRY_LANE_CONTROL);
              });
}

Report Runner::report(const Running& running) const {
  Report out;
  out.end = running.process->end();
  out.total = running.process->total();
  out.why = running.why;
  const std::int64_t until = running.ended_ns != 0 ? running.ended_ns : host_.monotonic_ns();
  out.run_ms = (until - running.started_ns) / kNsInMs;
  return out;
}

void Runner::stop(Deadline deadline) {
  // Half of the time for those that end by themselves, the rest for the others.
  const Duration half = deadline.left(host_.monotonic_ns()) / 2;
  loop_.stop(std::min(milliseconds(settings_->limits.grace),
                      std::chrono::duration_cast<milliseconds>(half)));
}

}  // namespace gantry::shell
