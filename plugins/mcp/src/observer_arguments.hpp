// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arguments of the observer's tools, changed on their way. All take and give the text of a JSON
// object; what is no object stays as it is, for the tool to refuse. Pure.

#include <string>
#include <string_view>

#include "settings.hpp"

namespace gantry::mcp {

[[nodiscard]] bool has_argument(const std::string& arguments, std::string_view name);
[[nodiscard]] std::string with_argument(const std::string& arguments, std::string_view name,
                                        std::string_view value_json);
/// Unless they have it.
[[nodiscard]] std::string with_default(const std::string& arguments, std::string_view name,
                                       std::string_view value_json);
/// A picture that models and hosts take as it is, in `format` (png, jpeg or auto), where the caller
/// does not say what he wants.
[[nodiscard]] std::string with_picture_size(const std::string& arguments,
                                            const PictureSettings& pictures,
                                            std::string_view format);

/// What a user is asked before `tool` acts on the element that `selector` leads to (empty: on
/// none): both, and the arguments that say what it would do there, cut where they are long. What
/// would be put into a password field is not shown; the engine says that it is one (`secret`).
[[nodiscard]] std::string confirmation_question(const std::string& tool,
                                                const std::string& arguments,
                                                const std::string& selector, bool secret);

}  // namespace gantry::mcp
