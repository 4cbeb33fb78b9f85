// SPDX-License-Identifier: Apache-2.0
#include "shell_plugin.hpp"

#include <memory>
#include <utility>

#include "sandbox.hpp"

namespace gantry::shell {

Result<void> ShellPlugin::init() {
  GANTRY_TRY(reconfigure());
  return server_.serve(tools_.tools());
}

Result<void> ShellPlugin::start() {
  server_.announce();
  tell_health();
  return {};
}

Result<void> ShellPlugin::reconfigure() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  server_.set_callers(settings.callers);
  tools_.runner().set_settings(std::make_shared<const Settings>(std::move(settings)));
  tell_health();
  return {};
}

/// A daemon without the sandbox runs; who wants a command is told, and so is who looks at health.
void ShellPlugin::tell_health() {
  const Settings& settings = tools_.runner().settings();
  if (settings.sandbox == Sandbox::none) {
    return host().degraded("sandbox", "commands run without a sandbox, as configured",
                           "set tools_shell.sandbox to bubblewrap");
  }
  if (!sandbox_missing(settings).empty()) {
    return host().failed("sandbox", settings.bubblewrap + " cannot be run",
                         "install the package bubblewrap");
  }
  host().healthy("sandbox");
}

void ShellPlugin::stop(Deadline deadline) {
  server_.stop();
  tools_.stop(deadline);
}

}  // namespace gantry::shell
