// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers that fit a budget. Hosts of language models cut or refuse results above 1 MB or 25,000
// tokens; lines stay below that by default, the published JSON form when it is asked to.

#include <string>

#include "engine.hpp"
#include "lines.hpp"

namespace gantry::observation {

/// The request's max_bytes; without one the configured limit for lines, and none for JSON.
[[nodiscard]] std::size_t max_bytes(const Arguments& arguments, const Settings& settings,
                                    bool lines);

/// Adds lines, line_count, total_lines, truncated and next_cursor. The cursor names the capture by
/// its token, so that the next page continues this view whatever happens on the screen meanwhile.
/// False when options.after_id is no line of the tree.
bool add_lines(JsonObject& out, const Node& root, const std::string& token,
               const LineOptions& options);

/// Of an answer in bytes, what its lines or its tree may have; 0 stays 0.
[[nodiscard]] std::size_t content_budget(std::size_t max_bytes);

/// A page cursor's two parts.
struct LineCursor {
  std::string token;
  std::string after_id;
};
[[nodiscard]] Outcome<LineCursor> read_line_cursor(const std::string& text);

}  // namespace gantry::observation
