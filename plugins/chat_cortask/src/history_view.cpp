// SPDX-License-Identifier: Apache-2.0
#include "history_view.hpp"

#include <gantry/codec.hpp>
#include <gantry/contract.hpp>
#include <gantry/iso_time.hpp>

#include <boost/json/parse.hpp>
#include <utility>

#include "thinking_splitter.hpp"
#include "titles.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr const char* kUser = "user";
constexpr const char* kAssistant = "assistant";

Json text_json(const std::string& text) {
  std::string out;
  codec::write_string(out, text);
  return Json(std::move(out));
}

MessagePart text_part(std::string_view text, bool thought) {
  MessagePart part;
  part.type = thought ? "thinking" : "text";
  part.text = text;
  return part;
}

/// A text with thoughts in it; neighbours of one kind are one part.
void add_text(const std::string& text, std::vector<MessagePart>& out) {
  ThinkingSplitter splitter;
  const ThinkingSplitter::Sink sink = [&out](std::string_view piece, bool thought) {
    MessagePart part = text_part(piece, thought);
    if (!out.empty() && out.back().type == part.type) {
      *out.back().text += *part.text;
    } else {
      out.push_back(std::move(part));
    }
  };
  splitter.feed(text, sink);
  splitter.flush(sink);
}

MessageView user_message(const HistoryRow& row, const Pictures& pictures) {
  if (row.images.empty()) return {kUser, text_json(row.text)};
  std::vector<MessagePart> parts{text_part(row.text, false)};
  for (const ImageRef& image : row.images) {
    const auto found = pictures.find(image.artifact);
    if (found == pictures.end()) continue;
    MessagePart part;
    part.type = "image";
    part.imageBase64 = found->second;
    part.mimeType = image.media_type;
    parts.push_back(std::move(part));
  }
  return {kUser, Json(to_json(parts))};
}

MessageView assistant_message(const HistoryRow& row) {
  std::vector<MessagePart> parts;
  if (!row.thinking.empty()) parts.push_back(text_part(row.thinking, true));
  add_text(row.text, parts);
  for (const ModelToolCall& call : row.calls) {
    MessagePart part;
    part.type = "tool_use";
    part.toolCallId = call.id;
    part.toolName = call.name;
    part.toolArguments = call.arguments;
    parts.push_back(std::move(part));
  }
  return {kAssistant, Json(to_json(parts))};
}

MessagePart result_part(const HistoryRow& row) {
  MessagePart part;
  part.type = "tool_result";
  part.toolCallId = row.call;
  part.toolName = row.tool;
  part.text = row.text;
  part.isError = row.is_error;
  return part;
}

std::string channel_of(const SessionInfo& info) {
  boost::json::error_code problem;
  const boost::json::value parsed = boost::json::parse(info.metadata.text, problem);
  const auto* object = problem ? nullptr : parsed.if_object();
  const auto* channel = object == nullptr ? nullptr : object->if_contains("channel");
  return channel != nullptr && channel->is_string() ? std::string(channel->get_string())
                                                    : std::string();
}

}  // namespace

SessionRow session_row(const SessionInfo& info) {
  SessionRow row;
  row.id = info.session.key;
  row.title = info.title.empty() ? kNewChat : info.title;
  row.createdAt = iso_time_of(info.created_ms);
  row.updatedAt = iso_time_of(info.updated_ms);
  const std::string channel = channel_of(info);
  if (!channel.empty()) row.channel = text_json(channel);
  return row;
}

std::vector<MessageView> messages_of(const std::vector<HistoryRow>& rows,
                                     const Pictures& pictures) {
  std::vector<MessageView> out;
  std::vector<MessagePart> results;  // of calls of one answer: one message of the user's
  const auto end_results = [&] {
    if (results.empty()) return;
    out.push_back({kUser, Json(to_json(std::exchange(results, {})))});
  };
  for (const HistoryRow& row : rows) {
    if (row.type == RowType::ToolOutput) {
      results.push_back(result_part(row));
      continue;
    }
    end_results();
    out.push_back(row.role == RowRole::Assistant ? assistant_message(row)
                                                 : user_message(row, pictures));
  }
  end_results();
  return out;
}

}  // namespace gantry::chat_cortask
