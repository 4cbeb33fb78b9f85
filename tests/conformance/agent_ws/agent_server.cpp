// SPDX-License-Identifier: Apache-2.0
#include "agent_server.hpp"

#include "../support/listening_port.hpp"

#include <stdexcept>
#include <utility>

namespace gantry::conformance {
namespace {

/// The first member of a flow map.
std::string with(const std::string& flow, const std::string& member) {
  return "{" + member + (flow == "{}" ? "" : ", ") + flow.substr(1);
}

std::string configuration(const std::filesystem::path& state,
                          std::map<std::string, std::string> config) {
  config.try_emplace("identity", "{install_auth_enabled: false}");
  for (const char* name :
       {"transport", "store", "artifacts", "agent_engine", "llm_scripted", "agent_ws"}) {
    config.try_emplace(name, "{}");
  }
  const auto quoted = [](const std::filesystem::path& path) { return '"' + path.string() + '"'; };
  config["store"] = with(config["store"], "path: " + quoted(state / "store.db"));
  config["artifacts"] = with(config["artifacts"], "folder: " + quoted(state / "artifacts"));
  config["agent_ws"] = with(config["agent_ws"], "port: 0");
  std::string text = "plugins:\n";
  for (const auto& [plugin, flow] : config) {
    if (flow != "-") text += "  " + plugin + ": {config: " + flow + "}\n";
  }
  return text;
}

}  // namespace

AgentServer::AgentServer(const std::filesystem::path& state,
                         std::map<std::string, std::string> config)
    : kernel_(std::make_unique<testkit::InProcessKernel>(
          testkit::KernelSetup{.config = configuration(state, std::move(config))})) {
  const Result<void> started = kernel_->start();
  if (!started.ok()) throw std::runtime_error(started.error().message);
  port_ = listening_port(kernel_->host(), "agent");
}

}  // namespace gantry::conformance
