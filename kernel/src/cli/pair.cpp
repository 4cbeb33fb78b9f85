// SPDX-License-Identifier: Apache-2.0
// pair: who may use the gateway without its token, decided at the daemon's machine.
#include <gantry/contracts/gateway.hpp>
#include <gantry/iso_time.hpp>

#include <cstdio>

#include "cli/access.hpp"

namespace gantry::cli {
namespace {

int refused(const Error& error) {
  complain(error.message + " [" + std::string(code_name(error.code)) + "]");
  return error.code == Code::Unavailable ? kUnavailable : kFailed;
}

int list(Access& access) {
  const auto found = call_typed<GatewayPairings>(access, {});
  if (!found.ok()) return refused(found.error());
  std::vector<std::vector<std::string>> rows{
      {"STATE", "CODE", "DEVICE", "CHANNEL", "USER", "UNTIL", "FROM"}};
  for (const GatewayPairingRequest& row : (*found)->waiting) {
    rows.push_back({"waiting", row.code, row.sender, row.channel, row.user,
                    iso_time_of(row.expires_ms), row.address});
  }
  for (const GatewayDevice& row : (*found)->paired) {
    rows.push_back(
        {"paired", "-", row.sender, row.channel, row.user, iso_time_of(row.expires_ms), row.by});
  }
  std::fputs(table(rows).c_str(), stdout);
  return kOk;
}

int decide(Access& access, const std::string& code, bool approve) {
  GatewayPairRequest request;
  request.code = code;
  request.approve = approve;
  const auto device = call_typed<GatewayPair>(access, request);
  if (!device.ok()) return refused(device.error());
  std::printf("%s %s %s\n", approve ? "paired" : "turned away", (*device)->channel.c_str(),
              (*device)->sender.c_str());
  return kOk;
}

int revoke(Access& access, const std::string& sender) {
  GatewayUnpairRequest request;
  const std::size_t slash = sender.find('/');
  if (slash != std::string::npos) request.channel = sender.substr(0, slash);
  request.sender = slash == std::string::npos ? sender : sender.substr(slash + 1);
  const auto gone = call_typed<GatewayUnpair>(access, request);
  if (!gone.ok()) return refused(gone.error());
  std::printf("revoked %s %s\n", request.channel.c_str(), request.sender.c_str());
  return kOk;
}

}  // namespace

int pair(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  const std::string verb = words.empty() ? "list" : words[0];
  const bool bare = verb == "list" && words.size() <= 1;
  const bool named = (verb == "approve" || verb == "deny" || verb == "revoke") && words.size() == 2;
  if (!bare && !named) {
    complain("usage: gantry pair [list | approve CODE | deny CODE | revoke [CHANNEL/]DEVICE]");
    return kUsage;
  }
  const auto access = open_daemon(invocation);
  if (!access.ok()) return refused(access.error());
  if (bare) return list(**access);
  return verb == "revoke" ? revoke(**access, words[1])
                          : decide(**access, words[1], verb == "approve");
}

}  // namespace gantry::cli
