// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <gantry/contract.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "history_rows.hpp"
#include "manifest.hpp"
#include "message.hpp"
#include "server.hpp"
#include "transparency.hpp"
#include "turn_request.hpp"
#include "user_message.hpp"

namespace gantry::agent_ws {
namespace {

ManifestReport manifest_of(const QueryPayload& query) {
  if (!query.agent_definition || !query.agent_definition->tools) return {};
  return check_manifest(query.agent_definition->tools->client_manifest);
}

/// Takes the user's last message out of a conversation, when it ends with one.
HistoryRow last_said(std::vector<HistoryRow>& rows) {
  if (rows.empty() || rows.back().role != RowRole::User) return {};
  HistoryRow row = std::move(rows.back());
  rows.pop_back();
  return row;
}

Json query_message(const Plan& plan) {
  PlannedQuery message;
  message.payload.text = plan.typed;
  if (plan.user.text != plan.typed) message.payload.content = plan.user.text;
  const auto given = from_json<PlannedPayload>(plan.query);
  if (given.ok()) {
    message.payload.conversation_ref = given->conversation_ref;
    message.payload.workspace_path = given->workspace_path;
    message.payload.agent_definition = given->agent_definition;
  }
  return Json(to_json(message));
}

Json events_of(const Plan& plan, const TurnPreviewed& preview) {
  const PromptBuiltBody prompt{preview.system_prompt, plan.preview.turn.options.layers,
                               preview.tools};
  std::string out = "[";
  for (const NamedPayload& named : prompt_events(prompt, plan.user)) {
    if (named.type == kUserMessageFull && plan.user.text.empty()) continue;
    if (named.type == kToolSchemas && !plan.tools) continue;
    if (out.size() > 1) out += ',';
    out += R"({"type":")" + named.type + R"(","payload":)" + named.payload + '}';
  }
  return Json(out + ']');
}

}  // namespace

Result<Plan> plan_query(const Settings& settings, ClientSettings client,
                        const AgentPlanRequest& request) {
  GANTRY_ASSIGN(const QueryPayload query, read_planned_query(request.query.text));
  RehydratePayload conversation;
  GANTRY_ASSIGN(conversation.messages, read_planned_messages(request.messages.text));
  GANTRY_ASSIGN(Rehydrated said, rows_from_messages(conversation));
  client.choose(request.model_id, request.model_provider, request.interaction_mode);
  Plan plan{std::move(client), request.query.text,   request.tools,
            query.text,        last_said(said.rows), {}};
  if (plan.user.text.empty()) plan.user.text = user_message(query);
  if (plan.typed.empty()) plan.typed = raw_query(plan.user.text);
  const AgentDefinition* definition = query.agent_definition ? &*query.agent_definition : nullptr;
  const ManifestReport manifest = manifest_of(query);
  TurnStartRequest& turn = plan.preview.turn;
  turn.session = {request.principal, kWorkspace, query.conversation_ref};
  turn.text = plan.user.text;
  turn.attachments = screenshot_refs(query);
  turn.options = turn_options({settings, plan.client, definition, manifest}, query);
  if (!request.tools) {
    turn.options.client_tools.clear();
    turn.options.tools.allow.emplace().clear();
  }
  plan.preview.history = std::move(said.rows);
  return plan;
}

AgentPlanned describe_plan(Plan plan, TurnPreviewed preview, AgentToolList tools) {
  AgentPlanned planned;
  if (plan.client.values().selected_model_id.empty()) {
    plan.client.show_model(preview.provider, preview.model);
  }
  planned.config = plan.client.config();
  std::vector<PromptMessage> messages;
  for (const HistoryRow& row : preview.messages) messages.push_back(prompt_message(row));
  planned.messages = Json(to_json(messages));
  if (!plan.user.text.empty()) planned.user_message = Json(to_json(user_message_full(plan.user)));
  planned.query_message = query_message(plan);
  planned.transparency = events_of(plan, preview);
  planned.turn = std::move(plan.preview.turn);
  planned.turn.options.provider_keys.clear();
  planned.preview = std::move(preview);
  planned.tools = std::move(tools.tools);
  return planned;
}

namespace {

void ask_engine(Server& server, const AgentPlanRequest& request,
                std::function<void(Result<AgentPlanned>)> done) {
  Result<Plan> made = plan_query(server.settings(), server.settings_of(request.principal), request);
  if (!made.ok()) return done(made.error());
  auto plan = std::make_shared<Plan>(std::move(*made));
  Host& host = server.host();
  host.bus().call<TurnPreview>(plan->preview, [&host, plan, done = std::move(done)](
                                                  const Result<Ref<TurnPreviewed>>& preview) {
    if (!preview.ok()) return done(preview.error());
    const TurnOptions& options = plan->preview.turn.options;
    host.bus().call<AgentTools>(
        {options.mode, options.client_tools, options.tools},
        [plan, done, preview = *preview](const Result<Ref<AgentToolList>>& tools) {
          if (!tools.ok()) return done(tools.error());
          done(describe_plan(std::move(*plan), *preview, **tools));
        });
  });
}

}  // namespace

void answer_plan(Server& server, const AgentPlanRequest& request,
                 std::function<void(Result<AgentPlanned>)> done) {
  server.with_settings(request.principal, [&server, request, done = std::move(done)]() mutable {
    ask_engine(server, request, std::move(done));
  });
}

}  // namespace gantry::agent_ws
