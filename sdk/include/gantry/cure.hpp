// SPDX-License-Identifier: Apache-2.0
// Reason and cure apart: health and probes have a field for each, an error's message holds both.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace gantry {

/// Takes apart what unavailable(reason, cure) put together: {reason, cure}, or {message, ""}.
inline std::pair<std::string, std::string> split_cure(std::string_view message) {
  constexpr std::string_view kMark = " (cure: ";
  const std::size_t at = message.rfind(kMark);
  if (at == std::string_view::npos || message.back() != ')') return {std::string(message), {}};
  const std::size_t begin = at + kMark.size();
  return {std::string(message.substr(0, at)),
          std::string(message.substr(begin, message.size() - 1 - begin))};
}

}  // namespace gantry
