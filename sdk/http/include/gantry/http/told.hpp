// SPDX-License-Identifier: Apache-2.0
// What a server says of a failure, as it may be told to others. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::http {

/// Words of a server without what must not be told: `key` and what looks like one, what could drive
/// a terminal or turn text around (outside_text.hpp), and more than about `most` bytes. One line.
[[nodiscard]] std::string told_words(std::string_view words, std::string_view key,
                                     std::size_t most = 600);

}  // namespace gantry::http
