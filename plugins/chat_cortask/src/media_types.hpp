// SPDX-License-Identifier: Apache-2.0
#pragma once
// Media types by the ending of a file's name. Pure.

#include <string_view>

namespace gantry::chat_cortask {

/// "text/markdown; charset=utf-8", …; application/octet-stream for endings that are not known.
[[nodiscard]] const char* media_type_of(std::string_view path);

}  // namespace gantry::chat_cortask
