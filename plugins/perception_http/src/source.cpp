// SPDX-License-Identifier: Apache-2.0
#include "source.hpp"

#include <gantry/agent_http/text.hpp>
#include <gantry/codec.hpp>

#include <utility>

namespace gantry::perception_http {

std::optional<Buffer> inline_bytes(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  constexpr std::string_view kScheme = "data:";
  text = agent_http::trim(text);
  if (agent_http::lower(text.substr(0, kScheme.size())) == kScheme) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    text.remove_prefix(comma + 1);
  }
  std::string tight;
  if (text.find_first_of(kSpace) != std::string_view::npos) {
    tight.reserve(text.size());
    for (const char c : text) {
      if (kSpace.find(c) == std::string_view::npos) tight += c;
    }
    text = tight;
  }
  auto bytes = codec::read_base64(text);
  if (!bytes.ok()) return std::nullopt;
  return Buffer::of(std::move(bytes).value());
}

}  // namespace gantry::perception_http
