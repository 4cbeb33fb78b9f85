// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a pointer tool is meant for: a point, an element by its id, one that shows a text, one that
// a description names, or one of the candidates of an earlier answer. A name that fits several is
// refused with the candidates, and nothing is guessed.

#include <gantry/contracts/tool.hpp>
#include <gantry/observed.hpp>
#include <gantry/task.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "candidates.hpp"
#include "run.hpp"

namespace gantry::desk {

struct Grounded {
  std::optional<Target> target;       ///< Missing without a refusal: the arguments name nothing.
  std::optional<ToolResult> refusal;  ///< Why nothing was found; the tool's answer.
};

/// `prefix` is in front of the arguments' names: "drag_to_" for where a drag ends.
Task<Grounded> ground(Run& run, std::string prefix);

/// A word of a picture, as get_ocr answers it.
struct Word {
  std::string text;
  std::int64_t line = 0;
  std::int64_t x = 0, y = 0, width = 0, height = 0;  ///< On the screen.
};
[[nodiscard]] std::vector<Word> read_words(const boost::json::object& answer);
/// The places where the words of `wanted` stand side by side on a line: those that are the same,
/// else those that begin with them or have them.
[[nodiscard]] std::vector<Target> find_words(const std::vector<Word>& words,
                                             const std::string& wanted);

}  // namespace gantry::desk
