// SPDX-License-Identifier: Apache-2.0
#include "paging.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gantry::observation {
namespace {

constexpr std::int64_t kSmallestBudget = 1000;
/// Room for everything in an answer but the tree, the lines or the changes.
constexpr std::size_t kEnvelopeBytes = 1500;
constexpr std::int64_t kLargestBudget = 1 << 30;

}  // namespace

std::size_t max_bytes(const Arguments& arguments, const Settings& settings, bool lines) {
  const std::int64_t asked = arguments.integer_or_nothing("max_bytes").value_or(0);
  if (asked > 0) {
    return static_cast<std::size_t>(std::clamp(asked, kSmallestBudget, kLargestBudget));
  }
  return lines ? static_cast<std::size_t>(std::max<std::int64_t>(settings.output.max_bytes, 0)) : 0;
}

std::size_t content_budget(std::size_t max_bytes) {
  if (max_bytes == 0) return 0;
  return std::max(max_bytes, 2 * kEnvelopeBytes) - kEnvelopeBytes;
}

bool add_lines(JsonObject& out, const Node& root, const std::string& token,
               const LineOptions& options) {
  const LinePage page = render_lines(root, options);
  out.add("lines", page.text);
  out.add("line_count", page.count);
  out.add("total_lines", page.total);
  out.add("truncated", page.last_id.has_value());
  if (page.last_id) {
    out.add("next_cursor", fmt::format("{}/{}", token, *page.last_id));
  } else {
    out.add("next_cursor", nullptr);
  }
  return page.known_cursor;
}

Outcome<LineCursor> read_line_cursor(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) {
    return failure(Fault::BadRequest,
                   "page_cursor is not one that an answer with format=lines gave",
                   {{"page_cursor", text}});
  }
  return LineCursor{text.substr(0, slash), text.substr(slash + 1)};
}

}  // namespace gantry::observation
