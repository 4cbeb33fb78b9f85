// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <string.h>  // sigabbrev_np
#include <gantry/codec.hpp>
#include <gantry/tools/tool_server.hpp>

#include <utility>

namespace gantry::shell {
namespace {

struct Facts {
  std::string session_id;
  std::string state;  // running, exited, signalled, timed_out, killed
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::int64_t duration_ms = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t dropped_bytes = 0;
};
BOOST_DESCRIBE_STRUCT(Facts, (),
                      (session_id, state, exit_code, signal, duration_ms, output_bytes,
                       dropped_bytes))

std::string signal_text(int number) {
  const char* const name = ::sigabbrev_np(number);
  return "signal " + std::to_string(number) +
         (name == nullptr ? "" : " (" + std::string(name) + ")");
}

std::string seconds_text(std::int64_t ms) {
  return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
}

Facts facts_of(const Report& report) {
  Facts facts;
  facts.session_id = report.id;
  facts.duration_ms = report.run_ms;
  facts.output_bytes = report.total;
  facts.dropped_bytes = report.output.dropped;
  if (!report.end) {
    facts.state = "running";
    return facts;
  }
  const Exit& exit = **report.end;
  if (exit.signal != 0) {
    facts.signal = exit.signal;
  } else {
    facts.exit_code = exit.code;
  }
  facts.state = report.why == Ended::TimedOut ? "timed_out"
                : report.why == Ended::Killed ? "killed"
                : exit.signal != 0            ? "signalled"
                                              : "exited";
  return facts;
}

}  // namespace

std::string state_text(const Report& report) {
  if (!report.end) return "running for " + seconds_text(report.run_ms);
  if (!report.end->ok()) return report.end->error().message;
  const Exit& exit = **report.end;
  std::string out =
      exit.signal != 0 ? signal_text(exit.signal) : "exit code " + std::to_string(exit.code);
  // A shell says so of a program that a signal has ended.
  if (exit.code > 128 && exit.code < 128 + 65) out += ", " + signal_text(exit.code - 128);
  if (report.why == Ended::TimedOut) {
    return "ended after " + seconds_text(report.run_ms) + " because its time was over; " + out;
  }
  if (report.why == Ended::Killed) return "killed; " + out;
  return out;
}

Result<ToolResult> report_result(const Report& report) {
  if (report.end && !report.end->ok()) return report.end->error();
  std::string text = report.output.text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "[" + (report.id.empty() ? "" : report.id + ": ") + state_text(report) + "]";
  ToolResult result = tools::text_result(std::move(text));
  result.structured = Json(to_json(facts_of(report)));
  result.is_error = report.why == Ended::TimedOut && report.id.empty();
  return result;
}

std::string some_lines(const std::string& text, std::int64_t offset, std::int64_t limit) {
  std::size_t begin = 0;
  for (; offset > 0 && begin < text.size(); --offset) {
    const std::size_t line = text.find('\n', begin);
    begin = line == std::string::npos ? text.size() : line + 1;
  }
  if (limit == 0) return text.substr(begin);
  std::size_t end = begin;
  for (; limit > 0 && end < text.size(); --limit) {
    const std::size_t line = text.find('\n', end);
    end = line == std::string::npos ? text.size() : line + 1;
  }
  return text.substr(begin, end - begin);
}

}  // namespace gantry::shell
