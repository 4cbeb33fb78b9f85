// SPDX-License-Identifier: Apache-2.0
#include "observer_server.hpp"

#include "../support/listening_port.hpp"

#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/net_client.hpp>

#include <stdexcept>

namespace gantry::conformance {
namespace {

std::string configuration(const std::string& rest, const std::string& observation,
                          const std::string& platform) {
  std::string text =
      "plugins:\n  transport: {}\n  guard: {}\n  observation: {config: " + observation + "}\n";
  text += "  rest_observer: {config: " + rest + "}\n";
  if (!platform.empty()) text += "  " + platform + ": {}\n";
  return text;
}

/// As clients are told to do: ready when health says 200 (or asks for a token).
void wait_until_ready(std::uint16_t port) {
  const bool ready = testkit::eventually([port] {
    const int status = testkit::HttpClient("127.0.0.1", port).get("/api/healthz").status;
    return status == 200 || status == 401;
  });
  if (!ready) throw std::runtime_error("the observer did not become healthy");
}

}  // namespace

ObserverServer::ObserverServer(const std::string& rest_config,
                               const std::string& observation_config, const std::string& platform)
    : kernel_({.config = configuration(rest_config, observation_config, platform)}) {
  const Result<void> started = kernel_.start();
  if (!started.ok()) throw std::runtime_error(started.error().message);
  port_ = listening_port(kernel_.host(), "observer");
  wait_until_ready(port_);
}

}  // namespace gantry::conformance
