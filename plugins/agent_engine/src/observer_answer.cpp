// SPDX-License-Identifier: Apache-2.0
#include "observer_answer.hpp"

#include <gantry/codec.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace gantry::agent {
namespace {

namespace json = boost::json;

std::string take_member(json::object& object, std::string_view name) {
  const json::string_view key(name.data(), name.size());
  const json::value* found = object.if_contains(key);
  if (found == nullptr || !found->is_string()) return {};
  std::string text(found->get_string().data(), found->get_string().size());
  object.erase(key);
  return text;
}

void add_image(const std::string& base64, const std::string& media_type, ToolResult& out) {
  auto bytes = codec::read_base64(base64);
  if (!bytes.ok() || bytes->empty()) return;
  ContentBlock image;
  image.kind = ContentKind::Image;
  image.media_type = media_type;
  image.data = Buffer::of(std::move(*bytes));
  out.content.push_back(std::move(image));
}

}  // namespace

ToolResult observer_answer(const ObserverToolResult& result) {
  ToolResult out;
  out.is_error = !result.ok;
  ContentBlock text;
  text.text = result.result.text;
  out.content.push_back(text);
  // The picture tools answer {"data": base64, "encoding": "base64", "format": "png", …}.
  if (text.text.find(R"("encoding":"base64")") == std::string::npos) return out;
  boost::system::error_code problem;
  json::value value = json::parse(text.text, problem);
  json::object* object = problem ? nullptr : value.if_object();
  if (object == nullptr) return out;
  const std::string data = take_member(*object, "data");
  object->erase("encoding");
  const json::value* format = object->if_contains("format");
  const std::string kind = format != nullptr && format->is_string()
                               ? std::string(format->get_string().c_str())
                               : std::string("png");
  out.content.front().text = codec::serialize(value);
  add_image(data, "image/" + kind, out);
  return out;
}

Json proposal_of(const ToolCallRequest& request) {
  std::string out = R"({"action":)";
  codec::write_string(out, request.name);
  return Json(out + R"(,"args":)" + request.arguments.text + "}");
}

std::optional<Json> confirmed_arguments(const ToolCallRequest& request,
                                        const ObserverToolResult& proposal) {
  boost::system::error_code problem;
  json::value value = json::parse(proposal.result.text, problem);
  json::object* object = problem ? nullptr : value.if_object();
  if (!proposal.ok || object == nullptr) return std::nullopt;
  const std::string token = take_member(*object, "confirm_token");
  json::value arguments = json::parse(request.arguments.text, problem);
  if (problem || token.empty() || !arguments.is_object()) return std::nullopt;
  arguments.get_object()["confirm_token"] = token;
  return Json(codec::serialize(arguments));
}

}  // namespace gantry::agent
