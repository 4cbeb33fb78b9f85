// SPDX-License-Identifier: Apache-2.0
#include "agent_server.hpp"

#include <gantry/contracts/http.hpp>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace gantry::conformance {
namespace {

std::string configuration(const std::map<std::string, std::string>& configs,
                          const std::string& state) {
  std::string text = "kernel: {state_dir: " + state + "}\nplugins:\n  transport: {}\n";
  std::map<std::string, std::string> all = configs;
  for (const char* plugin : {"store", "identity", "artifacts", "runs", "agent_http"}) {
    all.try_emplace(plugin, "{}");
  }
  for (auto [plugin, config] : all) {
    if (config == "off") continue;
    // Port 0: tests run side by side.
    if (plugin == "agent_http") {
      config.insert(1, config == "{}" ? "port: 0" : "port: 0, ");
    }
    text += "  " + plugin + ": {config: " + config + "}\n";
  }
  return text;
}

constexpr auto kPause = std::chrono::milliseconds(2);
constexpr int kAttempts = 2500;

/// The port that the plugin got for its listener; it listens a moment after it has started.
std::uint16_t agent_port(Host& host) {
  for (int attempt = 0; attempt < kAttempts; ++attempt, std::this_thread::sleep_for(kPause)) {
    const auto listeners = host.bus().call_wait<HttpListeners>({});
    if (!listeners.ok()) continue;
    for (const ListenerInfo& listener : (*listeners)->listeners) {
      if (listener.listener == "agent" && !listener.mounts.empty()) {
        return static_cast<std::uint16_t>(listener.port);
      }
    }
  }
  throw std::runtime_error("the agent's listener did not open");
}

}  // namespace

AgentServer::AgentServer(const std::map<std::string, std::string>& configs)
    : kernel_({.config = configuration(configs, state_.path().string())}) {
  const Result<void> started = kernel_.start();
  if (!started.ok()) throw std::runtime_error(started.error().message);
  port_ = agent_port(kernel_.host());
}

}  // namespace gantry::conformance
