// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/gateway.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/identity.hpp>
#include <gantry/contracts/schedule.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <utility>

#include "http.hpp"
#include "pair_contracts.hpp"
#include "server.hpp"
#include "session_keys.hpp"
#include "settings.hpp"

namespace gantry::gateway {
namespace {

/// A message above this closes the connection (1009).
constexpr std::int64_t kMaxFrame = 524'288;
constexpr std::uint32_t kFramesInFlight = 8;

class GatewayPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
    server_ = std::make_unique<Server>(host(), std::move(settings));
    GANTRY_TRY(serve_websockets(host(), kFramesInFlight,
                                [this](const WsOpening& opening, Stream<WsMessage> down) {
                                  return server_->accept(opening, std::move(down));
                                }));
    GANTRY_TRY(host().bus().serve<HttpHandle>(
        [this](const Ref<HttpRequest>& request, const CallInfo&, Reply<HttpHandle> reply) {
          answer_http(*server_, request, std::move(reply));
        }));
    GANTRY_TRY(serve_pairing(*server_));
    GANTRY_ASSIGN(revocations_, host().bus().subscribe<CredentialRevoked>(
                                    [this](const CredentialRevokedEvent& event) {
                                      server_->revoked(event.credential_id);
                                    }));
    GANTRY_ASSIGN(jobs_, host().bus().subscribe<ScheduleChanged>(
                             [this](const ScheduleChangedEvent& event) { tell_job(event); }));
    return {};
  }

  /// Waits for the listener, so that a daemon that says it is ready is reachable.
  Result<void> start() override {
    server_->load();
    const Settings& settings = server_->settings();
    return become_reachable(host(), listen_request(settings, settings.listener, true),
                            mounts(settings, kMaxFrame), "gateway");
  }

  void stop(Deadline) override { server_->close(); }

 private:
  void tell_job(const ScheduleChangedEvent& event) {
    if (event.run) own_session(*event.run);
    const auto payload = job_event(event);
    if (!payload.is_null()) server_->tell(event.job.principal, "cron", payload);
  }

  /// The session of a scheduled run is its owner's; administrators find it by that.
  void own_session(const ScheduledRun& run) {
    const SessionKey& session = run.session;
    if (session.workspace != kWorkspace || server_->sessions().find(session.key) != nullptr) return;
    SessionOwner owner{user_of(session.principal), session.principal, parts_of(session.key).agent};
    server_->run(server_->sessions().own(session.key, std::move(owner)), [](const Result<void>&) {
      // Without a store the session's owner is known for as long as the daemon runs.
    });
  }

  std::unique_ptr<Server> server_;
  Subscription revocations_;
  Subscription jobs_;
};

}  // namespace
}  // namespace gantry::gateway

GANTRY_PLUGIN(gantry::gateway::GatewayPlugin, "gateway_v3", "0.1.0")
