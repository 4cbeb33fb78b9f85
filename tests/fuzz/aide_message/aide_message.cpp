// SPDX-License-Identifier: Apache-2.0
// Frames of aide clients, and cookies. Beside memory errors it looks for messages that break the
// promises of their reader: nothing said, ids that are none, attachments that are too large or of
// a type that there is not, and a cookie that counts though nobody has signed it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "cookie.hpp"
#include "frames.hpp"
#include "incoming.hpp"

namespace {

using namespace gantry::chat_aide;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "aide_message: %s\n", what);
  std::abort();
}

void check(const ChatMessage& message) {
  expect(!message.text.empty() || !message.attachments.empty(), "nothing is said");
  expect(message.session_id.empty() || is_session_id(message.session_id), "the id is none");
  std::size_t total = 0;
  for (const Attachment& attachment : message.attachments) {
    expect(!attachment.bytes.empty(), "an attachment is empty");
    expect(
        attachment.media_type.starts_with("image/") || attachment.media_type == "application/pdf",
        "an attachment has another type");
    total += attachment.bytes.size();
  }
  expect(total <= (20U << 20U), "the attachments are too large");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Incoming read = read_incoming(text);
  if (const auto* message = std::get_if<ChatMessage>(&read)) check(*message);
  if (const auto* invalid = std::get_if<InvalidFrame>(&read)) {
    expect(!invalid->what.empty(), "a refusal has no words");
  }
  expect(!read_cookie(std::string(32, 'k'), text, 0), "a cookie that nobody has signed");
  (void)cookie_named(text, "aide_user");
  expect(summary_of(text).size() <= 4 * 500 + 4, "a summary is too long");
  return 0;
}
