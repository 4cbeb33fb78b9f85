// SPDX-License-Identifier: Apache-2.0
// What the agent engine reads that others wrote: schemas and arguments of tools, forms, answers,
// text for the model. The first line is the schema, the rest the arguments.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent_engine/src/elicitation.hpp"
#include "agent_engine/src/event.hpp"
#include "agent_engine/src/json_schema.hpp"
#include "agent_engine/src/text.hpp"

namespace {

using namespace gantry;

/// A block ends where it ends: once, at its last line.
void check_block(std::string_view text) {
  const std::string block = agent::untrusted_block("tool", text);
  constexpr std::string_view kEnd = "</tool_output>";
  if (block.find(kEnd) != block.size() - kEnd.size()) std::abort();
}

void check_cut(std::string_view text) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{7}, text.size()}) {
    if (agent::cut_end(text, bytes).size() > bytes) std::abort();
    (void)agent::cut_middle(text, bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view schema = input.substr(0, input.find('\n'));
  const std::string_view rest = input.substr(schema.size() < size ? schema.size() + 1 : size);
  (void)agent::check_schema(schema, rest);
  check_block(input);
  check_cut(input);
  (void)agent::fits(schema.substr(0, 64), rest.substr(0, 256));
  (void)agent::from_entry({1, "ToolResult", Json(std::string(rest)), 0});
  (void)agent::questionnaire_of(Json(std::string(rest)));
  Ask ask;
  ask.params = Json(std::string(rest));
  if (auto form = agent::questionnaire_of(ask); form.ok()) {
    form->responses = Json(std::string(schema));
    (void)agent::answers_text(*form);
    (void)agent::ask_answer("1", *form);
  }
  return 0;
}
