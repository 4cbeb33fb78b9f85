// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>

#include "indent.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                  "error", "critical", "alert",  "emergency"};

struct AskRow {
  AskKind kind;
  std::string_view name;
  std::string_view method;
  std::string_view capability;
  bool ClientAbilities::*able;
};
constexpr std::array<AskRow, 4> kAsks{{
    {AskKind::ElicitForm, "elicit_form", "elicitation/create", R"({"elicitation":{"form":{}}})",
     &ClientAbilities::elicit_form},
    {AskKind::ElicitUrl, "elicit_url", "elicitation/create", R"({"elicitation":{"url":{}}})",
     &ClientAbilities::elicit_url},
    {AskKind::Sample, "sampling", "sampling/createMessage", R"({"sampling":{}})",
     &ClientAbilities::sampling},
    {AskKind::Roots, "roots", "roots/list", R"({"roots":{}})", &ClientAbilities::roots},
}};

const AskRow& ask_row(AskKind kind) {
  return *std::find_if(kAsks.begin(), kAsks.end(),
                       [kind](const AskRow& row) { return row.kind == kind; });
}

void add_annotations(ObjectText& out, const std::optional<ContentAnnotations>& annotations) {
  if (!annotations) return;
  ObjectText inner;
  if (!annotations->audience.empty()) {
    ArrayText audience;
    for (const std::string& role : annotations->audience) audience.add(role);
    inner.raw("audience", audience.text());
  }
  if (annotations->priority) inner.add("priority", *annotations->priority);
  inner.add_if("lastModified", annotations->last_modified);
  if (!inner.empty()) out.raw("annotations", inner.text());
}

void add_names(ObjectText& out, const std::string& name, const std::string& title,
               const std::string& description, const Revision& revision) {
  out.add("name", name);
  if (revision.structured) out.add_if("title", title);
  out.add_if("description", description);
}

/// What resources and their templates have in common, behind their address.
template <class Described>
ObjectText addressed(std::string_view key, const std::string& address, const Described& what,
                     const Revision& revision) {
  ObjectText out;
  out.add(key, address);
  add_names(out, what.name, what.title, what.description, revision);
  out.add_if("mimeType", what.media_type);
  return out;
}

std::string link_json(const ContentBlock& block, const Revision& revision) {
  ObjectText out;
  if (!revision.structured) {
    // Older clients know no links: the model still reads where the rest is.
    out.add("type", "text");
    out.add("text", block.name + ": " + block.uri +
                        (block.description.empty() ? "" : "\n" + block.description));
    return out.take();
  }
  out.add("type", "resource_link");
  out.add("uri", block.uri);
  add_names(out, block.name.empty() ? block.uri : block.name, block.title, block.description,
            revision);
  out.add_if("mimeType", block.media_type);
  if (block.size) out.add("size", *block.size);
  add_annotations(out, block.annotations);
  return out.take();
}

std::string media_json(const ContentBlock& block, std::string_view type) {
  ObjectText out;
  out.add("type", type);
  out.raw("data", quoted_base64(block.data.bytes()));
  out.add("mimeType", block.media_type);
  add_annotations(out, block.annotations);
  return out.take();
}

std::string text_json(const ContentBlock& block) {
  ObjectText out;
  out.add("type", "text");
  out.add("text", block.text);
  add_annotations(out, block.annotations);
  return out.take();
}

}  // namespace

ContentBlock text_block(std::string text) {
  ContentBlock block;
  block.text = std::move(text);
  return block;
}

std::string block_json(const ContentBlock& block, const Revision& revision) {
  switch (block.kind) {
    case ContentKind::Text: return text_json(block);
    case ContentKind::Image: return media_json(block, "image");
    case ContentKind::Audio:
      if (revision.annotations) return media_json(block, "audio");
      return text_json(
          text_block("[audio, " + block.media_type + ": this revision of MCP has no audio]"));
    case ContentKind::Link: return link_json(block, revision);
    case ContentKind::Resource: break;
  }
  ObjectText out;
  out.add("type", "resource");
  out.raw("resource", contents_json(block));
  add_annotations(out, block.annotations);
  return out.take();
}

std::string blocks_json(const std::vector<ContentBlock>& blocks, const Revision& revision) {
  ArrayText out;
  for (const ContentBlock& block : blocks) out.raw(block_json(block, revision));
  return out.text();
}

std::string contents_json(const ContentBlock& block) {
  ObjectText out;
  out.add("uri", block.uri);
  out.add_if("mimeType", block.media_type);
  if (block.data.empty()) {
    out.add("text", block.text);
  } else {
    out.raw("blob", quoted_base64(block.data.bytes()));
  }
  return out.take();
}

std::string tool_json(const ToolDescription& tool, const Revision& revision) {
  ObjectText out;
  add_names(out, tool.name, tool.title, tool.description, revision);
  out.raw("inputSchema", tool.input_schema.text);
  if (revision.structured && tool.output_schema) out.raw("outputSchema", tool.output_schema->text);
  if (revision.annotations) {
    ObjectText hints;
    if (!revision.structured) hints.add_if("title", tool.title);  // else the tool has it itself
    hints.add("readOnlyHint", tool.read_only);
    if (!tool.read_only) {
      hints.add("destructiveHint", tool.destructive);
      hints.add("idempotentHint", tool.idempotent);
    }
    hints.add("openWorldHint", tool.open_world);
    out.raw("annotations", hints.text());
  }
  return out.take();
}

std::string resource_json(const ResourceDescription& resource, const Revision& revision) {
  ObjectText out = addressed("uri", resource.uri, resource, revision);
  if (resource.size) out.add("size", *resource.size);
  add_annotations(out, resource.annotations);
  return out.take();
}

std::string template_json(const ResourceTemplate& resource, const Revision& revision) {
  return addressed("uriTemplate", resource.uri_template, resource, revision).take();
}

std::string prompt_json(const PromptDescription& prompt, const Revision& revision) {
  ObjectText out;
  add_names(out, prompt.name, prompt.title, prompt.description, revision);
  if (!prompt.parameters.empty()) {
    ArrayText arguments;
    for (const PromptParameter& parameter : prompt.parameters) {
      ObjectText argument;
      add_names(argument, parameter.name, parameter.title, parameter.description, revision);
      argument.add("required", parameter.required);
      arguments.raw(argument.text());
    }
    out.raw("arguments", arguments.text());
  }
  return out.take();
}

std::string messages_json(const PromptText& prompt, const Revision& revision) {
  ArrayText out;
  for (const PromptMessage& message : prompt.messages) {
    ObjectText one;
    one.add("role", message.role == PromptRole::User ? "user" : "assistant");
    one.raw("content", block_json(message.content, revision));
    out.raw(one.text());
  }
  return out.text();
}

ObjectText tool_result(const ToolResult& result, const Revision& revision) {
  ObjectText out;
  if (revision.indented && result.structured && result.content.size() == 1 &&
      result.content.front().text == result.structured->text) {
    ContentBlock block = result.content.front();
    block.text = indented(result.structured->text);
    out.raw("content", blocks_json({block}, revision));
  } else {
    out.raw("content", blocks_json(result.content, revision));
  }
  if (revision.structured && result.structured) {
    out.raw("structuredContent", result.structured->text);
  }
  if (result.is_error) out.add("isError", true);
  return out;
}

AskWire ask_wire(const Ask& ask, const Revision& revision) {
  const AskRow& row = ask_row(ask.kind);
  ObjectText params;
  const bool elicits = ask.kind == AskKind::ElicitForm || ask.kind == AskKind::ElicitUrl;
  if (elicits && revision.elicit_modes) {
    params.add("mode", ask.kind == AskKind::ElicitForm ? "form" : "url");
  }
  if (elicits) params.add("message", ask.message);
  boost::system::error_code problem;
  const json::value given = json::parse(ask.params.text, problem);
  if (const json::object* object = given.if_object(); !problem && object != nullptr) {
    for (const auto& [key, value] : *object) {
      // From 2026-07-28 on the answer to the retry is all that tells of a visit to a page.
      if (revision.stateless && key == "elicitationId") continue;
      params.raw(key, json_text(value));
    }
  }
  return {std::string(row.method), params.text()};
}

ClientAbilities read_abilities(const json::object& capabilities) {
  ClientAbilities out;
  if (const json::object* elicitation = object_member(capabilities, "elicitation")) {
    out.elicit_url = member(*elicitation, "url") != nullptr;
    // An empty object means forms: that was all there was before modes.
    out.elicit_form = member(*elicitation, "form") != nullptr || !out.elicit_url;
  }
  if (const json::object* sampling = object_member(capabilities, "sampling")) {
    out.sampling = true;
    out.sampling_tools = member(*sampling, "tools") != nullptr;
  }
  out.roots = object_member(capabilities, "roots") != nullptr;
  return out;
}

bool able(const ClientAbilities& client, AskKind kind) { return client.*(ask_row(kind).able); }

std::string needed_capability(AskKind kind) { return std::string(ask_row(kind).capability); }

std::string needed_capabilities(const std::string& detail_json) {
  boost::system::error_code problem;
  const json::value detail = json::parse(detail_json, problem);
  const json::object* object = problem ? nullptr : detail.if_object();
  const json::value* names = object == nullptr ? nullptr : member(*object, "required");
  if (names == nullptr || !names->is_array()) return {};
  json::object all;
  for (const json::value& name : names->get_array()) {
    for (const AskRow& row : kAsks) {
      if (!name.is_string() || name.get_string() != row.name) continue;
      const json::value needed = json::parse(row.capability);
      for (const auto& [key, value] : needed.get_object()) {
        json::object& merged =
            all[key].is_object() ? all[key].get_object() : all[key].emplace_object();
        for (const auto& [inner, inner_value] : value.get_object()) merged[inner] = inner_value;
      }
    }
  }
  return all.empty() ? std::string() : json_text(all);
}

std::string_view ask_name(AskKind kind) { return ask_row(kind).name; }

std::string implementation_json(const ServerSettings& server, const Revision& revision) {
  ObjectText out;
  out.add("name", server.name);
  if (revision.structured) out.add_if("title", server.title);
  out.add("version", GANTRY_MCP_VERSION);
  return out.take();
}

std::string capabilities_json(const Revision& revision) {
  ObjectText out;
  out.raw("logging", "{}");
  if (revision.annotations) out.raw("completions", "{}");
  out.raw("prompts", R"({"listChanged":true})");
  out.raw("resources", R"({"subscribe":true,"listChanged":true})");
  out.raw("tools", R"({"listChanged":true})");
  return out.take();
}

std::optional<NoticeLevel> read_level(std::string_view name) {
  const auto* const found = std::find(kLevels.begin(), kLevels.end(), name);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<NoticeLevel>(found - kLevels.begin());
}

std::string_view level_name(NoticeLevel level) {
  return kLevels.at(static_cast<std::size_t>(level));
}

}  // namespace gantry::mcp
