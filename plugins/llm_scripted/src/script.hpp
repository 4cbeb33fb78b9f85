// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scripts: lines that say what the model does. The grammar is in README.md. Pure functions.

#include <gantry/contracts/llm.hpp>
#include <gantry/llm/errors.hpp>
#include <gantry/result.hpp>
#include <gantry/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::scripted {

enum class Verb {
  Reply,
  Chunks,
  Thinking,
  Tool,
  Batch,
  Malformed,
  Image,
  ImageQuestion,
  Show,
  Search,
  Delay,
  Usage,
  Finish,
  Error,
  Hang,
  Next,
  File
};

struct ScriptCall {
  std::string tool;
  std::string arguments;  // as the model writes them; of Malformed no JSON
};

struct Statement {
  Verb verb = Verb::Reply;
  std::string text;                 // words, a name, a query, a message
  std::vector<std::string> chunks;  // Chunks
  std::vector<ScriptCall> calls;    // Tool, Batch, Malformed
  Duration time{0};                 // Delay; between two Chunks
  LlmUsage usage;
  LlmFinishReason reason = LlmFinishReason::Stop;
  llm::Trouble trouble = llm::Trouble::Overloaded;
  std::optional<std::int64_t> retry_after_ms;
};

/// What the model does at one call.
using ScriptedAnswer = std::vector<Statement>;

struct Script {
  std::vector<ScriptedAnswer> answers;
};

/// The lines of `text` from the first one that begins with @script. Empty when there is none. When
/// the text has <user_query> blocks only the last one counts.
[[nodiscard]] std::string script_lines(std::string_view text);

/// Reads what script_lines() found, or a file. The error names the line.
[[nodiscard]] Result<Script> parse_script(std::string_view text);

}  // namespace gantry::scripted
