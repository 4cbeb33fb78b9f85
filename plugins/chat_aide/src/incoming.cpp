// SPDX-License-Identifier: Apache-2.0
#include "incoming.hpp"

#include <gantry/codec.hpp>

#include <algorithm>
#include <array>
#include <boost/json/value.hpp>
#include <utility>

namespace gantry::chat_aide {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxId = 128;
constexpr std::size_t kMaxAttachment = 10 << 20;
constexpr std::size_t kMaxAttachments = 20 << 20;  // of one message
constexpr std::array<std::string_view, 5> kMediaTypes{"image/png", "image/jpeg", "image/gif",
                                                      "image/webp", "application/pdf"};

// The members of the messages, each spelt once.
constexpr std::string_view kTypeMember = "type";
constexpr std::string_view kTextMember = "text";
constexpr std::string_view kModelMember = "model";
constexpr std::string_view kSessionMember = "session_id";
constexpr std::string_view kAttachmentsMember = "attachments";
constexpr std::string_view kMediaTypeMember = "media_type";
constexpr std::string_view kDataMember = "data";
constexpr std::string_view kNameMember = "name";
constexpr std::string_view kCallMember = "call_id";
constexpr std::string_view kResponseMember = "response";

/// Thrown and caught in this file.
struct Wrong {
  std::string what;
};

const json::value* member_of(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

/// A text member; empty when it is missing and need not be there.
std::string text_of(const json::object& object, std::string_view name, bool needed) {
  const json::value* found = member_of(object, name);
  if (found == nullptr) {
    if (needed) throw Wrong{std::string(name) + " is missing"};
    return {};
  }
  if (!found->is_string()) throw Wrong{std::string(name) + " must be a string"};
  return std::string(found->get_string());
}

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

/// RFC 4648, strict: padded, nothing between, no bits left over.
std::vector<std::uint8_t> decoded(std::string_view text) {
  const Wrong wrong{"data of an attachment is no base64"};
  if (text.size() % 4 != 0) throw wrong;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::vector<std::uint8_t> out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const int digit = digit_of(c);
    if (digit < 0) throw wrong;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<std::uint8_t>(bits >> count & 0xFFU));
  }
  if ((bits & ((1U << count) - 1U)) != 0 || count >= 6) throw wrong;
  return out;
}

std::vector<Attachment> attachments_of(const json::object& object) {
  std::vector<Attachment> out;
  const json::value* found = member_of(object, kAttachmentsMember);
  if (found == nullptr) return out;
  if (!found->is_array()) throw Wrong{"attachments must be an array"};
  std::size_t total = 0;
  for (const json::value& item : found->get_array()) {
    if (!item.is_object()) throw Wrong{"an attachment must be an object"};
    Attachment attachment;
    attachment.media_type = text_of(item.get_object(), kMediaTypeMember, true);
    attachment.name = text_of(item.get_object(), kNameMember, false);
    if (std::find(kMediaTypes.begin(), kMediaTypes.end(), attachment.media_type) ==
        kMediaTypes.end()) {
      throw Wrong{"an attachment cannot be '" + attachment.media_type.substr(0, 100) +
                  "'; PNG, JPEG, WebP, GIF and PDF can be attached"};
    }
    attachment.bytes = decoded(text_of(item.get_object(), kDataMember, true));
    if (attachment.bytes.empty()) throw Wrong{"an attachment is empty"};
    if (attachment.bytes.size() > kMaxAttachment) {
      throw Wrong{"an attachment is larger than 10 MiB"};
    }
    total += attachment.bytes.size();
    if (total > kMaxAttachments) throw Wrong{"the attachments are larger than 20 MiB"};
    out.push_back(std::move(attachment));
  }
  return out;
}

ChatMessage chat_of(const json::object& object) {
  ChatMessage out;
  out.attachments = attachments_of(object);
  out.text = text_of(object, kTextMember, out.attachments.empty());
  const bool blank = out.text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (blank && out.attachments.empty()) throw Wrong{"text is empty"};
  out.model = text_of(object, kModelMember, false);
  out.session_id = text_of(object, kSessionMember, false);
  if (!out.session_id.empty() && !is_session_id(out.session_id)) {
    throw Wrong{"session_id must have 1 to 128 letters, digits and . _ : -"};
  }
  return out;
}

Confirm confirm_of(const json::object& object) {
  Confirm out;
  out.call_id = text_of(object, kCallMember, true);
  const json::value* response = member_of(object, kResponseMember);
  if (response == nullptr || !response->is_bool()) throw Wrong{"response must be true or false"};
  out.response = response->get_bool();
  return out;
}

Incoming incoming_of(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) throw Wrong{"a message must be a JSON object"};
  const std::string type = text_of(*object, kTypeMember, true);
  if (type == "message") return chat_of(*object);
  if (type == "confirm") return confirm_of(*object);
  throw Wrong{"unknown type '" + type.substr(0, 100) + "'"};
}

}  // namespace

std::size_t weight_of(const ChatMessage& message) {
  std::size_t bytes = message.text.size();
  for (const Attachment& attachment : message.attachments) bytes += attachment.bytes.size();
  return bytes;
}

Incoming read_incoming(std::string_view frame) {
  Incoming out;
  const Result<void> parsed = codec::with_parsed(
      frame,
      [](void* state, const json::value& value) -> Result<void> {
        auto& read = *static_cast<Incoming*>(state);
        try {
          read = incoming_of(value);
        } catch (const Wrong& wrong) {
          read = InvalidFrame{wrong.what};
        }
        return {};
      },
      &out);
  if (!parsed.ok()) return InvalidFrame{"not JSON"};
  return out;
}

bool is_session_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxId &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == ':' || c == '-';
         });
}

}  // namespace gantry::chat_aide
