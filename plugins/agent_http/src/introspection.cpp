// SPDX-License-Identifier: Apache-2.0
//
// What the agent would send to its model. Nothing is started: the agent's WebSocket plugin plans
// the query, the engine previews it.
#include <boost/json/array.hpp>

#include <algorithm>
#include <filesystem>

#include <gantry/agent_http/text.hpp>
#include "handlers.hpp"

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 2> kInteractionModes = {"chat", "agent"};
constexpr const char* kNoModelService = "Model service not available";
constexpr const char* kNotThatWorkspace =
    "SDK debug query plan does not accept payload-selected workspace paths";

/// Whether nobody else is named than who asks; answers when somebody is. Who has proven nothing may
/// name anybody.
bool is_own(Exchange& exchange, const std::optional<std::string>& named, std::string_view label) {
  const std::string_view user = trim(named ? std::string_view(*named) : std::string_view());
  if (user.empty() || exchange.who->implicit || user == exchange.who->subject) return true;
  exchange.answer(detail(403, std::string(label) + " cannot inspect another user's context"));
  return false;
}

/// What the routes without a body take from their query; nothing when it has been answered.
std::optional<AgentPlanRequest> request_of_query(Exchange& exchange) {
  const HttpRequest& request = exchange.request();
  AgentPlanRequest plan;
  plan.principal = exchange.who->subject;
  plan.model_id = parameter_of(request, "model_id");
  plan.model_provider = parameter_of(request, "model_provider");
  plan.interaction_mode = parameter_of(request, "interaction_mode");
  if (!plan.interaction_mode) return plan;
  const Field mode{
      .name = "interaction_mode", .kind = FieldKind::Choice, .options = kInteractionModes};
  const auto issues =
      check(json::value(*plan.interaction_mode), mode, {"query", json::string(mode.name)});
  if (issues.empty()) return plan;
  exchange.answer(invalid(issues));
  return std::nullopt;
}

AgentPlanRequest request_of_body(const Exchange& exchange) {
  const json::object& body = exchange.members();
  AgentPlanRequest plan;
  plan.principal = exchange.who->subject;
  plan.model_id = optional_text_of(body, "model_id");
  plan.model_provider = optional_text_of(body, "model_provider");
  plan.interaction_mode = optional_text_of(body, "interaction_mode");
  plan.tools = flag_of(body, "include_tools", true);
  plan.messages = Json(json_of(body, "messages", "[]"));
  plan.query = planned_query(body);
  return plan;
}

void refused(Exchange& exchange, const Error& error) {
  if (error.code != Code::InvalidArgument) return exchange.fail(error);
  const std::vector<Issue> issues = issues_of(error, exchange.body);
  exchange.answer(issues.empty() ? detail(422, error.message) : invalid(issues));
}

/// Plans and answers what `view` makes of it; `missing` is said when nobody plans.
template <class View>
void plan(Exchange& exchange, AgentPlanRequest request, View view, const char* missing = nullptr) {
  exchange.host().bus().call<AgentPlan>(
      std::move(request), [self = exchange.shared_from_this(), view,
                           missing](const Result<Ref<AgentPlanned>>& planned) {
        if (planned.ok()) return view(*self, **planned);
        if (missing != nullptr && planned.error().code == Code::Unavailable) {
          return self->fail(planned.error(), detail(503, missing));
        }
        refused(*self, planned.error());
      });
}

/// A view of the plan as an answer.
auto shown_by(json::object (*view)(const AgentPlanned&)) {
  return [view](Exchange& exchange, const AgentPlanned& planned) {
    exchange.answer(json_response(200, view(planned)));
  };
}

/// Inside one of the configured folders; with none any will do.
bool may_be_workspace(const std::string& path, const std::vector<std::string>& roots) {
  namespace fs = std::filesystem;
  if (roots.empty()) return true;
  const fs::path wanted = fs::path(path).lexically_normal();
  return std::any_of(roots.begin(), roots.end(), [&wanted](const std::string& text) {
    fs::path root = fs::path(text).lexically_normal();
    if (!root.has_filename()) root = root.parent_path();  // "/w/ann/" is "/w/ann"
    return wanted.is_absolute() &&
           std::mismatch(root.begin(), root.end(), wanted.begin(), wanted.end()).first ==
               root.end();
  });
}

}  // namespace

void list_models(Exchange& exchange) {
  auto request = request_of_query(exchange);
  if (!request ||
      !is_own(exchange, parameter_of(exchange.request(), "user_id"), "SDK debug models")) {
    return;
  }
  request->tools = false;
  const auto with_catalogue = [](Exchange& asked, const AgentPlanned& planned) {
    asked.host().bus().call<AgentModels>(
        {asked.who->subject},
        [self = asked.shared_from_this(), planned](const Result<Ref<AgentModelRows>>& models) {
          if (!models.ok()) return self->fail(models.error(), detail(503, kNoModelService));
          const auto view = models_view(planned, **models);
          self->answer(view ? json_response(200, *view)
                            : detail(502, "Model service returned an invalid catalog"));
        });
  };
  plan(exchange, std::move(*request), with_catalogue, kNoModelService);
}

void list_tool_schemas(Exchange& exchange) {
  auto request = request_of_query(exchange);
  if (!request ||
      !is_own(exchange, parameter_of(exchange.request(), "user_id"), "SDK debug tool schemas")) {
    return;
  }
  plan(exchange, std::move(*request), shown_by(&tool_schemas_view));
}

void describe_tool(Exchange& exchange) {
  auto request = request_of_query(exchange);
  if (!request) return;
  plan(exchange, std::move(*request), [](Exchange& asked, const AgentPlanned& planned) {
    const std::string& name = asked.parameter("tool_name");
    const auto tool = std::find_if(planned.tools.begin(), planned.tools.end(),
                                   [&name](const AgentTool& one) { return one.name == name; });
    asked.answer(tool == planned.tools.end() ? detail(404, "Tool not found")
                                             : json_response(200, tool_view(planned, *tool)));
  });
}

void show_system_prompt(Exchange& exchange) {
  auto request = request_of_query(exchange);
  if (!request ||
      !is_own(exchange, parameter_of(exchange.request(), "user_id"), "SDK debug system prompt")) {
    return;
  }
  plan(exchange, std::move(*request), shown_by(&system_prompt_view));
}

void preview_prompt(Exchange& exchange) {
  const auto user = optional_text_of(exchange.members(), "user_id");
  if (!is_own(exchange, user, "SDK debug prompt preview")) return;
  plan(exchange, request_of_body(exchange), shown_by(&prompt_preview_view));
}

void plan_query(Exchange& exchange) {
  const json::object& body = exchange.members();
  if (!is_own(exchange, optional_text_of(body, "user_id"), "SDK debug query plan")) return;
  const std::string workspace(trim(text_of(body, "workspace_path")));
  if (!workspace.empty() && !may_be_workspace(workspace, settings_of(exchange).workspace_roots)) {
    return exchange.answer(detail(403, kNotThatWorkspace));
  }
  plan(exchange, request_of_body(exchange), shown_by(&query_plan_view));
}

}  // namespace gantry::agent_http
