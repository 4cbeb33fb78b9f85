// SPDX-License-Identifier: Apache-2.0
#include "observer_answer.hpp"

#include <gantry/codec.hpp>
#include <gantry/mcp/json_rpc.hpp>
#include <gantry/mcp/json_text.hpp>

#include <boost/json/parse.hpp>
#include <utility>

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kPictureHint = R"("encoding":"base64")";
constexpr std::string_view kPreviewHint = R"("screenshot_b64":")";

bool has_picture(const std::string& text) {
  return text.find(kPictureHint) != std::string::npos ||
         text.find(kPreviewHint) != std::string::npos;
}

/// Takes the base64 text out of `object` and makes an image block of it.
void take_picture(json::object& object, std::string_view key, std::string_view media_type,
                  std::vector<ContentBlock>& out) {
  const json::value* data = member(object, key);
  if (data == nullptr || !data->is_string()) return;
  auto bytes = codec::read_base64(data->get_string());
  if (!bytes.ok() || bytes->empty()) return;
  ContentBlock image;
  image.kind = ContentKind::Image;
  image.media_type = media_type;
  image.data = Buffer::of(std::move(*bytes));
  out.push_back(std::move(image));
  object.erase(json::string_view(key.data(), key.size()));
}

void take_pictures(json::object& object, std::vector<ContentBlock>& out) {
  const std::string format = text_member(object, "format").value_or("png");
  if (member(object, "encoding") != nullptr) {
    take_picture(object, "data", "image/" + format, out);
    object.erase("encoding");
  }
  if (json::value* target = object.if_contains("would_target");
      target != nullptr && target->is_object()) {
    take_picture(target->get_object(), "screenshot_b64", "image/png", out);
  }
}

}  // namespace

ToolResult observer_answer(const ObserverToolResult& result, const ToolCallRequest& request,
                           const Takes& takes, const ToolSchemas* schemas) {
  ToolResult out;
  out.is_error = !result.ok;
  std::string text = result.result.text;
  std::vector<ContentBlock> pictures;
  if (has_picture(text) || !result.ok) {
    boost::system::error_code problem;
    json::value value = json::parse(text, problem);
    if (json::object* object = value.if_object(); !problem && object != nullptr) {
      take_pictures(*object, pictures);
      if (!result.ok) teach(*object, result.error_code, request, takes, schemas);
      text = json_text(value);
    }
  }
  ContentBlock block;
  block.text = text;
  out.content.push_back(std::move(block));
  for (ContentBlock& picture : pictures) out.content.push_back(std::move(picture));
  out.structured = Json(std::move(text));
  return out;
}

}  // namespace gantry::mcp
