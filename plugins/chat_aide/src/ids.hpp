// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gantry::chat_aide {

/// A random UUID (RFC 9562, version 4).
[[nodiscard]] std::string new_id();

}  // namespace gantry::chat_aide
