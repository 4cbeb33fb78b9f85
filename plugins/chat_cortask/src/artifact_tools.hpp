// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tools with which a model shows something on the chat's page: `artifact` and `show_file`.

#include <gantry/tools/tool_server.hpp>

#include <boost/describe/class.hpp>

#include <optional>
#include <string>
#include <vector>

#include "exchange.hpp"

namespace gantry::chat_cortask {

struct ArtifactArguments {
  std::string type;
  std::string title;
  std::optional<std::string> content;
  std::optional<std::string> path;
};
BOOST_DESCRIBE_STRUCT(ArtifactArguments, (), (type, title, content, path))

/// What the page reads of the result of `artifact`.
struct ArtifactResult {
  std::string artifactId;
  std::string type;
  std::string title;
  std::string mimeType;
};
BOOST_DESCRIBE_STRUCT(ArtifactResult, (), (artifactId, type, title, mimeType))

struct ShowFileArguments {
  std::string path;
  std::optional<std::string> label;
};
BOOST_DESCRIBE_STRUCT(ShowFileArguments, (), (path, label))

/// `services` outlives the tools.
[[nodiscard]] std::vector<tools::Tool> artifact_tools(Services& services);

}  // namespace gantry::chat_cortask
