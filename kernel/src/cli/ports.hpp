// SPDX-License-Identifier: Apache-2.0
// Which listeners and routes a plan wants, as far as configuration and manifests say it: integer
// keys named "port" or ending in "_port", text keys named "address" (host:port), `mounts:`, and a
// list named "static" of folders with `listener` and `prefix`.
#pragma once

#include <string>
#include <vector>

#include "plugin/plan.hpp"

namespace gantry::cli {

struct WantedPort {
  std::string plugin;
  std::string path;      ///< "plugins.x.config.port"
  std::string listener;  ///< the `listener` key beside it, or ""
  std::string host;      ///< the `host` or `bind` key beside it, or ""
  int port = 0;
  config::Origin origin;
};

/// Ports of the plugins that will be opened; 0 (any free port) is left out, and the port of a
/// listener whose address is set by its name, which wins.
std::vector<WantedPort> wanted_ports(const plugin::Plan& plan);

/// Two plugins on one port, unless they name the same listener, are an error that names both.
void check_ports(const plugin::Plan& plan, config::Diagnostics& diagnostics);

/// Two plugins that ask for one listener at different addresses are a warning that names both keys:
/// one of them would not get what it asks for.
void check_shared(const plugin::Plan& plan, config::Diagnostics& diagnostics);

/// Two plugins that mount the same path of the same listener are an error that names both. The rule
/// is the transport's: patterns overlap when they differ in parameter names at most, and a mount
/// for one host name does not overlap a mount for another or for all.
void check_mounts(const plugin::Plan& plan, config::Diagnostics& diagnostics);

/// Settings of a listener that no plugin's `mounts:` names are a warning: a slip in the name would
/// leave the real listener without its token or certificate.
void check_listeners(const plugin::Plan& plan, config::Diagnostics& diagnostics);

/// A listener that other machines would reach and that nobody guards is an error, which it would be
/// at the start too. Its address is plugins.NAME.config.listeners.LISTENER.address, else the `host`
/// or `bind` of the plugin that mounts on it; its guard a secret key that ends in "token", of the
/// plugin or of the listener.
void check_exposure(const plugin::Plan& plan, config::Diagnostics& diagnostics);

/// A plugin that answers other machines on a listener without asking who it is.
struct Exposed {
  std::string listener;
  std::string host;
  std::string plugin;
};

/// What check_exposure finds, one by one.
std::vector<Exposed> exposed(const plugin::Plan& plan);

/// What `gantry check` looks at besides exposure and plugins that were refused. The text of these
/// errors changes only with what they are about.
void check_claims(const plugin::Plan& plan, config::Diagnostics& diagnostics);

/// Everything that `gantry check` looks at in a plan: the above, and plugins that were refused.
void check_plan(const plugin::Plan& plan, config::Diagnostics& diagnostics);

}  // namespace gantry::cli
