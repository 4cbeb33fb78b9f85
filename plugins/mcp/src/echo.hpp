// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a client has written, where an answer repeats it: bounded, because whoever asks for a long
// name must not be answered with more than that.

#include <gantry/mcp/json_rpc.hpp>
#include <gantry/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::mcp {

/// Most bytes of a URI that a client may name, and of any text of it that is repeated.
inline constexpr std::size_t kLongestEcho = 2'048;

inline constexpr const char* kUriTooLong = "a `uri` has at most 2048 bytes";

/// The text, or its first 2048 bytes, whole characters, and "…".
[[nodiscard]] std::string echoed(std::string_view text);

/// Why a resource is not read, listed, completed or subscribed to: `data` has the code, and the URI
/// where one was named.
[[nodiscard]] RpcError refusal(const Error& error, std::string_view uri = {});

}  // namespace gantry::mcp
