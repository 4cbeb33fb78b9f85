// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text frames in, and all frames out. Pure functions.

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::transcription_ws {

struct ControlFrame {
  enum class Kind : std::uint8_t { Ignored, SetLanguage, StartOver };
  Kind kind = Kind::Ignored;
  std::string language;  // of SetLanguage, trimmed and never empty
};

[[nodiscard]] ControlFrame read_control_frame(std::string_view text);

[[nodiscard]] std::string status_frame(std::string_view client_id);
[[nodiscard]] std::string realtime_frame(std::string_view text, bool is_final);
[[nodiscard]] std::string utterance_end_frame();
/// `code` is one of ours, beside the published message: "unavailable", "resource_exhausted", …
[[nodiscard]] std::string error_frame(std::string_view message, std::string_view code);

}  // namespace gantry::transcription_ws
