// SPDX-License-Identifier: Apache-2.0
//
// Speech or not: where in a stream of sound somebody speaks.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry {

struct VadOpening {
  std::int32_t silence_ms = 0;  // pause that ends speech; 0: what the provider is set to
};
BOOST_DESCRIBE_STRUCT(VadOpening, (), (silence_ms))

/// The next piece: 8000 to 48000 samples a second, one channel; the rate may change. With `flush`
/// what is under way ends, and Flushed comes.
struct VadInput {
  Audio audio;
  bool flush = false;
};
BOOST_DESCRIBE_STRUCT(VadInput, (), (audio, flush))

///   Ready    the first one of every session; `route` says what listens
///   Begin    somebody speaks, from `at_ms` on, which is a little before the first sound of it
///   End      the speech ended at `at_ms`
///   Flushed  everything before the flush has been answered
///   Problem  `text` says what was wrong with a piece; the session goes on
enum class VadEventKind : std::uint8_t { Ready, Begin, End, Flushed, Problem };
BOOST_DESCRIBE_ENUM(VadEventKind, Ready, Begin, End, Flushed, Problem)

struct VadEvent {
  VadEventKind kind = VadEventKind::Ready;
  std::int64_t at_ms = 0;  // of Begin and End, from the session's first sample
  std::string route;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(VadEvent, (), (kind, at_ms, route, text))

/// Errors: resource_exhausted (as many sessions as the provider has room for).
struct VadDetect {
  static constexpr std::string_view kName = "gantry.vad.detect/1";
  static constexpr std::string_view kDoc = "Tells where in a stream of sound somebody speaks.";
  using Opening = VadOpening;
  using Down = VadEvent;
  using Up = VadInput;
};

}  // namespace gantry
