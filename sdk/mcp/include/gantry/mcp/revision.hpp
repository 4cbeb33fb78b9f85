// SPDX-License-Identifier: Apache-2.0
#pragma once
// The revisions of the Model Context Protocol that are served, and what differs between them.
// Sources: the changelogs of modelcontextprotocol.io/specification/<revision>.

#include <gantry/mcp/json_rpc.hpp>

#include <span>
#include <string_view>

namespace gantry::mcp {

struct Revision {
  std::string_view name;
  bool stateless = false;     ///< No initialize, no session: every request says who it is.
  bool batches = false;       ///< Takes JSON-RPC batches.
  bool annotations = false;   ///< Tool annotations, audio, completions, progress messages.
  bool structured = false;    ///< Output schemas, structured content, links, titles, elicitation.
  bool id_optional = false;   ///< Errors without a request have no id, rather than null.
  bool priming = false;       ///< A stream begins with an event that has only an id.
  bool indented = false;      ///< Text blocks are indented JSON, as the first program wrote them.
  bool elicit_modes = false;  ///< Elicitation has modes: form, url.
  int missing_resource = kResourceNotFound;
};

/// Oldest first.
[[nodiscard]] std::span<const Revision> revisions();
/// nullptr when it is not served.
[[nodiscard]] const Revision* find_revision(std::string_view name);
/// What initialize answers: the wanted one, else the newest with sessions.
[[nodiscard]] const Revision& negotiate(std::string_view wanted);
/// What a client speaks that does not say: 2025-03-26 over HTTP ("Protocol Version Header").
[[nodiscard]] const Revision& assumed_revision();
[[nodiscard]] const Revision& newest_revision();
/// The names as a JSON array, newest first.
[[nodiscard]] const std::string& revision_names_json();

}  // namespace gantry::mcp
