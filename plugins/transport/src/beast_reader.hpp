// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only door to Boost.Beast, so that one translation unit pays for its headers.

#include <optional>
#include <string>
#include <string_view>

#include "http_types.hpp"

namespace gantry::transport {

/// Fills method, target, version and fields of `head` from `text`, a complete head that head.text
/// owns. Returns what the parser says when it disagrees that this is one.
std::optional<std::string> read_with_beast(std::string_view text, RequestHead& head);

}  // namespace gantry::transport
