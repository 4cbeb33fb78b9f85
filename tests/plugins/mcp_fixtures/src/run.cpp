// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace gantry::mcp_fixtures {

namespace json = boost::json;

std::string text_at(const Json& text, const std::string& path) {
  boost::system::error_code failed;
  const json::value root = json::parse(text.text, failed);
  if (failed) return {};
  const json::value* found = root.find_pointer(path, failed);
  if (found == nullptr) return {};
  return found->is_string() ? std::string(found->as_string()) : json::serialize(*found);
}

}  // namespace gantry::mcp_fixtures
