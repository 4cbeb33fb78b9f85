// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing frames: the envelope around a payload, and the numbering of the events of one turn.
// Pure, any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::agent_ws {

/// What is known of where a frame belongs; empty members are left out.
struct FrameContext {
  std::string user_id;
  std::string conversation_ref;
  std::string turn_ref;
};

/// A frame of no turn. No `id` writes null, as errors before dispatch have it; `with_id` false
/// leaves the member out (the two messages after the handshake).
struct FrameId {
  std::string_view id{};
  bool with_id = true;
};

[[nodiscard]] std::string write_frame(std::string_view type, FrameId id, std::string_view payload,
                                      const FrameContext& context, std::int64_t at_ms);

/// Numbers the events of one turn from 1, without a gap.
class TurnFrames {
 public:
  explicit TurnFrames(FrameContext context);

  /// The next event: {type, id, payload, …, event_id, sequence}. The event_id is
  /// "<turn_ref>-evt-<event_number>-<type>"; a type needs no escapes.
  [[nodiscard]] std::string next(std::string_view type, std::string_view payload,
                                 std::int64_t at_ms) {
    return next(type, at_ms, [payload](std::string& out) { out += payload; });
  }
  /// The same with a payload that `write` appends to the text it is given.
  template <class Write>
  [[nodiscard]] std::string next(std::string_view type, std::int64_t at_ms, Write write) {
    std::string out = begin(type);
    write(out);
    end(out, type, at_ms);
    return out;
  }
  /// iso_time(), which is the same for many events in a row; until it is asked of another time.
  [[nodiscard]] const std::string& time(std::int64_t at_ms);
  [[nodiscard]] std::int64_t last_sequence() const { return sequence_; }
  [[nodiscard]] const FrameContext& context() const { return context_; }

 private:
  [[nodiscard]] std::string begin(std::string_view type) const;
  void end(std::string& out, std::string_view type, std::int64_t at_ms);

  FrameContext context_;
  // As every frame has them.
  std::string id_;
  std::string context_members_;
  std::string event_id_;    // up to its number
  std::string time_;        // that was asked for latest; empty: none was
  std::int64_t at_ms_ = 0;  // which is this one
  std::int64_t sequence_ = 0;
};

/// At least six digits: 000001.
[[nodiscard]] std::string event_number(std::int64_t sequence);

/// 2026-03-03T16:00:00.000Z. Milliseconds since 1970.
[[nodiscard]] std::string iso_time(std::int64_t at_ms);

}  // namespace gantry::agent_ws
