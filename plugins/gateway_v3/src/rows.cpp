// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <gantry/iso_time.hpp>

#include <algorithm>
#include <map>

#include "run_view.hpp"
#include "session_keys.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

std::string_view role_word(RowRole role) {
  switch (role) {
    case RowRole::User: return "user";
    case RowRole::Assistant: return "assistant";
    case RowRole::Tool: return "tool";
    case RowRole::System: break;
  }
  return "system";
}

json::object message_row(const HistoryRow& row) {
  json::object out{{"role", role_word(row.role)}, {"content", row.text}};
  if (!row.thinking.empty()) out["thinking"] = row.thinking;
  if (!row.calls.empty()) {
    json::array calls;
    for (const ModelToolCall& call : row.calls) {
      calls.push_back(json::object{
          {"id", call.id}, {"name", call.name}, {"arguments", value_of(call.arguments)}});
    }
    out["tool_calls"] = std::move(calls);
  }
  if (row.type == RowType::ToolOutput) {
    out["tool_call_id"] = row.call;
    out["is_error"] = row.is_error;
  }
  json::array media;
  for (const ImageRef& image : row.images) {
    if (image.artifact.empty()) continue;
    media.push_back(json::object{{"id", image.artifact},
                                 {"path", image.artifact},
                                 {"mime_type", image.media_type},
                                 {"kind", "image"},
                                 {"filename", image.name}});
  }
  if (!media.empty()) out["media_refs"] = std::move(media);
  if (row.at_ms != 0) out["created_at"] = iso_time_of(row.at_ms);
  return out;
}

}  // namespace

json::object session_row(const SessionInfo& info, const std::string& key, const std::string& user,
                         const AgentSettings* agent) {
  const KeyParts parts = parts_of(key);
  json::object row{{"key", key},
                   {"messageCount", info.messages},
                   {"created", iso_time_of(info.created_ms)},
                   {"updated", iso_time_of(info.updated_ms)},
                   {"channel", parts.channel},
                   {"userID", user},
                   {"inputTokens", info.input_tokens},
                   {"outputTokens", info.output_tokens},
                   {"estimatedTokens", info.conversation_tokens},
                   {"compactionCount", info.compactions},
                   {"metadata", value_of(info.metadata)}};
  if (!info.title.empty()) row["label"] = info.title;
  if (!info.model.empty()) row["model"] = info.model;
  if (agent != nullptr) row["agentName"] = agent->name;
  return row;
}

json::array history_rows(const std::vector<HistoryRow>& rows) {
  json::array out;
  for (const HistoryRow& row : rows) {
    if (row.type != RowType::ContextCompaction) out.push_back(message_row(row));
  }
  return out;
}

std::string summary_of(const std::vector<HistoryRow>& rows) {
  const auto found = std::find_if(rows.rbegin(), rows.rend(), [](const HistoryRow& row) {
    return row.type == RowType::ContextCompaction;
  });
  return found == rows.rend() ? std::string() : found->text;
}

json::object skill_row(const Skill& skill) {
  json::array missing;
  for (const SkillNeed& need : skill.needs) {
    if (!need.met) missing.push_back(json::value(need.name));
  }
  json::array tags;
  for (const std::string& tag : skill.tags) tags.push_back(json::value(tag));
  json::object row{{"id", skill.name},
                   {"name", skill.title.empty() ? skill.name : skill.title},
                   {"slug", skill.name},
                   {"description", skill.description},
                   {"source", skill.source == SkillSource::System
                                  ? "system"
                                  : (skill.source == SkillSource::User ? "user" : "workspace")},
                   {"version", skill.version},
                   {"author", skill.author},
                   {"is_system", skill.source == SkillSource::System},
                   {"enabled", skill.enabled},
                   {"status", skill.eligible ? "active" : "missing_deps"}};
  row["tags"] = std::move(tags);
  row["missing_deps"] = std::move(missing);
  return row;
}

json::object agent_row(const AgentSettings& agent, bool running) {
  const std::size_t slash = agent.model.find('/');
  const bool named = slash != std::string::npos;
  return {{"id", agent.key},
          {"name", agent.name},
          {"model", named ? agent.model.substr(slash + 1) : agent.model},
          {"provider", named ? agent.model.substr(0, slash) : std::string()},
          {"agentType", "predefined"},
          {"status", "active"},
          {"isRunning", running}};
}

const LlmModel* model_of(const AgentSettings& agent, const std::vector<LlmModel>& models) {
  const auto fits = [&agent](const LlmModel& model) {
    return agent.model.empty()
               ? model.is_default && model.available
               : model.id == agent.model || model.provider + "/" + model.id == agent.model;
  };
  const auto found = std::find_if(models.begin(), models.end(), fits);
  return found == models.end() ? nullptr : &*found;
}

json::object agent_http_row(const AgentSettings& agent, const std::string& owner, bool usual,
                            const std::vector<LlmModel>& models) {
  const LlmModel* model = model_of(agent, models);
  json::object row{{"id", agent.key},
                   {"agent_key", agent.key},
                   {"display_name", agent.name},
                   {"description", agent.description},
                   {"emoji", agent.emoji},
                   {"owner_id", owner},
                   {"provider", model == nullptr ? std::string() : model->provider},
                   {"model", model == nullptr ? agent.model : model->id},
                   {"workspace", agent.workspace},
                   {"restrict_to_workspace", true},
                   {"agent_type", "predefined"},
                   {"is_default", usual},
                   {"status", "active"}};
  row["context_window"] =
      model != nullptr && model->context_window ? json::value(*model->context_window) : nullptr;
  return row;
}

json::array provider_rows(const std::vector<LlmModel>& models) {
  std::map<std::string, bool> usable;  // provider → any of its models can be used
  for (const LlmModel& model : models) usable[model.provider] |= model.available;
  json::array out;
  for (const auto& [provider, available] : usable) {
    out.push_back(json::object{{"id", provider},
                               {"name", provider},
                               {"display_name", provider},
                               {"provider_type", provider},
                               {"api_base", ""},
                               {"api_key", available ? "***" : ""},
                               {"enabled", available}});
  }
  return out;
}

}  // namespace gantry::gateway
