// SPDX-License-Identifier: Apache-2.0
//
// Any bytes from a client of Cortask's chat: a frame is read or is none, what is echoed of it can
// be written as JSON again, and thoughts are told from words the same wherever the pieces end.
#include <gantry/contract.hpp>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "incoming.hpp"
#include "memory_notes.hpp"
#include "outgoing.hpp"
#include "thinking_splitter.hpp"
#include "titles.hpp"
#include "turn_input.hpp"

namespace {

using namespace gantry::chat_cortask;

void must_be_json(const std::string& text) {
  boost::json::error_code problem;
  (void)boost::json::parse(text, problem);
  if (problem) std::abort();
}

void use(const ChatMessage& chat) {
  if (!chat.session_key && chat.problem.empty()) std::abort();
  must_be_json(gantry::to_json(ErrorFrame{"error", chat.session_key, chat.problem}));
  must_be_json(gantry::to_json(TextDelta{"text_delta", title_of(chat.text), chat.text}));
  for (const Attachment& attachment : chat.attachments) {
    (void)sniffed_type(
        {reinterpret_cast<const char*>(attachment.bytes.data()), attachment.bytes.size()});
  }
}

/// Words and thoughts as one text with marks between them, to compare both ways.
std::string split(std::string_view text, std::size_t piece) {
  std::string out;
  bool thinking = false;
  const ThinkingSplitter::Sink sink = [&](std::string_view part, bool thought) {
    if (part.empty()) std::abort();
    if (thought != thinking) out += thought ? "\x01" : "\x02";
    thinking = thought;
    out += part;
  };
  ThinkingSplitter splitter;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    splitter.feed(text.substr(at, piece), sink);
  }
  splitter.flush(sink);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ClientMessage message = read_message(text);
  if (const auto* chat = std::get_if<ChatMessage>(&message)) use(*chat);
  if (const auto* reply = std::get_if<QuestionnaireReply>(&message)) {
    must_be_json(reply->responses.text);
  }
  const std::string whole = split(text, std::max<std::size_t>(size, 1));
  for (const std::size_t piece : {1, 2, 3, 7, 10, 11}) {
    if (split(text, piece) != whole) std::abort();
  }
  // What is found in a memory is of it.
  const auto notes = find_notes(notes_of(text), text.substr(0, 64), 5);
  for (const FoundNote& found : notes) {
    if (found.score <= 0 || found.score > 1.0001) std::abort();
  }
  return 0;
}
