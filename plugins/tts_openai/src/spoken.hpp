// SPDX-License-Identifier: Apache-2.0
//
// The interface: POST /audio/speech, answered with samples. Pure.
#pragma once

#include <gantry/http/client.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::tts_openai {

[[nodiscard]] http::HttpRequest speech_request(const Settings& settings, const std::string& text,
                                               const std::string& voice, double rate);

/// What an answer that is no sound means; never with the key, which some servers repeat. Codes:
/// unauthenticated, resource_exhausted, not_found, invalid_argument, unavailable.
[[nodiscard]] Error speech_error(int status, std::string_view body, const Settings& settings);

/// Samples of 16 bits, little end first, from pieces that may end within one.
class PcmStream {
 public:
  [[nodiscard]] std::vector<std::int16_t> feed(std::string_view bytes);

 private:
  std::string half_;
};

}  // namespace gantry::tts_openai
