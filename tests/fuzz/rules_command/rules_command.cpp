// SPDX-License-Identifier: Apache-2.0
//
// Any words to the rule planner: it reads them, and its next move is either calls with objects as
// arguments or words.
#include <gantry/llm/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gantry;
  LlmChatRequest request;
  LlmMessage& message = request.messages.emplace_back();
  message.blocks.emplace_back().text.assign(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"list_windows", "get_element_tree", "click_at", "type_text", "press_key",
                           "scroll", "open_app", "wait_for", "wait", "get_screenshot"}) {
    request.tools.push_back({name, "", Json(R"({"type":"object"})"), false});
  }
  const rules::Move move = rules::next_move(request, 1000);
  if (move.calls.empty() == move.text.empty()) std::abort();
  for (const LlmToolCall& call : move.calls) {
    if (!llm::parse_or_null(call.arguments.text).is_object()) std::abort();
  }
  return 0;
}
