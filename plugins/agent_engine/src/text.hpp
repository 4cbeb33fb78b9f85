// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text for models: shortening, and marking what comes from outside. Pure functions.

#include <gantry/tools/text.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::agent {

/// `text` in at most about `bytes`: beginning and end stay, a note in the middle tells how much is
/// missing. Valid UTF-8 stays valid.
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t bytes);
/// The beginning of `text`, at most `bytes`, at a character's border.
[[nodiscard]] std::string_view cut_end(std::string_view text, std::size_t bytes);

using tools::visible_text;

/// What a tool brought, in a block that says so and that the text cannot close by itself.
[[nodiscard]] std::string untrusted_block(std::string_view tool, std::string_view text);

/// Whether `name` fits a pattern in which * stands for anything.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view name);

}  // namespace gantry::agent
