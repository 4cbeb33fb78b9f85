// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/agent_backend.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/identity.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <utility>

#include "model_rows.hpp"
#include "plan.hpp"
#include "server.hpp"
#include "settings.hpp"

namespace gantry::agent_ws {
namespace {

/// Above 10 MiB a message is answered with an error; only above this the connection is closed.
constexpr std::int64_t kMaxFrame = 16 << 20;
/// Messages of one client on their way to the plugin.
constexpr std::uint32_t kFramesInFlight = 8;

class AgentWsPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(Settings settings, from_json<Settings>(host().config_json()));
    server_ = std::make_unique<Server>(host(), std::move(settings));
    GANTRY_TRY(serve_websockets(host(), kFramesInFlight,
                                [this](const WsOpening& opening, Stream<WsMessage> down) {
                                  return server_->accept(opening, std::move(down));
                                }));
    GANTRY_TRY(host().bus().serve<AgentPlan>(
        [this](const Ref<AgentPlanRequest>& request, const CallInfo&, Reply<AgentPlan> reply) {
          auto answer = std::make_shared<Reply<AgentPlan>>(std::move(reply));
          answer_plan(*server_, *request,
                      [answer](Result<AgentPlanned> planned) { (*answer)(std::move(planned)); });
        }));
    GANTRY_TRY(host().bus().serve<AgentModels>(
        [this](const Ref<AgentModelsRequest>& request, const CallInfo&, Reply<AgentModels> reply) {
          auto answer = std::make_shared<Reply<AgentModels>>(std::move(reply));
          server_->list_models(
              server_->settings_of(request->principal).credentials(),
              [answer](const std::vector<LlmModel>& models) {
                const ModelGroups groups = model_groups(models);
                (*answer)(AgentModelRows{Json(to_json(groups)), Json(to_json(flat_rows(groups)))});
              });
        }));
    GANTRY_ASSIGN(revocations_, host().bus().subscribe<CredentialRevoked>(
                                    [this](const CredentialRevokedEvent& event) {
                                      server_->revoked(event.credential_id);
                                    }));
    return {};
  }

  /// Waits for the listener, so that a daemon that says it is ready is reachable; a failure is the
  /// start's, and the kernel tries again.
  Result<void> start() override {
    const Settings& settings = server_->settings();
    if (settings.port < 0) {
      late_mount_.begin(mounts(), "agent WebSocket");
      return {};
    }
    return become_reachable(host(), listen_request(settings, settings.listener, true), mounts(),
                            "agent WebSocket");
  }

  void stop(Deadline) override {
    late_mount_.cancel();
    server_->close();
  }

 private:
  [[nodiscard]] MountRequest mounts() const {
    MountRequest mount;
    mount.listener = server_->settings().listener;
    mount.own_authentication = true;  // in the handshake, by the install token
    mount.error_template = R"({"detail":{message}})";
    HttpRoute route;
    route.kind = MountKind::WebSocket;
    route.path = server_->settings().path;
    route.id = "ws";
    route.max_message = kMaxFrame;
    mount.routes.push_back(std::move(route));
    return mount;
  }

  std::unique_ptr<Server> server_;
  Subscription revocations_;
  LateMount late_mount_{host()};
};

}  // namespace
}  // namespace gantry::agent_ws

GANTRY_PLUGIN(gantry::agent_ws::AgentWsPlugin, "agent_ws", "0.1.0")
