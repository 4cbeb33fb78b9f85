// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/service.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <string_view>
#include <utility>

#include "job.hpp"
#include "routes.hpp"

namespace gantry::perception_http {
namespace {

/// A picture of 25 MiB, which artifacts take, as base64.
constexpr std::int64_t kBodyBytes = 40LL * 1024 * 1024;

MountRequest mount_request(const std::string& listener) {
  return agent_http::mount_of(listener, all_routes(), [](const auto&, HttpRoute& route) {
    route.max_body = kBodyBytes;
    route.require_json_for_browsers = true;
  });
}

class PerceptionHttpPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_TRY(reconfigure());
    return serve_routes(host(), service_, [this](const Ref<HttpRequest>& request, auto answer) {
      return std::make_shared<PictureExchange>(host(), shared_, request, std::move(answer));
    });
  }

  Result<void> start() override {
    const Settings& settings = shared_.settings;
    return become_reachable(host(), listen_request(settings, settings.listener, true),
                            mount_request(settings.listener), "perception HTTP");
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(shared_.settings, read_settings(host().config_json()));
    return {};
  }

 private:
  Shared shared_;
  const agent_http::HttpService service_{all_routes(), &shared_.settings.cors_origins,
                                         [](std::string_view) { return true; }};
};

}  // namespace
}  // namespace gantry::perception_http

GANTRY_PLUGIN(gantry::perception_http::PerceptionHttpPlugin, "perception_http", "0.1.0")
