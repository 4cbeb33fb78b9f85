// SPDX-License-Identifier: Apache-2.0
#include "cli/unheard.hpp"

#include <gantry/contracts/http.hpp>

#include <vector>

#include "cli/cli.hpp"
#include "cli/folder_lock.hpp"
#include "cli/holder.hpp"
#include "cli/ports.hpp"

namespace gantry::cli {
namespace {

bool speaks_on_stdio(const plugin::Plan& plan) {
  for (const auto& settings : plan.settings.plugins) {
    const auto* stdio = settings.config.find("stdio");
    const auto* enabled = stdio == nullptr ? nullptr : stdio->find("enabled");
    if (enabled != nullptr && enabled->as_bool()) return true;
  }
  return false;
}

std::vector<std::string> refused_listeners(kernel::Kernel& kernel) {
  std::vector<std::string> reasons;
  for (const auto& part : kernel.health().report().components) {
    const bool failed = part.state == observe::HealthState::kFailed;
    if (failed && part.component.starts_with("listener.")) reasons.push_back(part.reason);
  }
  return reasons;
}

void leave_unheard(kernel::Kernel& kernel, int& exit_code) {
  for (const auto& reason : refused_listeners(kernel)) complain(reason);
  for (const auto& wanted : wanted_ports(kernel.plugins().plan())) {
    const std::string holder = holder_of_port(wanted.port);
    const std::string port = std::to_string(wanted.port);
    if (!holder.empty()) complain(wanted.path + ": " + holder + " listens on port " + port);
  }
  complain(
      "not one of the listeners could be opened, so there is nobody to serve; stop what has "
      "them, or choose others (gantry doctor)");
  exit_code = kUnavailable;
  kernel.request_stop();
}

}  // namespace

std::string claim_folders(const plugin::Plan& plan) {
  const auto* control = plan.find("control");
  if (control == nullptr || !control->enabled || !control->refused.empty()) return {};
  const auto* socket = plan.settings.find("control")->config.find("socket");
  if (socket == nullptr) return {};
  const std::string path = socket->as_text();
  std::string holder = holder_of_socket(path);
  holder = holder.empty() ? lock_folder(path) : holder + " listens on " + path;
  if (holder.empty()) return {};
  return "a daemon runs with these folders already: " + holder +
         "; ask it (gantry plugins), stop it, or give this one folders of its "
         "own (GANTRY_RUNTIME_DIR, GANTRY_STATE_DIR)";
}

void leave_when_unheard(kernel::Kernel& kernel, int& exit_code) {
  if (refused_listeners(kernel).empty() || speaks_on_stdio(kernel.plugins().plan())) return;
  kernel.host().bus().call<HttpListeners>({}, [&](Result<Ref<ListenerList>> open) {
    if (!open.ok() || !(*open)->listeners.empty()) return;
    kernel.loop().post([&] { leave_unheard(kernel, exit_code); });
  });
}

}  // namespace gantry::cli
