// SPDX-License-Identifier: Apache-2.0
//
// What a model wrote as the arguments of a tool call, made into an object. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gantry::llm {

/// `json` is an object. `problem` is a sentence for the model when the text was none and could not
/// be repaired; `json` is {} then.
struct ToolArguments {
  std::string json = "{}";
  bool repaired = false;
  std::string problem;
};

/// Repairs what models get wrong without changing what they meant: nothing at all, a code fence, an
/// object inside a string, a comma too many, single quotes, names without quotes, raw line breaks
/// in strings, True/False/None, comments, brackets that are not closed. Tried once. A string that
/// does not end is never closed here: it may be half a command. `cut_off`: the answer ended at a
/// limit, so brackets are not closed either.
[[nodiscard]] ToolArguments read_tool_arguments(std::string_view text, bool cut_off = false);

}  // namespace gantry::llm
