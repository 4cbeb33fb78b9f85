// SPDX-License-Identifier: Apache-2.0
#include "agent_server.hpp"

#include "../support/listening_port.hpp"
#include "embedding_fixture.hpp"
#include "perception_doubles.hpp"

#include <stdexcept>

namespace gantry::conformance {
namespace {

/// In place of a plugin: what serves embeddings (embedding_fixture.hpp).
constexpr const char* kFixture = "embedding_fixture";

std::string configuration(const std::map<std::string, std::string>& configs,
                          const std::string& state) {
  std::string text = "kernel: {state_dir: " + state + "}\nplugins:\n  transport: {}\n";
  std::map<std::string, std::string> all = configs;
  for (const char* plugin : {"store", "identity", "artifacts", "runs", "agent_http"}) {
    all.try_emplace(plugin, "{}");
  }
  for (auto [plugin, config] : all) {
    if (config == "off" || plugin == kFixture) continue;
    // Port 0: tests run side by side.
    if (plugin == "agent_http" || plugin == "perception_http") {
      config.insert(1, config == "{}" ? "port: 0" : "port: 0, ");
    }
    text += "  " + plugin + ": {config: " + config + "}\n";
  }
  return text;
}

}  // namespace

AgentServer::AgentServer(const std::map<std::string, std::string>& configs)
    : kernel_({.config = configuration(configs, state_.path().string())}) {
  const Result<void> started = kernel_.start();
  if (!started.ok()) throw std::runtime_error(started.error().message);
  if (configs.contains("perception_http")) serve_perception_doubles(kernel_.host());
  const auto fixture = configs.find(kFixture);
  if (fixture != configs.end()) serve_embeddings(kernel_.host(), fixture->second);
}

std::uint16_t AgentServer::port(const std::string& listener) {
  return listening_port(kernel_.host(), listener);
}

}  // namespace gantry::conformance
