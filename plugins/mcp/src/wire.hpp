// SPDX-License-Identifier: Apache-2.0
#pragma once
// MCP's JSON for what the contracts describe, for each revision. No member name is spelt elsewhere
// but in the handlers that read it. Pure.

#include <gantry/contracts/prompt.hpp>
#include <gantry/contracts/resource.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/mcp/json_text.hpp>
#include <gantry/mcp/revision.hpp>

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::mcp {

/// A block of text and nothing else.
[[nodiscard]] ContentBlock text_block(std::string text);
[[nodiscard]] std::string block_json(const ContentBlock& block, const Revision& revision);
[[nodiscard]] std::string blocks_json(const std::vector<ContentBlock>& blocks,
                                      const Revision& revision);
/// One of a resource's contents.
[[nodiscard]] std::string contents_json(const ContentBlock& block);
[[nodiscard]] std::string tool_json(const ToolDescription& tool, const Revision& revision);
[[nodiscard]] std::string resource_json(const ResourceDescription& resource,
                                        const Revision& revision);
[[nodiscard]] std::string template_json(const ResourceTemplate& resource, const Revision& revision);
[[nodiscard]] std::string prompt_json(const PromptDescription& prompt, const Revision& revision);
[[nodiscard]] std::string messages_json(const PromptText& prompt, const Revision& revision);
/// The members of a tools/call result.
[[nodiscard]] ObjectText tool_result(const ToolResult& result, const Revision& revision);

/// The request that an ask is for the client: method and params.
struct AskWire {
  std::string method;
  std::string params;
};
[[nodiscard]] AskWire ask_wire(const Ask& ask, const Revision& revision);

/// What a client's `capabilities` say, and whether it can answer an ask.
[[nodiscard]] ClientAbilities read_abilities(const boost::json::object& capabilities);
[[nodiscard]] bool able(const ClientAbilities& client, AskKind kind);
/// The member of `capabilities` that an ask needs, as JSON: {"elicitation":{"form":{}}}.
[[nodiscard]] std::string needed_capability(AskKind kind);
/// The same for the names that ToolRun's errors have in their detail.
[[nodiscard]] std::string needed_capabilities(const std::string& detail_json);
[[nodiscard]] std::string_view ask_name(AskKind kind);

[[nodiscard]] std::string implementation_json(const ServerSettings& server,
                                              const Revision& revision);
[[nodiscard]] std::string capabilities_json(const Revision& revision);

/// debug … emergency.
[[nodiscard]] std::optional<NoticeLevel> read_level(std::string_view name);
[[nodiscard]] std::string_view level_name(NoticeLevel level);

}  // namespace gantry::mcp
