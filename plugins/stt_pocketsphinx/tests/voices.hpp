// SPDX-License-Identifier: Apache-2.0
//
// Voices with what they say: recordings of people (Debian's pocketsphinx-testdata), and commands
// that flite speaks.
#pragma once

#include <gantry/media.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::voices {

struct Clip {
  std::string name;
  Audio audio;
  std::string said;
};

/// The recordings; empty when the package is not installed.
[[nodiscard]] std::vector<Clip> recordings();

/// `text` as flite's voice ("slt" or "rms") says it, at 16,000 samples a second.
[[nodiscard]] Audio spoken_by(std::string_view voice, const std::string& text);

/// The first ones, 300 ms after one another, which end no utterance, until there are `seconds` of
/// them. All have 16,000 samples a second.
[[nodiscard]] Clip joined(const std::vector<Clip>& clips, std::size_t seconds);

/// Titles and names that a desktop has while the commands are said.
[[nodiscard]] const std::vector<std::string>& names_on_screen();
/// Commands about them. None of them is a sentence that a language model was made of.
[[nodiscard]] const std::vector<std::string>& commands();
/// More of them, which nothing was tuned on.
[[nodiscard]] const std::vector<std::string>& more_commands();

struct Errors {
  std::size_t wrong = 0;  // words put in, left out or mistaken
  std::size_t words = 0;

  [[nodiscard]] double rate() const {
    return words == 0 ? 0 : static_cast<double>(wrong) / static_cast<double>(words);
  }
  void add(const Errors& more) {
    wrong += more.wrong;
    words += more.words;
  }
};
[[nodiscard]] Errors compare(std::string_view said, std::string_view heard);

}  // namespace gantry::voices
