// SPDX-License-Identifier: Apache-2.0
#pragma once
// The manifest of tools that a client runs itself: what of it is accepted, and why the rest is not.
// A manifest never fails a handshake. Pure, any thread.

#include <gantry/json.hpp>

#include <boost/describe/class.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_ws {

/// A tool that was accepted, as client-tool-manifest tells it back.
struct AcceptedTool {
  std::string name;
  std::string description;
  std::string execution_target;     // local_runtime, local, sidecar; backend: a tool of this daemon
  Json model_schema{"{}"};          // what the model is told
  Json execution_schema;            // what the client takes, or null
  std::string argument_resolution;  // passthrough, backend_grounding
  bool optional = false;

  /// Whether the client runs it; else it only names a tool of the daemon.
  [[nodiscard]] bool by_client() const { return execution_target != "backend"; }
  /// Whether places in its arguments become x and y before the client hears of a call.
  [[nodiscard]] bool is_grounded() const { return argument_resolution == "backend_grounding"; }
};
BOOST_DESCRIBE_STRUCT(AcceptedTool, (),
                      (name, description, execution_target, model_schema, execution_schema,
                       argument_resolution, optional))

struct RejectedTool {
  std::string name;  // "#3" when it has none; empty: the whole manifest
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(RejectedTool, (), (name, reason))

/// Also the payload of client-tool-manifest.
struct ManifestReport {
  std::vector<AcceptedTool> accepted;
  std::vector<RejectedTool> rejected;

  [[nodiscard]] std::vector<std::string> names() const;
};
BOOST_DESCRIBE_STRUCT(ManifestReport, (), (accepted, rejected))

/// Names of the daemon that no client may take.
[[nodiscard]] bool is_reserved(std::string_view name);

/// Checks a manifest; nothing given accepts nothing.
[[nodiscard]] ManifestReport check_manifest(const std::optional<Json>& manifest);

}  // namespace gantry::agent_ws
