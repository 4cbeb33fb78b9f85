// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "handlers.hpp"
#include "models.hpp"

namespace gantry::agent_http {
namespace {

using K = KeyKind;

const std::array<Route, 29> kRoutes = {{
    {"POST", "/api/install/register", K::None, &kRegisterBody, &register_install},
    {"GET", "/api/install/me", K::None, nullptr, &who_am_i},
    {"POST", "/api/embeddings/", K::None, &kEmbedBody, &embed},
    {"GET", "/api/embeddings/health", K::None, nullptr, &embeddings_health},
    {"POST", "/api/semantic/summarize", K::None, &kSummarizeBody, &summarize},
    {"POST", "/api/semantic/title", K::None, &kTitleBody, &make_title},
    {"GET", "/api/semantic/health", K::None, nullptr, &semantic_health},
    {"POST", "/api/artifacts/", K::None, nullptr, &upload_artifact},
    {"GET", "/api/artifacts/{artifact_id}", K::None, nullptr, &download_artifact},
    {"GET", "/api/sdk/models", K::None, nullptr, &list_models},
    {"GET", "/api/sdk/tool-schemas", K::None, nullptr, &list_tool_schemas},
    {"GET", "/api/sdk/tool-capabilities/{tool_name}", K::None, nullptr, &describe_tool},
    {"GET", "/api/sdk/system-prompt", K::None, nullptr, &show_system_prompt},
    {"POST", "/api/sdk/prompt-preview", K::None, &kPromptPreviewBody, &preview_prompt},
    {"POST", "/api/sdk/query-plan", K::None, &kQueryPlanBody, &plan_query},
    // Where earlier clients look for them.
    {"GET", "/api/sdk/debug/models", K::None, nullptr, &list_models},
    {"GET", "/api/sdk/debug/tool-schemas", K::None, nullptr, &list_tool_schemas},
    {"GET", "/api/sdk/debug/tool-capabilities/{tool_name}", K::None, nullptr, &describe_tool},
    {"GET", "/api/sdk/debug/system-prompt", K::None, nullptr, &show_system_prompt},
    {"POST", "/api/sdk/debug/prompt-preview", K::None, &kPromptPreviewBody, &preview_prompt},
    {"POST", "/api/sdk/debug/query-plan", K::None, &kQueryPlanBody, &plan_query},
    {"POST", "/api/runs/", K::Runs, &kCreateRunBody, &create_run},
    {"POST", "/api/runs/workers/heartbeat", K::Runs, &kHeartbeatBody, &worker_heartbeat},
    {"POST", "/api/runs/stop-all", K::StopAll, &kStopAllBody, &stop_all_runs},
    {"GET", "/api/runs/{run_id}", K::Runs, nullptr, &get_run},
    {"GET", "/api/runs/{run_id}/events", K::Runs, nullptr, &get_run_events},
    {"POST", "/api/runs/{run_id}/events", K::Runs, &kRunEventBody, &post_run_event},
    {"POST", "/api/runs/{run_id}/control", K::Runs, &kRunControlBody, &control_run},
    {"POST", "/api/runs/{run_id}/worker-dispatched", K::Runs, &kDispatchedBody, &run_dispatched},
}};

using Parameters = std::map<std::string, std::string, std::less<>>;

/// The first segment of a path without its slash; both lose it.
std::string_view pop_segment(std::string_view& path) {
  const std::size_t slash = path.find('/', 1);
  const std::string_view segment = path.substr(1, slash == path.npos ? path.npos : slash - 1);
  path.remove_prefix(std::min(path.size(), slash));
  return segment;
}

bool matches(std::string_view pattern, std::string_view path, Parameters& parameters) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = pop_segment(pattern);
    const std::string_view given = pop_segment(path);
    if (!wanted.starts_with('{')) {
      if (wanted != given) return false;
    } else if (given.empty()) {
      return false;
    } else {
      parameters[std::string(wanted.substr(1, wanted.size() - 2))] = given;
    }
  }
  return pattern.empty() && path.empty();
}

bool exists(std::string_view path) {
  return std::any_of(kRoutes.begin(), kRoutes.end(), [path](const Route& route) {
    Parameters unused;
    return matches(route.path, path, unused);
  });
}

}  // namespace

std::span<const Route> all_routes() { return kRoutes; }

Found find_route(std::string_view method, std::string_view path) {
  Found found;
  std::set<std::string_view> others;
  for (const Route& route : kRoutes) {
    Parameters parameters;
    if (!matches(route.path, path, parameters)) continue;
    if (route.method == method) {
      found.route = &route;
      found.parameters = std::move(parameters);
      return found;
    }
    others.insert(route.method);
  }
  for (const std::string_view other : others) {
    found.allow += (found.allow.empty() ? "" : ", ") + std::string(other);
  }
  if (!others.empty() || path.size() < 2) return found;
  const std::string turned(path.ends_with('/') ? path.substr(0, path.size() - 1)
                                               : std::string(path) + "/");
  if (exists(turned)) found.redirect_to = turned;
  return found;
}

}  // namespace gantry::agent_http
