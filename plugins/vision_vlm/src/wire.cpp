// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gantry/outside_text.hpp>

#include <gantry/codec.hpp>

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace gantry::vision_vlm {
namespace {

namespace json = boost::json;

constexpr std::string_view kPath = "/chat/completions";

const json::value* member(const json::value* in, std::string_view name) {
  const json::object* object = in == nullptr ? nullptr : in->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

/// A text, or the texts of a list of parts.
std::string text_in(const json::value* content) {
  if (content == nullptr) return {};
  if (content->is_string()) return std::string(content->get_string());
  std::string out;
  const json::array* parts = content->if_array();
  if (parts == nullptr) return out;
  for (const json::value& part : *parts) {
    const json::value* text = member(&part, "text");
    if (text != nullptr && text->is_string()) out += std::string_view(text->get_string());
  }
  return out;
}

Error refusal(int status) {
  if (status == 429) {
    return Error{Code::ResourceExhausted, "the vision model's server has too many requests", {}};
  }
  std::string_view cure = "see the server's own log";
  if (status == 401 || status == 403)
    cure = "set plugins.vision_vlm.config.api_key, or OWUI_API_KEY";
  if (status == 404) cure = "check plugins.vision_vlm.config.base_url and model";
  if (status >= 300 && status < 400)
    cure = "redirects are not followed: set base_url to the target";
  return unavailable(fmt::format("the vision model's server answered {}; {}", status, cure));
}

}  // namespace

std::vector<std::string> completion_urls(std::string_view base_url) {
  const std::string base(base_url);
  if (base.ends_with(kPath)) return {base};
  if (base.ends_with("/v1") || base.ends_with("/api")) return {base + std::string(kPath)};
  std::vector<std::string> urls;
  for (const std::string_view root : {"/api/v1", "/v1", "/api"}) {
    urls.push_back(base + std::string(root) + std::string(kPath));
  }
  return urls;
}

std::string request_body(const Settings& settings, std::string_view model, std::string_view prompt,
                         std::string_view picture) {
  json::array content;
  content.push_back(json::object{{"type", "text"}, {"text", json::string(prompt)}});
  if (!picture.empty()) {
    content.push_back(json::object{{"type", "image_url"},
                                   {"image_url", json::object{{"url", json::string(picture)}}}});
  }
  json::array messages;
  messages.push_back(json::object{{"role", "user"}, {"content", std::move(content)}});
  return codec::serialize(json::object{{"model", json::string(model)},
                                       {"messages", std::move(messages)},
                                       {"max_tokens", settings.max_tokens},
                                       {"temperature", settings.temperature},
                                       {"stream", false}});
}

Result<Reply> read_reply(const http::HttpAnswer& answer) {
  if (answer.head.status != 200) return refusal(answer.head.status);
  json::error_code problem;
  const json::value body = json::parse(answer.body, problem);
  if (problem || answer.cut) {
    return unavailable("the vision model's server answered with something that is no JSON");
  }
  const json::value* choices = member(&body, "choices");
  const json::array* list = choices == nullptr ? nullptr : choices->if_array();
  if (list == nullptr || list->empty()) {
    return unavailable("the vision model's server answered without a choice");
  }
  Reply reply;
  reply.text =
      strip_terminal_controls(text_in(member(member(&list->front(), "message"), "content")));
  const json::value* tokens = member(member(&body, "usage"), "total_tokens");
  if (tokens != nullptr && tokens->is_int64()) reply.tokens = tokens->get_int64();
  return reply;
}

}  // namespace gantry::vision_vlm
