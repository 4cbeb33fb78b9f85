// SPDX-License-Identifier: Apache-2.0
//
// Sound in RIFF/WAVE files. Pure; any thread.
#pragma once

#include <gantry/media.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::speech {

/// The sound of a WAVE file as one channel of 16 bits; several channels are averaged. Takes PCM of
/// 8, 16, 24 and 32 bits and floating point of 32, at any rate from 8000 to 48000. A file whose
/// sizes claim more than is there (a recorder that was ended) is read as far as it goes.
/// Errors: invalid_argument, with what is wrong.
[[nodiscard]] Result<Audio> read_wav(std::string_view bytes);

/// A WAVE file of PCM with 16 bits.
[[nodiscard]] std::string write_wav(const Audio& audio);

/// Checks sound that came from elsewhere: one channel, whole samples, a rate that can be had.
[[nodiscard]] Result<void> check_audio(const Audio& audio);

/// The samples of one channel; a half one at the end is left out.
[[nodiscard]] std::vector<std::int16_t> samples_of(const Buffer& bytes);
[[nodiscard]] Buffer buffer_of(std::span<const std::int16_t> samples);

}  // namespace gantry::speech
