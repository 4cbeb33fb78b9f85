// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/service.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "exchange.hpp"
#include "failures.hpp"
#include "keys.hpp"
#include "routes.hpp"
#include "settings.hpp"

namespace gantry::agent_http {
namespace {

/// Uploads are a bit larger than what is in them; how large that may be, `artifacts` says.
constexpr std::int64_t kUploadBytes = 64LL * 1024 * 1024;

MountRequest mount_request(const std::string& listener) {
  MountRequest mount = mount_of(listener, all_routes(), [](const Route& row, HttpRoute& route) {
    const bool upload = row.path == "/api/artifacts/";
    if (upload) route.max_body = kUploadBytes;
    route.require_json_for_browsers = !upload;
  });
  mount.not_found_id = "none";
  return mount;
}

class AgentHttpPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_TRY(reconfigure());
    return serve_routes(host(), service_, [this](const Ref<HttpRequest>& request, auto answer) {
      auto counted = [this, request, answer = std::move(answer)](HttpResponse response) {
        count_failure(host(), *request, response);
        answer(std::move(response));
      };
      return std::make_shared<AgentExchange>(host(), settings_, request, std::move(counted));
    });
  }

  Result<void> start() override {
    return become_reachable(host(), listen_request(settings_, settings_.listener, true),
                            mount_request(settings_.listener), "agent HTTP");
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
    return {};
  }

 private:
  Settings settings_;
  const HttpService service_{all_routes(), &settings_.cors_origins, [this](std::string_view path) {
                               return needs_token(path, settings_);
                             }};
};

}  // namespace
}  // namespace gantry::agent_http

GANTRY_PLUGIN(gantry::agent_http::AgentHttpPlugin, "agent_http", "0.1.0")
