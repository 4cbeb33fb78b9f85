// SPDX-License-Identifier: Apache-2.0
// What the commands that speak have in common.
#pragma once

#include <gantry/contracts/voice.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/access.hpp"
#include "cli/loudspeaker.hpp"

namespace gantry::cli {

/// Says texts: on the loudspeaker, or into a WAVE file when --output names one ("-": standard
/// output).
class Speech {
 public:
  Speech(Access& access, const Invocation& invocation) : access_(access), invocation_(invocation) {}

  /// Sentence by sentence, each made while the one before is heard. How many there were. Errors:
  /// those of gantry.voice.render/1, unavailable (no loudspeaker).
  Result<std::size_t> say(const std::string& text);
  /// Waits until all was heard, or writes the file.
  Result<void> finish();

  [[nodiscard]] const std::vector<std::string>& sentences() const { return sentences_; }
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::int32_t sample_rate() const { return rate_; }
  [[nodiscard]] bool to_file() const { return !invocation_.output.empty(); }

 private:
  Result<void> take(const Audio& audio);

  Access& access_;
  const Invocation& invocation_;
  std::optional<Loudspeaker> loudspeaker_;
  std::string samples_;  // for the file
  std::size_t bytes_ = 0;
  std::int32_t rate_ = 22'050;
  std::vector<std::string> sentences_;
};

/// The command's error on standard error (with --json as one document on standard output, too), and
/// its exit code.
int speech_failure(const Invocation& invocation, const Error& error);

}  // namespace gantry::cli
