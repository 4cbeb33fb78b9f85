// SPDX-License-Identifier: Apache-2.0
// Any text as a recording: lines are read or reported, what was read is written and read again
// alike, and the page of it holds nothing of it as markup.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "replay.hpp"
#include "trace_html.hpp"
#include "trace_record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gantry::observation;
  TraceText trace;
  read_trace_lines({reinterpret_cast<const char*>(data), size}, "input", trace);
  std::string again;
  for (const TraceRow& row : trace.rows) {
    again += row_line(row);
    (void)compare_summaries(row.tool, row.summary, row.summary, true);
    (void)recorded_args(row.args, {"password", "text"}, 64);
  }
  TraceText reread;
  read_trace_lines(again, "again", reread);
  if (reread.rows.size() != trace.rows.size() || !reread.problems.empty()) std::abort();
  const std::string page = trace_page(trace, [](const std::string&) { return std::nullopt; });
  if (page.find("<script") != std::string::npos || page.find("<SCRIPT") != std::string::npos) {
    std::abort();
  }
  return 0;
}
