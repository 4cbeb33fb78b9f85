// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include "command.hpp"
#include "window_words.hpp"

namespace gantry::rules {
namespace {

constexpr std::size_t kLongestMessage = 400;

/// What stands between the marks that the engine puts around the words of tools.
std::string_view without_marks(std::string_view text) {
  text = trim(text);
  constexpr std::string_view kOpen = "<tool_output ", kClose = "</tool_output>";
  const std::size_t open_end = text.find('\n');
  if (!text.starts_with(kOpen) || !text.ends_with(kClose) || open_end == std::string_view::npos) {
    return text;
  }
  return trim(text.substr(open_end, text.size() - kClose.size() - open_end));
}

/// Tools answer with JSON, in marks that say that it is not to be trusted, or with words.
Outcome read_result(const LlmToolResult& result) {
  Outcome out;
  out.ok = !result.is_error;
  out.text = std::string(without_marks(result.text));
  const std::size_t begin = result.text.find('{'), end = result.text.rfind('}');
  if (begin != std::string::npos && end != std::string::npos && end > begin) {
    const std::string inner = result.text.substr(begin, end - begin + 1);
    const auto read = llm::read_json(inner, [&](const boost::json::value& value) {
      const auto* good = llm::member(value, "ok");
      if (good != nullptr && good->is_bool() && !good->get_bool()) out.ok = false;
      if (const auto* error = llm::member(value, "error")) {
        out.message = llm::text_of(*error, "message");
        if (error->is_string()) out.message = llm::text_of(value, "error");
      }
    });
    if (read.ok()) out.json = inner;
  }
  if (!out.ok && out.message.empty()) out.message = beginning(out.text, kLongestMessage);
  return out;
}

}  // namespace

Replay::Replay(const LlmChatRequest& request) : request_(request) {
  // The command is the user's last message that is no choice.
  std::size_t begin = request.messages.size();
  for (std::size_t i = request.messages.size(); i-- > 0;) {
    if (request.messages[i].role != LlmRole::User) continue;
    const std::string text = llm::text_of(request.messages[i]);
    begin = i;
    command_ = std::string(trim(llm::user_query(text)));
    if (parse_choice(command_) == 0) break;
  }
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const LlmMessage& message = request.messages[i];
    if (i > begin && message.role == LlmRole::User) {
      const std::string text = llm::text_of(message);
      choices_.push_back(parse_choice(llm::user_query(text)));
    }
    for (const LlmBlock& block : message.blocks) {
      if (block.tool_call) ++calls_before_;
      if (i > begin && block.tool_result) results_.push_back(read_result(*block.tool_result));
    }
  }
}

const LlmTool* Replay::offered(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    for (const LlmTool& tool : request_.tools) {
      if (tool.name == name) return &tool;
    }
  }
  return nullptr;
}

const Outcome* Replay::call(const LlmTool& tool, const std::string& arguments) {
  if (next_result_ < results_.size()) return &results_[next_result_++];
  LlmToolCall call;
  call.id = "rules_call_" + std::to_string(calls_before_ + 1);
  call.name = tool.name;
  call.arguments = Json(arguments);
  due_.push_back(std::move(call));
  return nullptr;
}

std::size_t Replay::choose(std::size_t count) {
  if (next_choice_ >= choices_.size()) return 0;
  const std::size_t choice = choices_[next_choice_++];
  return choice <= count ? choice : 0;
}

}  // namespace gantry::rules
