// SPDX-License-Identifier: Apache-2.0
// A running daemon over its control socket: HTTP on a Unix-domain socket, as plugins/control
// serves it.
#pragma once

#include <memory>
#include <string>

#include "cli/access.hpp"

namespace gantry::cli {

/// The path of the control socket: --socket, else plugins.control.config.socket, else the default
/// of the standard folders.
std::string control_socket(const Invocation& invocation);

/// Errors: unavailable when nobody listens there, permission_denied.
Result<std::unique_ptr<Access>> connect_daemon(const std::string& socket);

}  // namespace gantry::cli
