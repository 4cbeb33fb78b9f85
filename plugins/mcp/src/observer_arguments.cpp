// SPDX-License-Identifier: Apache-2.0
#include "observer_arguments.hpp"

#include <gantry/mcp/json_rpc.hpp>
#include <gantry/mcp/json_text.hpp>

#include <boost/json/parse.hpp>

namespace gantry::mcp {

namespace json = boost::json;

bool has_argument(const std::string& arguments, std::string_view name) {
  boost::system::error_code problem;
  const json::value value = json::parse(arguments, problem);
  return !problem && value.is_object() && member(value.get_object(), name) != nullptr;
}

std::string with_argument(const std::string& arguments, std::string_view name,
                          std::string_view value_json) {
  boost::system::error_code problem;
  json::value value = json::parse(arguments, problem);
  if (problem || !value.is_object()) return arguments;
  value.get_object().insert_or_assign(json::string_view(name.data(), name.size()),
                                      json::parse({value_json.data(), value_json.size()}));
  return json_text(value);
}

std::string with_default(const std::string& arguments, std::string_view name,
                         std::string_view value_json) {
  return has_argument(arguments, name) ? arguments : with_argument(arguments, name, value_json);
}

std::string with_picture_size(const std::string& arguments, const PictureSettings& pictures,
                              std::string_view format) {
  std::string out = with_default(arguments, "max_edge", std::to_string(pictures.max_edge));
  out = with_default(out, "max_image_bytes", std::to_string(pictures.max_bytes));
  return with_default(out, "image_format", quoted(format));
}

}  // namespace gantry::mcp
