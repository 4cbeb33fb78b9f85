// SPDX-License-Identifier: Apache-2.0
#pragma once
// What people say to a desktop: the commands of docs/rules-planner.md, with names of windows and
// elements put in.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "language_model.hpp"

namespace gantry::stt_pocketsphinx {

/// Runs `use(words, weight)` for every sentence that the model is made of.
using UseSentence = std::function<void(const std::vector<std::string>&, double)>;

struct CommandModel {
  LanguageModel model;
  std::size_t phrases = 0;  // of the vocabulary that are in it
  std::size_t skipped = 0;  // words of the vocabulary in other scripts
};

/// A model of commands about `vocabulary` (at most 400 phrases of it, the first ones) and about
/// what most windows have.
[[nodiscard]] CommandModel command_model(const std::vector<std::string>& vocabulary);

/// The sentences themselves. Returns the model without its counts.
CommandModel for_each_command(const std::vector<std::string>& vocabulary, const UseSentence& use);

}  // namespace gantry::stt_pocketsphinx
