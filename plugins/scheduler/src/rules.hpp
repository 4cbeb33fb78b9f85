// SPDX-License-Identifier: Apache-2.0
//
// What a job is and what becomes of it. Pure functions.
#pragma once

#include <gantry/result.hpp>

#include <string>
#include <string_view>

#include "record.hpp"
#include "settings.hpp"
#include "timing.hpp"

namespace gantry::scheduler {

/// Whether everything that a client said fits; the slug may be empty. Errors: invalid_argument.
Result<void> check(const ScheduleSpec& spec);
[[nodiscard]] bool is_slug(std::string_view text);
/// A slug of a name: lower case, everything but letters and digits becomes a dash.
[[nodiscard]] std::string slug_of(std::string_view name);

void apply(const SchedulePatch& patch, ScheduleJob& job);

/// The tools of a run, which nobody watches: what would be asked about is denied.
[[nodiscard]] ToolPolicy unattended_policy(const ScheduleSpec& spec, const Settings& settings);

/// Denies what would be asked about.
void make_unattended(ToolPolicy& policy);

/// Key of the session of a run.
[[nodiscard]] std::string session_key(const ScheduleJob& job, std::int64_t run);
/// Id of a run: the job's id, a slash and the number.
[[nodiscard]] std::string run_id(const std::string& job, std::int64_t run);
/// Key of a run in the store; in the order of the numbers.
[[nodiscard]] std::string run_key(const std::string& job, std::int64_t run);

/// When it begins by itself; nothing: it does not.
[[nodiscard]] std::optional<std::int64_t> begins_ms(const Record& record);
/// The job as it is told to others.
[[nodiscard]] ScheduleJob job_of(const Record& record);

/// The result of a run goes into its job: the state, and a retry where there is one.
void take_result(Record& record, const ScheduledRun& run);

}  // namespace gantry::scheduler
