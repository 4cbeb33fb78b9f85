// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <algorithm>
#include <array>

namespace gantry::scheduler {
namespace {

constexpr std::size_t kMaxName = 200;
constexpr std::size_t kMaxSlug = 64;
constexpr std::size_t kMaxText = 512;
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxPrompt = 200'000;
constexpr std::size_t kMaxMetadata = 65'536;
constexpr std::size_t kMaxPatterns = 200;
constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int32_t kMaxRetries = 10;
constexpr std::array<std::int64_t, 5> kRetryMs{30'000, 60'000, 300'000, 900'000, 3'600'000};
constexpr std::size_t kRunDigits = 12;

Result<void> check_length(std::string_view name, std::string_view value, std::size_t most) {
  if (value.size() <= most) return {};
  return invalid_argument(std::string(name) + " is longer than " + std::to_string(most) + " bytes");
}

Result<void> check_number(std::string_view name, std::int64_t value, std::int64_t most) {
  if (value >= 0 && value <= most) return {};
  return invalid_argument(std::string(name) + " is " + std::to_string(value) + "; give 0 to " +
                          std::to_string(most));
}

Result<void> check_tools(const ToolPolicy& tools) {
  std::size_t patterns = tools.daemon_tools.size() + tools.deny.size();
  if (tools.allow) patterns += tools.allow->size();
  if (patterns <= kMaxPatterns) return {};
  return invalid_argument("tools name more than " + std::to_string(kMaxPatterns) + " patterns");
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

template <class T>
void take(const std::optional<T>& from, T& to) {
  if (from) to = *from;
}

ApprovalMode unattended(ApprovalMode mode) {
  return mode == ApprovalMode::Ask ? ApprovalMode::Deny : mode;
}

}  // namespace

Result<void> check(const ScheduleSpec& spec) {
  if (spec.name.empty()) return invalid_argument("name is empty; give the job a name");
  if (spec.prompt.empty()) return invalid_argument("prompt is empty; say what is to be done");
  if (!spec.slug.empty() && !is_slug(spec.slug)) {
    return invalid_argument("slug must be a valid slug (lowercase letters, numbers, hyphens only)");
  }
  GANTRY_TRY(check_length("name", spec.name, kMaxName));
  GANTRY_TRY(check_length("prompt", spec.prompt, kMaxPrompt));
  GANTRY_TRY(check_length("agent", spec.agent, kMaxText));
  GANTRY_TRY(check_length("model", spec.model, kMaxText));
  GANTRY_TRY(check_length("workspace_path", spec.workspace_path, kMaxPath));
  GANTRY_TRY(check_length("session_key", spec.session_key, kMaxText));
  GANTRY_TRY(check_length("metadata", spec.metadata.text, kMaxMetadata));
  GANTRY_TRY(check_number("jitter_ms", spec.jitter_ms, kDayMs));
  GANTRY_TRY(check_number("retries", spec.retries, kMaxRetries));
  GANTRY_TRY(check_number("max_ms", spec.max_ms, kDayMs));
  if (!spec.metadata.text.starts_with('{')) return invalid_argument("metadata is no JSON object");
  if (spec.tools) GANTRY_TRY(check_tools(*spec.tools));
  if (spec.delivery) {
    GANTRY_TRY(check_length("delivery.channel", spec.delivery->channel, kMaxText));
    GANTRY_TRY(check_length("delivery.target", spec.delivery->target, kMaxText));
    GANTRY_TRY(check_length("delivery.session_key", spec.delivery->session_key, kMaxText));
  }
  return {};
}

bool is_slug(std::string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= kMaxSlug && plain(text.front()) && plain(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return plain(c) || c == '-'; });
}

std::string slug_of(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  out.resize(std::min(out.size(), kMaxSlug - 8));  // room for "-2" and so on
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "job" : out;
}

void apply(const SchedulePatch& patch, ScheduleJob& job) {
  ScheduleSpec& spec = job.spec;
  take(patch.name, spec.name);
  take(patch.slug, spec.slug);
  take(patch.enabled, spec.enabled);
  take(patch.schedule, spec.schedule);
  take(patch.prompt, spec.prompt);
  take(patch.agent, spec.agent);
  take(patch.model, spec.model);
  take(patch.workspace_path, spec.workspace_path);
  take(patch.session_key, spec.session_key);
  take(patch.workspace, job.workspace);
  take(patch.stateless, spec.stateless);
  take(patch.delete_after_run, spec.delete_after_run);
  take(patch.missed, spec.missed);
  take(patch.overlap, spec.overlap);
  take(patch.jitter_ms, spec.jitter_ms);
  take(patch.retries, spec.retries);
  take(patch.max_ms, spec.max_ms);
  take(patch.metadata, spec.metadata);
  if (patch.tools) spec.tools = patch.tools;
  if (patch.delivery) {
    const ScheduleDelivery& to = *patch.delivery;
    const bool nowhere = to.channel.empty() && to.target.empty() && to.session_key.empty();
    spec.delivery = nowhere ? std::nullopt : patch.delivery;
  }
}

ToolPolicy unattended_policy(const ScheduleSpec& spec, const Settings& settings) {
  ToolPolicy policy;
  if (spec.tools) {
    policy = *spec.tools;
  } else {
    policy.daemon_tools = settings.tools;
  }
  make_unattended(policy);
  return policy;
}

void make_unattended(ToolPolicy& policy) {
  policy.read = unattended(policy.read);
  policy.act = unattended(policy.act);
  policy.execute = unattended(policy.execute);
  policy.network = unattended(policy.network);
  policy.questionnaires = false;
}

std::string session_key(const ScheduleJob& job, std::int64_t run) {
  std::string key = job.spec.session_key.empty() ? "cron:{id}" : job.spec.session_key;
  replace_all(key, "{id}", job.id);
  replace_all(key, "{slug}", job.spec.slug);
  replace_all(key, "{agent}", job.spec.agent);
  if (job.spec.overlap == OverlapPolicy::Parallel) key += ":" + std::to_string(run);
  return key;
}

std::string run_id(const std::string& job, std::int64_t run) {
  return job + "/" + std::to_string(run);
}

std::string run_key(const std::string& job, std::int64_t run) {
  const std::string digits = std::to_string(run);
  return job + "/" + std::string(kRunDigits - std::min(kRunDigits, digits.size()), '0') + digits;
}

std::optional<std::int64_t> begins_ms(const Record& record) {
  if (!record.job.spec.enabled) return std::nullopt;
  std::optional<std::int64_t> at = record.due_ms;
  if (at) *at += record.jitter_ms;
  if (record.retry_ms && (!at || *record.retry_ms < *at)) at = record.retry_ms;
  return at;
}

ScheduleJob job_of(const Record& record) {
  ScheduleJob job = record.job;
  job.state.next_run_ms = begins_ms(record);
  job.state.running = static_cast<std::int32_t>(record.open.size());
  job.state.runs = record.last_run - record.first_run + 1;
  return job;
}

void take_result(Record& record, const ScheduledRun& run) {
  ScheduleState& state = record.job.state;
  state.last_run_ms = run.started_ms;
  state.last_status = run.status;
  state.last_error = run.error;
  if (run.status == ScheduledRunStatus::Succeeded) {
    state.consecutive_errors = 0;
    return;
  }
  if (run.status != ScheduledRunStatus::Failed) return;
  ++state.consecutive_errors;
  if (run.attempt > record.job.spec.retries) return;
  const auto step = static_cast<std::size_t>(run.attempt - 1);
  record.retry_ms = run.finished_ms + kRetryMs.at(std::min(step, kRetryMs.size() - 1));
  record.attempt = run.attempt + 1;
}

}  // namespace gantry::scheduler
