// SPDX-License-Identifier: Apache-2.0
#pragma once
// Titles of sessions. Pure.

#include <string>
#include <string_view>

namespace gantry::chat_cortask {

/// Of a session to which nobody gave one.
inline constexpr const char* kNewChat = "New Chat";

/// The first 80 characters of what was said first, with "…" when there is more.
[[nodiscard]] std::string title_of(std::string_view message);

}  // namespace gantry::chat_cortask
