// SPDX-License-Identifier: Apache-2.0
#include "observer_arguments.hpp"

#include <gantry/mcp/json_rpc.hpp>
#include <gantry/mcp/json_text.hpp>

#include <array>
#include <boost/json/parse.hpp>

namespace gantry::mcp {

namespace json = boost::json;

namespace {

constexpr std::size_t kShown = 300;  // bytes of arguments that a question shows
constexpr std::array<std::string_view, 8> kPlace{"window_uid", "window_index", "window_title",
                                                 "selector",   "element_id",   "tree_token",
                                                 "dry_run",    "confirm_token"};
constexpr std::array<std::string_view, 4> kTexts{"value", "text", "keys", "option_name"};

std::string cut(std::string text) {
  if (text.size() <= kShown) return text;
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "…";
}

}  // namespace

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

std::string confirmation_question(const std::string& tool, const std::string& arguments,
                                  const std::string& selector, bool secret) {
  boost::system::error_code problem;
  json::value value = json::parse(arguments, problem);
  json::object* object = problem ? nullptr : value.if_object();
  std::string question = "May the assistant run " + tool;
  if (object != nullptr) {
    for (const std::string_view name : kPlace) object->erase(json::string_view(name));
    for (const std::string_view name : kTexts) {
      json::value* text = object->if_contains(json::string_view(name));
      if (text != nullptr && secret) *text = "(not shown: it is for a password field)";
    }
    if (!object->empty()) question += " with " + cut(json_text(*object));
  }
  return question + (selector.empty() ? "?" : " on this element? " + selector);
}

}  // namespace gantry::mcp
