// SPDX-License-Identifier: Apache-2.0
#pragma once

// Both ends of the agent benchmarks. What is measured travels in texts: the clients write when they
// sent a message, the model writes when its first byte came and when it sent a piece.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::bench {

/// Nanoseconds of the clock that all processes of this machine share.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The numbers after each `mark` in a text.
std::vector<std::int64_t> numbers_after(std::string_view text, std::string_view mark);

/// A query is "chunks=7 gap_us=0 sent=123 ;": so many pieces, so long between them.
inline constexpr std::string_view kChunks = "chunks=";
inline constexpr std::string_view kGap = "gap_us=";
inline constexpr std::string_view kSent = "sent=";
/// Pieces of an answer: "first=123 " is how long the message took to reach the model, "piece=123 "
/// when the piece was sent.
inline constexpr std::string_view kFirst = "first=";
inline constexpr std::string_view kPiece = "piece=";

/// Chat completions that stream at once, on 127.0.0.1:port, until the process ends.
void serve_model(std::uint16_t port);

/// The least that a server of durable turns does; see floor_server.cpp.
void serve_floor(std::uint16_t port, std::uint16_t model_port, const std::string& database,
                 const std::string& frames_file);

struct LoadOptions {
  std::uint16_t port = 0;
  std::string token_file;  // a user's token a line
  int per_user = 1;        // conversations of a user, all on one connection
  int turns = 1;           // of each conversation, one after the other
  int chunks = 7;
  std::int64_t gap_us = 0;     // between pieces, also of `frames`
  std::int64_t spread_ms = 0;  // the conversations begin one after the other, in this time
  bool definition = false;     // queries bring an agent_definition, which is traced in six events
  std::string path = "/ws";
  bool echo = false;   // the other end only echoes frames: any text makes it send a turn
  std::string frames;  // file; these are sent instead of a query, and come back
  bool hold = false;   // the connections stay open until standard input ends
  std::string record;  // file for the frames of the first turn, a line each
};

/// Runs the load and prints one JSON object: turns, failed, events_per_turn, seconds, and
/// percentiles in microseconds of `first` and `frame`; `frame` also of the first pieces of turns,
/// of the last ones and of all others.
int run_clients(const LoadOptions& options);

}  // namespace gantry::bench
