// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <gantry/codec.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gantry::agent_ws {
namespace {

constexpr std::size_t kEnvelopeBytes = 320;  // roughly, besides the payload
constexpr std::size_t kPayloadBytes = 384;   // of most events of a turn

void add(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  out += ",\"";
  out += key;
  out += "\":";
  codec::write_string(out, text);
}

/// Writes a number into `width` places from `at` on.
void put_digits(std::string& out, std::size_t at, std::size_t width, std::int64_t number) {
  for (std::size_t i = at + width; i-- > at; number /= 10) {
    out[i] = static_cast<char>('0' + number % 10);
  }
}

/// The members that say where a frame belongs.
std::string context_members(const FrameContext& context) {
  std::string out;
  add(out, "user_id", context.user_id);
  add(out, "conversation_ref", context.conversation_ref);
  add(out, "turn_ref", context.turn_ref);
  return out;
}

/// Everything up to and with the time; the object is still open. `context` is members.
std::string begin(std::string_view type, FrameId id, std::string_view payload,
                  std::string_view context, std::int64_t at_ms) {
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
  out += context;
  if (at_ms > 0) add(out, "timestamp", iso_time(at_ms));
  return out;
}

}  // namespace

std::string write_frame(std::string_view type, FrameId id, std::string_view payload,
                        const FrameContext& context, std::int64_t at_ms) {
  std::string out = begin(type, id, payload, context_members(context), at_ms);
  out += '}';
  return out;
}

TurnFrames::TurnFrames(FrameContext context)
    : context_(std::move(context)), context_members_(context_members(context_)) {
  codec::write_string(event_id_, context_.turn_ref);
  id_ = context_.turn_ref.empty() ? "null" : event_id_;
  event_id_.pop_back();
  event_id_ += "-evt-";
}

const std::string& TurnFrames::time(std::int64_t at_ms) {
  if (std::exchange(at_ms_, at_ms) != at_ms || time_.empty()) time_ = iso_time(at_ms);
  return time_;
}

std::string TurnFrames::begin(std::string_view type) const {
  std::string out;
  out.reserve(context_members_.size() + kEnvelopeBytes + kPayloadBytes);
  out += R"({"type":")";
  out += type;
  out += R"(","id":)";
  out += id_;
  out += R"(,"payload":)";
  return out;
}

void TurnFrames::end(std::string& out, std::string_view type, std::int64_t at_ms) {
  ++sequence_;
  out += context_members_;
  if (at_ms > 0) {
    out += R"(,"timestamp":")";
    out += time(at_ms);
    out += '"';
  }
  out += R"(,"event_id":)";
  out += event_id_;
  out += event_number(sequence_);
  out += '-';
  out += type;
  out += R"(","sequence":)";
  codec::write_integer(out, sequence_);
  out += '}';
}

std::string event_number(std::int64_t sequence) {
  constexpr std::size_t kWidth = 6;
  std::string number = std::to_string(sequence);
  if (number.size() < kWidth) number.insert(0, kWidth - number.size(), '0');
  return number;
}

std::string iso_time(std::int64_t at_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds(at_ms)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::string out = "0000-00-00T00:00:00.000Z";
  put_digits(out, 0, 4, static_cast<int>(date.year()));
  put_digits(out, 5, 2, static_cast<unsigned>(date.month()));
  put_digits(out, 8, 2, static_cast<unsigned>(date.day()));
  put_digits(out, 11, 2, clock.hours().count());
  put_digits(out, 14, 2, clock.minutes().count());
  put_digits(out, 17, 2, clock.seconds().count());
  put_digits(out, 20, 3, clock.subseconds().count());
  return out;
}

}  // namespace gantry::agent_ws
