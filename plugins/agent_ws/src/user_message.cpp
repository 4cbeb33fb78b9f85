// SPDX-License-Identifier: Apache-2.0
#include "user_message.hpp"

#include <gantry/codec.hpp>

#include <algorithm>
#include <boost/json/value.hpp>

#include "incoming.hpp"
#include "message.hpp"
#include "text.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::string_view kOpen = "<user_query>";
constexpr std::string_view kClose = "</user_query>";

/// What stands between the first `<name>` and its end.
std::string_view section(std::string_view content, std::string_view name) {
  const std::string open = '<' + std::string(name) + '>';
  const std::string close = "</" + std::string(name) + '>';
  const std::size_t begin = content.find(open);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = content.find(close, begin);
  if (end == std::string_view::npos) return {};
  return trimmed(content.substr(begin + open.size(), end - begin - open.size()));
}

/// The last query with its tags: where it begins and its size; nothing found is size 0.
struct Span {
  std::size_t begin = 0;
  std::size_t size = 0;
};
Span last_query(std::string_view content) {
  const std::size_t begin = content.rfind(kOpen);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = content.find(kClose, begin);
  if (end == std::string_view::npos) return {};
  return {begin, end + kClose.size() - begin};
}

bool is_tag(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

std::string raw_query(std::string_view content) {
  const Span query = last_query(content);
  if (query.size == 0) return std::string(content);
  return std::string(trimmed(
      content.substr(query.begin + kOpen.size(), query.size - kOpen.size() - kClose.size())));
}

UserMessageMetadata describe_user_message(std::string_view content, bool with_images) {
  UserMessageMetadata out;
  out.original_query = raw_query(content);
  out.context_type = "initial";
  if (const Span query = last_query(content); query.size != 0) {
    std::string rest(content.substr(0, query.begin));
    rest += content.substr(query.begin + query.size);
    out.injected_context = std::string(trimmed(rest));
  }
  out.active_window = std::string(section(content, "active_window"));
  out.has_screenshot = with_images;
  out.has_memory = content.find("<episodic_memory>") != std::string_view::npos ||
                   content.find("<semantic_memory>") != std::string_view::npos;
  return out;
}

std::string user_message(const QueryPayload& query) {
  if (query.content) return *query.content;
  if (!query.query_context) return query.text;
  const auto context = parse_json(query.query_context->text);
  if (!context || !context->is_object()) return query.text;
  std::string out;
  for (const auto& entry : context->get_object()) {
    const std::string_view name(entry.key().data(), entry.key().size());
    if (!is_tag(name) || entry.value().is_null()) continue;
    const auto* text = entry.value().if_string();
    const std::string inner =
        text != nullptr ? std::string(text->data(), text->size()) : codec::serialize(entry.value());
    out += '<' + std::string(name) + ">\n" + inner + "\n</" + std::string(name) + ">\n\n";
  }
  if (out.empty()) return query.text;
  return out + "<user_query>\n" + query.text + "\n</user_query>";
}

}  // namespace gantry::agent_ws
