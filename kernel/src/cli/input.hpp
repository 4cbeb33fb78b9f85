// SPDX-License-Identifier: Apache-2.0
// Files and standard input that a command is given.
#pragma once

#include <gantry/result.hpp>

#include <cstddef>
#include <string>

namespace gantry::cli {

/// All of a file, or of standard input where `name` is "-". Errors: not_found (it cannot be read),
/// invalid_argument (it has more than `most` bytes, of which no more are read).
[[nodiscard]] Result<std::string> read_input(const std::string& name, std::size_t most);

}  // namespace gantry::cli
