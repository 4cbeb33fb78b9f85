// SPDX-License-Identifier: Apache-2.0
#include "shell_tools.hpp"

#include <gantry/counted.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "sandbox.hpp"

namespace gantry::shell {
namespace {

using std::chrono::milliseconds;
using tools::CallPtr;

constexpr double kNsInSecond = 1e9;
constexpr double kLongestWait = 60;
/// A background command is looked at for so long before it is told of: one that cannot be run, or
/// whose sandbox cannot be made, is a failure of the call and not something to be polled.
constexpr std::int64_t kFirstLookNs = 200 * kNsInMs;
constexpr std::int64_t kLongestBeginNs = 10'000 * kNsInMs;
constexpr auto kLook = milliseconds(20);

std::int64_t wait_ns(const std::optional<double>& seconds) {
  return static_cast<std::int64_t>(std::min(seconds.value_or(0), kLongestWait) * kNsInSecond);
}

}  // namespace

std::vector<tools::Tool> ShellTools::tools() {
  const auto why_not = [this] { return sandbox_missing(runner_.settings()); };
  return {{run_description(), [this](const CallPtr& call) { run(call); }, false, why_not},
          {process_description(), [this](const CallPtr& call) { process(call); }}};
}

void ShellTools::stop(Deadline deadline) {
  looks_.clear();
  runner_.stop(deadline);
  jobs_.clear();
}

// ---- run_shell_command ------------------------------------------------------------------------

void ShellTools::run(const CallPtr& call) {
  const auto arguments = read_run(call->request().arguments);
  if (!arguments.ok()) return call->fail(arguments.error());
  if (arguments->run_in_background) return run_in_background(call, *arguments);
  run_in_foreground(call, *arguments);
}

void ShellTools::run_in_foreground(const CallPtr& call, const RunArguments& arguments) {
  const auto mine = std::make_shared<RunningPtr>();
  runner_.start(
      call, arguments,
      [this, call, mine](Result<RunningPtr> started) {
        if (!started.ok()) return call->fail(started.error());
        *mine = *started;
        call->on_cancel([this, running = *started] { runner_.end(running, Ended::Killed); });
      },
      [this, call, mine] {
        Report report = runner_.report(**mine);
        report.output = (*mine)->process->text();
        call->answer(report_result(report));
      });
}

void ShellTools::run_in_background(const CallPtr& call, const RunArguments& arguments) {
  const std::string owner = call->owner();
  if (owner.empty()) {
    return call->fail(failed_precondition(
        "a background command belongs to a session, and this call has none; run it in the "
        "foreground"));
  }
  jobs_.forget_ended(host_.monotonic_ns() - runner_.settings().limits.background_timeout * kNsInMs);
  const std::int64_t until = host_.monotonic_ns() + std::max(kFirstLookNs, wait_ns(arguments.wait));
  runner_.start(
      call, arguments,
      [this, call, owner, until, arguments](const Result<RunningPtr>& started) {
        if (!started.ok()) return call->fail(started.error());
        const auto job = jobs_.add(owner, arguments.command, *started,
                                   static_cast<std::size_t>(runner_.settings().limits.background));
        if (!job.ok()) {
          runner_.end(*started, Ended::Killed);
          return call->fail(job.error());
        }
        // From here on it belongs to the session, whether or not somebody waits for this answer.
        answer_when_new(call, *job, until, wait_ns(arguments.wait) > 0);
      },
      [] {});
}

// ---- process ------------------------------------------------------------------------------------

void ShellTools::process(const CallPtr& call) {
  using Action = void (ShellTools::*)(const CallPtr&, const ProcessArguments&);
  struct Row {
    std::string_view name;
    Action run;
  };
  static constexpr std::array<Row, 10> kActions{{{"list", &ShellTools::list},
                                                 {"poll", &ShellTools::poll},
                                                 {"log", &ShellTools::log},
                                                 {"write", &ShellTools::write},
                                                 {"send-keys", &ShellTools::send_keys},
                                                 {"submit", &ShellTools::submit},
                                                 {"paste", &ShellTools::write},
                                                 {"kill", &ShellTools::kill},
                                                 {"clear", &ShellTools::clear},
                                                 {"remove", &ShellTools::remove}}};
  const auto arguments = read_process(call->request().arguments);
  if (!arguments.ok()) return call->fail(arguments.error());
  if (call->owner().empty()) {
    return call->fail(
        failed_precondition("background commands belong to a session, and this call has none"));
  }
  const auto* const row = std::find_if(kActions.begin(), kActions.end(), [&](const Row& one) {
    return one.name == arguments->action;
  });
  if (row == kActions.end()) {
    return call->fail(invalid_argument("there is no action '" + arguments->action +
                                       "'; there are list, poll, log, write, send-keys, submit, "
                                       "paste, kill, clear and remove"));
  }
  (this->*row->run)(call, *arguments);
}

Report ShellTools::report(const Job& job) const {
  Report out = runner_.report(*job.running);
  out.id = job.id;
  return out;
}

Result<JobPtr> ShellTools::job_of(const CallPtr& call, const ProcessArguments& arguments) const {
  return jobs_.find(call->owner(), arguments.session_id);
}

void ShellTools::list(const CallPtr& call, const ProcessArguments&) {
  std::string text;
  for (const JobPtr& job : jobs_.all(call->owner())) {
    std::string line = job->command;
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += job->id + "  " + state_text(report(*job)) + "  " + line + "\n";
  }
  if (text.empty()) text = "This session has no background commands.";
  call->finish(tools::text_result(std::move(text)));
}

void ShellTools::poll(const CallPtr& call, const ProcessArguments& arguments) {
  const auto job = job_of(call, arguments);
  if (!job.ok()) return call->fail(job.error());
  answer_when_new(call, *job, host_.monotonic_ns() + wait_ns(arguments.wait), true);
}

void ShellTools::answer_when_new(const CallPtr& call, const JobPtr& job, std::int64_t until_ns,
                                 bool for_output) {
  if (call->over()) return;
  Process& process = *job->running->process;
  const bool enough = process.end().has_value() || (for_output && process.has_new());
  const std::int64_t limit = until_ns + (process.has_begun() ? 0 : kLongestBeginNs);
  if (!enough && host_.monotonic_ns() < limit) {
    return look_again([this, call, job, until_ns, for_output] {
      answer_when_new(call, job, until_ns, for_output);
    });
  }
  Report now = report(*job);
  now.output = process.take();
  call->answer(report_result(now));
}

void ShellTools::look_again(std::function<void()> look) {
  const std::uint64_t id = ++last_look_;
  looks_.emplace(id, host_.after(kLook, [this, id, look = std::move(look)] {
    const Timer mine = std::move(looks_.extract(id).mapped());  // lives until the look is over
    look();
  }));
}

void ShellTools::log(const CallPtr& call, const ProcessArguments& arguments) {
  const auto job = job_of(call, arguments);
  if (!job.ok()) return call->fail(job.error());
  Report now = report(**job);
  now.output = (*job)->running->process->text();
  now.output.text = some_lines(now.output.text, arguments.offset, arguments.limit);
  call->answer(report_result(now));
}

void ShellTools::put(const CallPtr& call, const JobPtr& job, std::string bytes, bool last) {
  const std::size_t count = bytes.size();
  runner_.write(job->running, std::move(bytes), last, [call, count, last](Result<void> written) {
    if (!written.ok()) return call->fail(written.error());
    call->finish(tools::text_result(counted(count, "byte") + " written" +
                                    (last ? ", standard input closed" : "")));
  });
}

void ShellTools::write(const CallPtr& call, const ProcessArguments& arguments) {
  const auto job = job_of(call, arguments);
  if (!job.ok()) return call->fail(job.error());
  put(call, *job, arguments.data, arguments.eof);
}

void ShellTools::submit(const CallPtr& call, const ProcessArguments& arguments) {
  const auto job = job_of(call, arguments);
  if (!job.ok()) return call->fail(job.error());
  put(call, *job, arguments.data + "\n", arguments.eof);
}

void ShellTools::send_keys(const CallPtr& call, const ProcessArguments& arguments) {
  const auto job = job_of(call, arguments);
  if (!job.ok()) return call->fail(job.error());
  std::vector<Key> keys;
  for (const std::string& name : arguments.keys) {
    auto key = key_of(name);
    if (!key.ok()) return call->fail(key.error());
    keys.push_back(std::move(*key));
  }
  std::string bytes;
  bool last = false;
  for (const Key& key : keys) {
    bytes += key.bytes;
    last = last || key.eof;
    if (key.signal != 0) runner_.signal((*job)->running, key.signal);
  }
  if (bytes.empty() && !last) {
    return call->finish(tools::text_result(counted(keys.size(), "key") + " sent"));
  }
  put(call, *job, std::move(bytes), last);
}

void ShellTools::answer_when_ended(const CallPtr& call, const JobPtr& job) {
  if (call->over()) return;
  if (job->running->ended_ns == 0) {
    return look_again([this, call, job] { answer_when_ended(call, job); });
  }
  Report now = report(*job);
  now.output = job->running->process->take();
  call->answer(report_result(now));
}

void ShellTools::kill(const CallPtr& call, const ProcessArguments& arguments) {
  const auto job = job_of(call, arguments);
  if (!job.ok()) return call->fail(job.error());
  runner_.end((*job)->running, Ended::Killed);
  answer_when_ended(call, *job);
}

void ShellTools::remove(const CallPtr& call, const ProcessArguments& arguments) {
  const auto job = job_of(call, arguments);
  if (!job.ok()) return call->fail(job.error());
  runner_.end((*job)->running, Ended::Killed);
  jobs_.remove(call->owner(), arguments.session_id);
  answer_when_ended(call, *job);
}

void ShellTools::clear(const CallPtr& call, const ProcessArguments& arguments) {
  std::size_t cleared = 0;
  for (const JobPtr& job : jobs_.all(call->owner())) {
    const bool meant = arguments.session_id.empty() || job->id == arguments.session_id;
    if (!meant || job->running->ended_ns == 0) continue;
    jobs_.remove(call->owner(), job->id);
    ++cleared;
  }
  call->finish(tools::text_result(std::to_string(cleared) + " ended commands cleared"));
}

}  // namespace gantry::shell
