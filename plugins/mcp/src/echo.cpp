// SPDX-License-Identifier: Apache-2.0
#include "echo.hpp"

#include <gantry/mcp/json_text.hpp>

namespace gantry::mcp {

std::string echoed(std::string_view text) {
  if (text.size() <= kLongestEcho) return std::string(text);
  std::size_t end = kLongestEcho;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

RpcError refusal(const Error& error, std::string_view uri) {
  ObjectText data;
  if (!uri.empty()) data.add("uri", echoed(uri));
  data.add("code", code_name(error.code));
  return {error.code == Code::InvalidArgument ? kInvalidParams : kInternalError, error.message,
          data.text()};
}

}  // namespace gantry::mcp
