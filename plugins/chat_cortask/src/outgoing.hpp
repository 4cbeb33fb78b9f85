// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frames that a client gets; the only place where their JSON names are spelt. Members are sent
// in this order, optional ones only when they are there.

#include <gantry/json.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace gantry::chat_cortask {

struct ThinkingDelta {
  std::string type = "thinking_delta";
  std::string sessionKey{};
  std::string text{};
};
BOOST_DESCRIBE_STRUCT(ThinkingDelta, (), (type, sessionKey, text))

struct TextDelta {
  std::string type = "text_delta";
  std::string sessionKey{};
  std::string text{};
};
BOOST_DESCRIBE_STRUCT(TextDelta, (), (type, sessionKey, text))

struct ToolCallStart {
  std::string type = "tool_call_start";
  std::string sessionKey{};
  std::string toolName{};
  std::string toolCallId{};
};
BOOST_DESCRIBE_STRUCT(ToolCallStart, (), (type, sessionKey, toolName, toolCallId))

struct ToolCallDelta {
  std::string type = "tool_call_delta";
  std::string sessionKey{};
  std::string toolCallId{};
  std::string text{};  // of the arguments
};
BOOST_DESCRIBE_STRUCT(ToolCallDelta, (), (type, sessionKey, toolCallId, text))

struct ToolCallEnd {
  std::string type = "tool_call_end";
  std::string sessionKey{};
  std::string toolCallId{};
};
BOOST_DESCRIBE_STRUCT(ToolCallEnd, (), (type, sessionKey, toolCallId))

struct ToolResultFrame {
  std::string type = "tool_result";
  std::string sessionKey{};
  std::string toolCallId{};
  std::string toolName{};
  Json toolArgs{"{}"};
  std::string content{};
  bool isError = false;
};
BOOST_DESCRIBE_STRUCT(ToolResultFrame, (),
                      (type, sessionKey, toolCallId, toolName, toolArgs, content, isError))

struct PermissionRequest {
  std::string type = "permission_request";
  std::string requestId{};
  std::string description{};
  std::optional<std::string> details{};
  std::string sessionKey{};
};
BOOST_DESCRIBE_STRUCT(PermissionRequest, (), (type, requestId, description, details, sessionKey))

struct QuestionnaireData {
  std::string title{};
  std::optional<std::string> description{};
  Json questions{"[]"};
};
BOOST_DESCRIBE_STRUCT(QuestionnaireData, (), (title, description, questions))

struct QuestionnaireRequest {
  std::string type = "questionnaire_request";
  std::string requestId{};
  QuestionnaireData data;
  std::string sessionKey{};
};
BOOST_DESCRIBE_STRUCT(QuestionnaireRequest, (), (type, requestId, data, sessionKey))

struct TokenUsage {
  std::int64_t inputTokens = 0;
  std::int64_t outputTokens = 0;
};
BOOST_DESCRIBE_STRUCT(TokenUsage, (), (inputTokens, outputTokens))

struct DoneFrame {
  std::string type = "done";
  std::string sessionKey{};
  TokenUsage usage;
  std::optional<bool> cancelled;  // true: the run was stopped
};
BOOST_DESCRIBE_STRUCT(DoneFrame, (), (type, sessionKey, usage, cancelled))

struct ErrorFrame {
  std::string type = "error";
  std::optional<std::string> sessionKey{};
  std::string error{};
};
BOOST_DESCRIBE_STRUCT(ErrorFrame, (), (type, sessionKey, error))

struct ChannelStatusFrame {
  std::string type = "channel:status";
  std::string channelId{};
  bool running = false;
  std::optional<bool> authenticated;
};
BOOST_DESCRIBE_STRUCT(ChannelStatusFrame, (), (type, channelId, running, authenticated))

struct SessionRefreshFrame {
  std::string type = "session:refresh";
  std::string workspaceId{};
};
BOOST_DESCRIBE_STRUCT(SessionRefreshFrame, (), (type, workspaceId))

}  // namespace gantry::chat_cortask
