// SPDX-License-Identifier: Apache-2.0
// What a client sends, and looking into what it gets.
#pragma once

#include <string>
#include <string_view>

#include "fake_world.hpp"

namespace gantry::mcp {

namespace json = boost::json;

inline const json::value* at(const json::value& value, std::string_view pointer) {
  boost::system::error_code problem;
  return value.find_pointer({pointer.data(), pointer.size()}, problem);
}

inline std::string text_at(const json::value& value, std::string_view pointer) {
  const json::value* found = at(value, pointer);
  if (found == nullptr) return "(missing)";
  return found->is_string() ? std::string(found->get_string()) : json_text(*found);
}

/// The parameters of a request of the revision without sessions.
inline std::string modern(const std::string& members, const std::string& capabilities = "{}") {
  return R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
         R"("io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},)"
         R"("io.modelcontextprotocol/clientCapabilities":)" +
         capabilities + "}" + (members.empty() ? "" : "," + members) + "}";
}

inline std::string request(const std::string& id, const std::string& method,
                           const std::string& params) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params +
         "}";
}

}  // namespace gantry::mcp
