// SPDX-License-Identifier: Apache-2.0
#include "pair_contracts.hpp"

#include <gantry/contracts/gateway.hpp>

#include <memory>
#include <utility>

#include "server.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kBy = "gantry pair";

GatewayDevice shown(const Device& device) {
  return {device.sender,    device.channel,   device.user,
          device.paired_by, device.paired_ms, device.expires_ms};
}

GatewayPairingList list(Server& server) {
  GatewayPairingList out;
  for (const PairingRequest& row : server.devices().requests().waiting(server.now_ms())) {
    out.waiting.push_back(
        {row.code, row.sender, row.channel, row.user, row.address, row.created_ms, row.expires_ms});
  }
  for (const auto& [key, device] : server.devices().paired()) out.paired.push_back(shown(device));
  return out;
}

void resolved(Server& server, std::string_view action) {
  server.tell_admins("device.pair.resolved", boost::json::object{{"action", action}});
}

GatewayDevice turned_away(const PairingRequest& request) {
  GatewayDevice device;
  device.sender = request.sender;
  device.channel = request.channel;
  device.user = request.user;
  device.by = kBy;
  return device;
}

}  // namespace

Result<void> serve_pairing(Server& server) {
  Bus& bus = server.host().bus();
  GANTRY_TRY(bus.serve<GatewayPairings>(
      [&server](const Nothing&) -> Result<GatewayPairingList> { return list(server); }));
  GANTRY_TRY(bus.serve<GatewayPair>(
      [&server](const Ref<GatewayPairRequest>& request, const CallInfo&, Reply<GatewayPair> reply) {
        auto answer = std::make_shared<Reply<GatewayPair>>(std::move(reply));
        if (!request->approve) {
          return server.run(server.devices().deny(request->code),
                            [&server, answer](const Result<PairingRequest>& denied) {
                              if (!denied.ok()) return answer->fail(denied.error());
                              resolved(server, "denied");
                              (*answer)(turned_away(*denied));
                            });
        }
        server.run(server.devices().approve(request->code, kBy),
                   [&server, answer](const Result<Device>& device) {
                     if (!device.ok()) return answer->fail(device.error());
                     resolved(server, "approved");
                     (*answer)(shown(*device));
                   });
      }));
  return bus.serve<GatewayUnpair>([&server](const Ref<GatewayUnpairRequest>& request,
                                            const CallInfo&, Reply<GatewayUnpair> reply) {
    auto answer = std::make_shared<Reply<GatewayUnpair>>(std::move(reply));
    server.run(server.devices().revoke(request->channel, request->sender),
               [&server, answer](const Result<void>& gone) {
                 if (!gone.ok()) return answer->fail(gone.error());
                 resolved(server, "revoked");
                 (*answer)(Done{});
               });
  });
}

boost::json::value job_event(const ScheduleChangedEvent& event) {
  if (!event.run) return nullptr;
  const ScheduledRun& run = *event.run;
  std::string_view action = "running";
  if (event.change == ScheduleChange::RunFinished) {
    action = run.status == ScheduledRunStatus::Succeeded ? "completed" : "error";
  }
  boost::json::object payload{{"action", action}, {"jobId", run.job}, {"jobName", run.job_name}};
  if (!run.error.empty()) payload["error"] = run.error;
  return payload;
}

}  // namespace gantry::gateway
