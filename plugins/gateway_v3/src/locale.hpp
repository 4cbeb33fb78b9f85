// SPDX-License-Identifier: Apache-2.0
#pragma once
// Refusals in the language that a client asked for with `locale`. Any thread.

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::gateway {

enum class Locale : std::uint8_t { English, Vietnamese, Chinese };

/// By its beginning: "vi-VN" is Vietnamese. Anything else is English.
[[nodiscard]] Locale locale_of(std::string_view name);

/// The message in that language; as it is when it is none of the usual ones.
[[nodiscard]] std::string localised(std::string message, Locale locale);

}  // namespace gantry::gateway
