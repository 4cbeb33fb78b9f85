// SPDX-License-Identifier: Apache-2.0
//
// Pictures that stand in a request as text. Pure.
#pragma once

#include <gantry/buffer.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gantry::perception_http {

/// The bytes of base64 text or of a data URL, which may be broken over lines; nullopt when it is
/// neither. The type that a data URL names is not looked at.
std::optional<Buffer> inline_bytes(std::string_view text);

}  // namespace gantry::perception_http
