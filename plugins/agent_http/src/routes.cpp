// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <array>

#include "handlers.hpp"
#include "keys.hpp"
#include "models.hpp"

namespace gantry::agent_http {
namespace {

const std::array<Route, 29> kRoutes = {{
    {"POST", "/api/install/register", nullptr, &kRegisterBody, &register_install},
    {"GET", "/api/install/me", nullptr, nullptr, &who_am_i},
    {"POST", "/api/embeddings/", nullptr, &kEmbedBody, &embed},
    {"GET", "/api/embeddings/health", nullptr, nullptr, &embeddings_health},
    {"POST", "/api/semantic/summarize", nullptr, &kSummarizeBody, &summarize},
    {"POST", "/api/semantic/title", nullptr, &kTitleBody, &make_title},
    {"GET", "/api/semantic/health", nullptr, nullptr, &semantic_health},
    {"POST", "/api/artifacts/", nullptr, nullptr, &upload_artifact},
    {"GET", "/api/artifacts/{artifact_id}", nullptr, nullptr, &download_artifact},
    {"GET", "/api/sdk/models", nullptr, nullptr, &list_models},
    {"GET", "/api/sdk/tool-schemas", nullptr, nullptr, &list_tool_schemas},
    {"GET", "/api/sdk/tool-capabilities/{tool_name}", nullptr, nullptr, &describe_tool},
    {"GET", "/api/sdk/system-prompt", nullptr, nullptr, &show_system_prompt},
    {"POST", "/api/sdk/prompt-preview", nullptr, &kPromptPreviewBody, &preview_prompt},
    {"POST", "/api/sdk/query-plan", nullptr, &kQueryPlanBody, &plan_query},
    // Where earlier clients look for them.
    {"GET", "/api/sdk/debug/models", nullptr, nullptr, &list_models},
    {"GET", "/api/sdk/debug/tool-schemas", nullptr, nullptr, &list_tool_schemas},
    {"GET", "/api/sdk/debug/tool-capabilities/{tool_name}", nullptr, nullptr, &describe_tool},
    {"GET", "/api/sdk/debug/system-prompt", nullptr, nullptr, &show_system_prompt},
    {"POST", "/api/sdk/debug/prompt-preview", nullptr, &kPromptPreviewBody, &preview_prompt},
    {"POST", "/api/sdk/debug/query-plan", nullptr, &kQueryPlanBody, &plan_query},
    {"POST", "/api/runs/", &runs_key, &kCreateRunBody, &create_run},
    {"POST", "/api/runs/workers/heartbeat", &runs_key, &kHeartbeatBody, &worker_heartbeat},
    {"POST", "/api/runs/stop-all", &stop_all_key, &kStopAllBody, &stop_all_runs},
    {"GET", "/api/runs/{run_id}", &runs_key, nullptr, &get_run},
    {"GET", "/api/runs/{run_id}/events", &runs_key, nullptr, &get_run_events},
    {"POST", "/api/runs/{run_id}/events", &runs_key, &kRunEventBody, &post_run_event},
    {"POST", "/api/runs/{run_id}/control", &runs_key, &kRunControlBody, &control_run},
    {"POST", "/api/runs/{run_id}/worker-dispatched", &runs_key, &kDispatchedBody, &run_dispatched},
}};

}  // namespace

std::span<const Route> all_routes() { return kRoutes; }

}  // namespace gantry::agent_http
