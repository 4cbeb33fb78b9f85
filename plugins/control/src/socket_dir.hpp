// SPDX-License-Identifier: Apache-2.0
// The folder of the control socket: whoever can write there could put a socket of their own in its
// place.
#pragma once

#include <gantry/result.hpp>

#include <string>

namespace gantry::control {

/// Makes the folder with mode 0700 when it is not there. A folder that belongs to somebody else
/// (root is fine), or that others may write to, is refused.
Result<void> prepare_socket_dir(const std::string& socket);

}  // namespace gantry::control
