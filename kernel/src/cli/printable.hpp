// SPDX-License-Identifier: Apache-2.0
// What others have written, for a terminal that must not obey it: text of models, of recognisers,
// of programs on the screen.
#pragma once

#include <string>
#include <string_view>

namespace gantry::cli {

/// Without characters that a terminal would act on; line ends and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);
/// The same on one line.
[[nodiscard]] std::string printable_line(std::string_view text);

}  // namespace gantry::cli
