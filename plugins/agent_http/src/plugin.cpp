// SPDX-License-Identifier: Apache-2.0
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <string>
#include <utility>

#include "cors.hpp"
#include "routes.hpp"
#include "service.hpp"
#include "settings.hpp"

namespace gantry::agent_http {
namespace {

/// Uploads are a bit larger than what is in them; how large that may be, `artifacts` says.
constexpr std::int64_t kUploadBytes = 64LL * 1024 * 1024;

/// Refusals of the listener in the protocol's words.
constexpr const char* kRefusal = R"({"detail":{message}})";

MountRequest mount_request(const std::string& listener) {
  MountRequest mount;
  mount.listener = listener;
  mount.error_template = kRefusal;
  mount.own_authentication = true;
  mount.not_found_id = "none";
  mount.routes = routes_by_path(all_routes(), [](const Route& row, HttpRoute& route) {
    const bool upload = row.path == "/api/artifacts/";
    if (upload) route.max_body = kUploadBytes;
    route.require_json_for_browsers = !upload;
  });
  return mount;
}

class AgentHttpPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_TRY(reconfigure());
    return host().bus().serve<HttpHandle>(
        [this](const Ref<HttpRequest>& request, const CallInfo&, Reply<HttpHandle> reply) {
          auto answer = std::make_shared<Reply<HttpHandle>>(std::move(reply));
          const auto exchange = std::make_shared<Exchange>(
              host(), settings_, request, [this, request, answer](HttpResponse response) {
                allow_origin(*request, settings_.cors_origins, response);
                (*answer)(std::move(response));
              });
          serve(exchange);
          const std::weak_ptr<Exchange> weak = exchange;
          answer->on_cancel([weak] {
            if (const auto gone = weak.lock()) gone->gone();
          });
        });
  }

  Result<void> start() override {
    ListenRequest request = listen_request(settings_, settings_.listener, true);
    request.allowed_origins = settings_.cors_origins;
    GANTRY_ASSIGN(
        const auto listener,
        open_listener(host(), std::move(request), mount_request(settings_.listener), "agent_http"));
    host().healthy("listener");
    host().log().info("agent HTTP ready", {{"address", listener->address}});
    return {};
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
    return {};
  }

 private:
  Settings settings_;
};

}  // namespace
}  // namespace gantry::agent_http

GANTRY_PLUGIN(gantry::agent_http::AgentHttpPlugin, "agent_http", "0.1.0")
