// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <ctime>
#include <utility>

namespace gantry::agent_ws {
namespace {

constexpr std::size_t kEnvelopeBytes = 320;  // roughly, besides the payload

void add(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  out += ",\"";
  out += key;
  out += "\":";
  codec::write_string(out, text);
}

/// Everything up to and with the context; the object is still open.
std::string begin(std::string_view type, FrameId id, std::string_view payload,
                  const FrameContext& context, std::int64_t at_ms) {
  std::string out;
  out.reserve(payload.size() + kEnvelopeBytes);
  out += "{\"type\":";
  codec::write_string(out, type);
  if (id.with_id) {
    out += ",\"id\":";
    if (id.id.empty()) {
      out += "null";
    } else {
      codec::write_string(out, id.id);
    }
  }
  out += ",\"payload\":";
  out += payload;
  add(out, "user_id", context.user_id);
  add(out, "conversation_ref", context.conversation_ref);
  add(out, "turn_ref", context.turn_ref);
  if (at_ms > 0) add(out, "timestamp", iso_time(at_ms));
  return out;
}

}  // namespace

std::string write_frame(std::string_view type, FrameId id, std::string_view payload,
                        const FrameContext& context, std::int64_t at_ms) {
  std::string out = begin(type, id, payload, context, at_ms);
  out += '}';
  return out;
}

std::string TurnFrames::next(std::string_view type, std::string_view payload, std::int64_t at_ms) {
  ++sequence_;
  std::string out = begin(type, {context_.turn_ref}, payload, context_, at_ms);
  add(out, "event_id", event_id(context_.turn_ref, sequence_, type));
  out += ",\"sequence\":";
  codec::write_integer(out, sequence_);
  out += '}';
  return out;
}

std::string event_id(std::string_view turn_ref, std::int64_t sequence, std::string_view type) {
  return fmt::format("{}-evt-{:06}-{}", turn_ref, sequence, type);
}

std::string iso_time(std::int64_t at_ms) {
  const std::time_t seconds = static_cast<std::time_t>(at_ms / 1000);
  std::tm broken{};
  gmtime_r(&seconds, &broken);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", broken.tm_year + 1900,
                     broken.tm_mon + 1, broken.tm_mday, broken.tm_hour, broken.tm_min,
                     broken.tm_sec, at_ms % 1000);
}

}  // namespace gantry::agent_ws
