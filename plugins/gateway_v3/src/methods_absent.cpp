// SPDX-License-Identifier: Apache-2.0
// What clients ask about and this daemon has none of, or none without a further plugin: lists that
// are truly empty, in the shape that they expect.
#include <gantry/contracts/voice.hpp>

#include <string>
#include <utility>
#include <vector>

#include "call.hpp"
#include "models.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

Answer none(std::string_view name) { return fine(json::object{{name, json::array()}}); }

Answer no_agent_named() { return refused(wire::kInvalidRequest, "agentId is required"); }

bool names_agent(const Call& call) { return !text(call.params(), kAgent).empty(); }

}  // namespace

Task<Answer> team_tasks(CallPtr) { co_return fine(json::object{{"tasks", nullptr}}); }

Task<Answer> teams_list(CallPtr) { co_return none("teams"); }

Task<Answer> agent_links(CallPtr) { co_return none("links"); }

Task<Answer> hooks_list(CallPtr) { co_return none("hooks"); }

Task<Answer> hooks_history(CallPtr) {
  co_return fine(json::object{{"executions", json::array()}, {"nextCursor", ""}});
}

/// Of every plugin that speaks; read anew each time.
Task<Answer> voices_list(CallPtr call) {
  auto finding = providers_of(call->host(), VoiceVoices::kName);
  const std::vector<std::string> plugins = co_await std::move(finding);
  json::array rows;
  for (const std::string& plugin : plugins) {
    Nothing nothing;
    CallOptions options;
    options.target = plugin;
    const auto list =
        co_await ask<VoiceVoices>(call->host(), std::move(nothing), std::move(options));
    if (!list.ok()) continue;
    for (const VoiceInfo& voice : (*list)->voices) {
      rows.push_back(json::object{{"voice_id", voice.name},
                                  {"name", voice.name},
                                  {"language", voice.language},
                                  {"provider", voice.engine}});
    }
  }
  co_return fine(json::object{{"voices", std::move(rows)}});
}

Task<Answer> heartbeat_get(CallPtr call) {
  if (!names_agent(*call)) co_return no_agent_named();
  co_return fine(json::object{{"heartbeat", nullptr}});
}

Task<Answer> heartbeat_logs(CallPtr call) {
  if (!names_agent(*call)) co_return no_agent_named();
  co_return fine(json::object{{"logs", json::array()}, {"total", 0}});
}

Task<Answer> heartbeat_targets(CallPtr call) {
  if (!names_agent(*call)) co_return no_agent_named();
  co_return none("targets");
}

/// The text of the agent's HEARTBEAT.md, which no heartbeat reads here.
Task<Answer> heartbeat_checklist(CallPtr call) {
  const std::string key = text(call->params(), kAgent);
  if (key.empty()) co_return no_agent_named();
  const std::string* content = call->server.agents().file(key, "HEARTBEAT.md");
  co_return fine(json::object{{"content", content == nullptr ? std::string() : *content}});
}

Task<Answer> tenant_users(CallPtr) { co_return none("users"); }

}  // namespace gantry::gateway
