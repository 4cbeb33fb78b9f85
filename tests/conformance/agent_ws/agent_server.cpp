// SPDX-License-Identifier: Apache-2.0
#include "agent_server.hpp"

#include "../support/listening_port.hpp"

#include <stdexcept>
#include <utility>

namespace gantry::conformance {
namespace {

std::string configuration(const std::filesystem::path& state, FlowConfig config) {
  config.try_emplace("identity", "{install_auth_enabled: false}");
  for (const char* name : {"transport", "agent_engine", "llm_scripted"}) {
    config.try_emplace(name, "{}");
  }
  add_member(config, "store", "path: " + quoted_path(state / "store.db"));
  add_member(config, "artifacts", "folder: " + quoted_path(state / "artifacts"));
  add_member(config, "agent_ws", "port: 0");
  return plugins_text(config);
}

}  // namespace

AgentServer::AgentServer(const std::filesystem::path& state, FlowConfig config)
    : kernel_(std::make_unique<testkit::InProcessKernel>(
          testkit::KernelSetup{.config = configuration(state, std::move(config))})) {
  const Result<void> started = kernel_->start();
  if (!started.ok()) throw std::runtime_error(started.error().message);
  port_ = listening_port(kernel_->host(), "agent");
}

}  // namespace gantry::conformance
