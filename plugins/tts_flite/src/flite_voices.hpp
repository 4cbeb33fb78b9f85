// SPDX-License-Identifier: Apache-2.0
//
// Flite and the voices that are installed. Flite keeps much in variables of its own, so one text is
// spoken at a time in the whole process.
#pragma once

#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::tts_flite {

/// Short names of all voices that there may be.
[[nodiscard]] std::span<const std::string_view> known_voices();

/// "slt" of "slt", "cmu_us_slt" and "SLT"; empty when there is no such voice.
[[nodiscard]] std::string voice_name(std::string_view asked);

/// Whether the voice's library is there. Errors: unavailable (names the package).
Result<void> find_voice(std::string_view name);

/// Samples of one channel; false ends the synthesis.
using TakeSamples =
    std::function<bool(std::span<const std::int16_t> samples, std::int32_t sample_rate)>;

/// Speaks on the calling thread: some 12 ms of a processor for a second of speech, the first
/// samples after 2 to 20 ms where the text is a first piece of quick_start()'s. `rate` 2 is twice
/// as fast. Errors: unavailable (the voice), internal.
Result<void> speak(std::string_view voice, std::string_view text, double rate,
                   const TakeSamples& take);

/// Gives the voices' memory back; libraries stay mapped.
void release_voices();

/// The text in pieces, the first of them so short that its sound is soon there: up to a comma, or a
/// blank, within the first 90 characters, of which a digit counts as five.
[[nodiscard]] std::vector<std::string> quick_start(std::string_view sentence);

}  // namespace gantry::tts_flite
