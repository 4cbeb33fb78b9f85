// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/service.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "routes.hpp"
#include "settings.hpp"

namespace gantry::embedding_service {
namespace {

class ServicePlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_TRY(reconfigure());
    return serve_routes(host(), service_, [this](const Ref<HttpRequest>& request, auto answer) {
      return std::make_shared<ServiceExchange>(host(), settings_, request, std::move(answer));
    });
  }

  Result<void> start() override {
    MountRequest mount = agent_http::mount_of(settings_.listener, all_routes(),
                                              [](const agent_http::Route&, HttpRoute&) {});
    mount.not_found_id = "none";
    return become_reachable(host(), listen_request(settings_, settings_.listener, true),
                            std::move(mount), "embedding service");
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
    if (settings_.api_key.empty()) {
      host().degraded("key", "embedding_service has no key, so /embed answers 503",
                      "set embedding_service.api_key or WINDIE_EMBEDDING_SERVICE_API_KEY");
    } else {
      host().healthy("key");
    }
    return {};
  }

 private:
  Settings settings_;
  const std::vector<std::string> no_origins_;
  const agent_http::HttpService service_{all_routes(), &no_origins_,
                                         [](std::string_view) { return false; }};
};

}  // namespace
}  // namespace gantry::embedding_service

GANTRY_PLUGIN(gantry::embedding_service::ServicePlugin, "embedding_service", "0.1.0")
