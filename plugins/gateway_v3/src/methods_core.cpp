// SPDX-License-Identifier: Apache-2.0
// Who connects, and what there is: health, agents, models, tenants, usage, channels, skills.
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/skill.hpp>
#include <gantry/contracts/store.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/iso_time.hpp>

#include <algorithm>
#include <utility>

#include "call.hpp"
#include "models.hpp"
#include "pairing.hpp"
#include "rows.hpp"
#include "run_view.hpp"
#include "session_keys.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::int64_t kNsPerMs = 1'000'000;

json::object connected(const Identity& who) {
  return {{"protocol", kProtocol},
          {"role", role_name(who.role)},
          {"user_id", who.user},
          {"tenant_id", kTenantId},
          {"tenant_name", "Master"},
          {"tenant_slug", kTenantSlug},
          {"is_owner", who.role == Role::Owner},
          {"is_master_scope", true},
          {"edition", "standard"},
          {"server", json::object{{"name", "gantry"}, {"version", kVersion}}}};
}

/// A stranger gets a code that somebody inside can let in; who has one already goes on with it.
Task<Answer> begin_pairing(CallPtr call, std::string user, std::string sender, Answer refusal) {
  PairingRequest request;
  const bool goes_on = call->server.devices().waits(kBrowser, sender);
  request.sender = goes_on ? sender : call->connection->id();
  request.channel = kBrowser;
  request.account = "default";
  request.user = user;
  request.address = address_of(call->connection->peer());
  auto asking = call->server.devices().ask(std::move(request));
  const Result<PairingRequest> asked = co_await std::move(asking);
  if (!asked.ok()) {
    co_return asked.error().code == Code::ResourceExhausted ? refusal : failed(asked.error());
  }
  call->connection->begin_pairing();
  if (!goes_on) {
    call->server.tell_admins("device.pair.requested", json::object{{"code", asked->code},
                                                                   {"sender_id", asked->sender},
                                                                   {"channel", asked->channel},
                                                                   {"chat_id", asked->chat}});
  }
  co_return fine(json::object{{"protocol", kProtocol},
                              {"status", "pending_pairing"},
                              {"pairing_code", asked->code},
                              {"sender_id", asked->sender},
                              {"server", json::object{{"name", "gantry"}, {"version", kVersion}}}});
}

/// The agent that a request is about; nullptr with the refusal in `answer`.
AgentPtr agent_of(const Call& call, Answer& answer) {
  std::string key = text(call.params(), kAgent);
  if (key.empty()) key = parts_of(text(call.params(), kSession)).agent;
  if (key.empty()) return call.server.agents().usual();
  AgentPtr agent = call.server.agents().find(key);
  if (!agent) answer = refused(wire::kNotFound, "agent not found: " + key);
  return agent;
}

bool is_running(const Call& call, const std::string& agent) {
  return call.server.feeds().agent_runs(agent) > 0;
}

/// US dollars, of the models whose prices are known.
double cost_of(const UsageToday::Counts& counts, const std::vector<LlmModel>& models) {
  constexpr double kMillion = 1e6;
  double cost = 0;
  for (const LlmModel& model : models) {
    const auto used = counts.by_model.find(model.id);
    if (used == counts.by_model.end() || !model.prices) continue;
    cost += static_cast<double>(used->second.input) * model.prices->input / kMillion +
            static_cast<double>(used->second.output) * model.prices->output / kMillion;
  }
  return cost;
}

json::array client_rows(const Call& call) {
  json::array rows;
  for (const auto& [number, connection] : call.server.connections()) {
    const Identity& who = connection->who();
    if (who.role == Role::None) continue;
    if (!call.who.at_least(Role::Admin) && who.principal != call.who.principal) continue;
    rows.push_back(json::object{{"id", connection->id()},
                                {"remoteAddr", connection->peer()},
                                {"userId", who.user},
                                {"role", role_name(who.role)},
                                {"connectedAt", iso_time_of(connection->connected_ms())}});
  }
  return rows;
}

}  // namespace

Task<Answer> connect(CallPtr call) {
  const json::object& params = call->params();
  Claim claim;
  claim.token = text(params, "token");
  claim.user = text(params, {"user_id", "userId"});
  claim.sender = text(params, {"sender_id", "senderId"});
  claim.tenant = text(params, "tenant_id");
  if (claim.tenant.empty()) claim.tenant = text(params, "tenant_hint");
  claim.peer = call->connection->peer();
  call->connection->speak(locale_of(text(params, "locale")));
  const std::string user = claim.user;
  const std::string sender = claim.sender;
  const bool web_ui = find(params, {"protocolVersion", "protocol_version"}) != nullptr;
  call->connection->become(std::nullopt, web_ui);
  Recognised found;
  std::uint64_t revocations = 0;
  do {  // what was revoked meanwhile could not be taken from this connection
    revocations = call->server.revocations();
    auto recognising = recognise(call->server, claim);
    found = co_await std::move(recognising);
  } while (found.who && revocations != call->server.revocations());
  if (found.who) {
    call->connection->become(found.who, web_ui);
    call->who = *found.who;
    json::object hello = connected(call->who);
    auto resuming = resume_all(call);
    json::array resumed = co_await std::move(resuming);
    if (!resumed.empty()) hello["resumed"] = std::move(resumed);
    co_return fine(std::move(hello));
  }
  if (!found.may_pair) co_return found.refusal;
  auto pairing = begin_pairing(call, user, sender, found.refusal);
  co_return co_await std::move(pairing);
}

Task<Answer> health(CallPtr call) {
  Nothing nothing;
  const auto report = co_await ask<KernelHealth>(call->host(), std::move(nothing));
  StoreGetRequest probe;
  probe.collection = "health";
  probe.keys = {"none"};
  const auto stored = co_await ask<StoreGet>(call->host(), std::move(probe));
  AgentToolsRequest asked;
  asked.tools = tool_policy(call->server.settings(), *call->server.agents().usual());
  const auto tools = co_await ask<AgentTools>(call->host(), std::move(asked));
  std::int64_t offered = 0;
  if (tools.ok()) {
    offered = std::count_if((*tools)->tools.begin(), (*tools)->tools.end(),
                            [](const AgentTool& tool) { return tool.offered; });
  }
  const bool absent = !stored.ok() && stored.error().code == Code::Unavailable;
  co_return fine(
      json::object{{"status", "ok"},
                   {"version", report.ok() ? (*report)->version : std::string(kVersion)},
                   {"uptime", (call->host().monotonic_ns() - call->server.started_ns()) / kNsPerMs},
                   {"mode", "managed"},
                   {"database", stored.ok() ? "ok" : (absent ? "n/a" : "error")},
                   {"tools", offered},
                   {"clients", client_rows(*call)},
                   {"currentId", call->connection->id()}});
}

Task<Answer> status(CallPtr call) {
  json::array agents;
  for (const AgentPtr& agent : call->server.agents().all()) {
    agents.push_back(json::object{
        {"id", agent->key}, {"model", agent->model}, {"isRunning", is_running(*call, agent->key)}});
  }
  std::int64_t sessions = 0;
  for (const std::string& principal : seen_principals(*call)) {
    SessionListRequest request;
    request.principal = principal;
    request.limit = 1;
    const auto list = co_await ask<SessionList>(call->host(), std::move(request));
    if (list.ok()) sessions += (*list)->total;
  }
  co_return fine(json::object{{"agents", agents},
                              {"agentTotal", agents.size()},
                              {"clients", client_rows(*call).size()},
                              {"sessions", sessions}});
}

Task<Answer> agent_get(CallPtr call) {
  Answer answer;
  const AgentPtr agent = agent_of(*call, answer);
  if (!agent) co_return answer;
  co_return fine(json::object{{"id", agent->key}, {"isRunning", is_running(*call, agent->key)}});
}

Task<Answer> agent_wait(CallPtr call) {
  Answer answer;
  const AgentPtr agent = agent_of(*call, answer);
  if (!agent) co_return answer;
  co_return fine(json::object{{"id", agent->key},
                              {"status", is_running(*call, agent->key) ? "running" : "idle"}});
}

Task<Answer> agent_identity(CallPtr call) {
  Answer answer;
  const AgentPtr agent = agent_of(*call, answer);
  if (!agent) co_return answer;
  json::object payload{{"agentId", agent->key}, {"name", agent->name}};
  if (!agent->emoji.empty()) payload["emoji"] = agent->emoji;
  if (!agent->description.empty()) payload["description"] = agent->description;
  co_return fine(std::move(payload));
}

Task<Answer> agents_list(CallPtr call) {
  if (call->who.user.empty()) co_return refused(wire::kInvalidRequest, "user context required");
  json::array rows;
  for (const AgentPtr& agent : call->server.agents().all()) {
    rows.push_back(agent_row(*agent, is_running(*call, agent->key)));
  }
  co_return fine(json::object{{"agents", std::move(rows)}});
}

Task<Answer> models_list(CallPtr call) {
  auto listing = list_models(call->host());
  const std::vector<LlmModel> models = co_await std::move(listing);
  json::array rows;
  for (const LlmModel& model : models) {
    json::object row{{"id", model.id},
                     {"name", model.display_name.empty() ? model.id : model.display_name},
                     {"provider", model.provider},
                     {"available", model.available}};
    if (!model.available) row["reason"] = model.reason;
    if (model.context_window) row["contextWindow"] = *model.context_window;
    rows.push_back(std::move(row));
  }
  co_return fine(json::object{{"models", std::move(rows)}});
}

Task<Answer> tenants_mine(CallPtr call) {
  co_return fine(
      json::object{{"tenants", json::array{json::object{{"id", kTenantId},
                                                        {"name", "Master"},
                                                        {"slug", kTenantSlug},
                                                        {"role", role_name(call->who.role)},
                                                        {"status", "active"}}}}});
}

Task<Answer> tenants_list(CallPtr call) { return tenants_mine(std::move(call)); }

Task<Answer> quota_usage(CallPtr call) {
  auto listing = list_models(call->host());
  const std::vector<LlmModel> models = co_await std::move(listing);
  const auto& counts = call->server.usage().today(call->server.now_ms());
  co_return fine(json::object{{"enabled", false},
                              {"requestsToday", counts.requests},
                              {"costToday", cost_of(counts, models)},
                              {"inputTokensToday", counts.input_tokens},
                              {"outputTokensToday", counts.output_tokens},
                              {"uniqueUsersToday", counts.users.size()},
                              {"entries", json::array()}});
}

Task<Answer> usage_summary(CallPtr call) {
  const auto& counts = call->server.usage().today(call->server.now_ms());
  co_return fine(json::object{{"period", "today"},
                              {"requests", counts.requests},
                              {"inputTokens", counts.input_tokens},
                              {"outputTokens", counts.output_tokens},
                              {"users", counts.users.size()}});
}

Task<Answer> skills_list(CallPtr call) {
  SkillListRequest request;
  request.scope.principal = call->who.principal;
  request.scope.agent = text(call->params(), kAgent);
  const auto list = co_await ask<SkillList>(call->host(), std::move(request));
  if (!list.ok()) co_return failed(list.error());
  json::array rows;
  for (const Skill& skill : (*list)->skills) rows.push_back(skill_row(skill));
  co_return fine(json::object{{"skills", std::move(rows)}});
}

Task<Answer> skills_get(CallPtr call) {
  SkillGetRequest request;
  request.scope.principal = call->who.principal;
  request.name = text(call->params(), {"name", "slug", "id"});
  if (request.name.empty()) co_return refused(wire::kInvalidRequest, "name is required");
  const auto found = co_await ask<SkillGet>(call->host(), std::move(request));
  if (!found.ok()) co_return failed(found.error());
  json::object row = skill_row((*found)->skill);
  row["content"] = (*found)->content;
  co_return fine(std::move(row));
}

}  // namespace gantry::gateway
