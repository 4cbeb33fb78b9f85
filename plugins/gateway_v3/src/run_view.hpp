// SPDX-License-Identifier: Apache-2.0
#pragma once
// The session's log in, events of the protocol out. Any thread.

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::gateway {

/// How a run ended.
struct RunEnd {
  TurnEnd end = TurnEnd::Completed;
  std::string content;       // never empty when it was completed
  std::string thinking;      // all of it
  std::string error;         // of a failure
  std::string model;         // that answered last
  boost::json::value media;  // [{path, content_type}] or null
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// One event: what `agent` events carry as `type` and `payload`.
struct RunEvent {
  std::string type;
  boost::json::value payload;  // an object, or null; not of chunk and thinking
  std::string text;            // of these: payload.content
  bool is_text = false;
  bool terminal = false;
  std::uint64_t seq = 0;
};

/// What a `seq` of the wire says: an entry of the log, and which event of it.
constexpr std::uint64_t kSeqPerEntry = 256;

class RunView {
 public:
  /// Events of one entry of the log; `seq` rises from one to the next.
  std::vector<RunEvent> take(const SessionEvent& event);

  /// After a terminal event.
  [[nodiscard]] const RunEnd& end() const { return end_; }
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] bool started() const { return started_; }

 private:
  void take_calls(const SessionEvent& event, std::vector<RunEvent>& out);
  void take_result(const SessionEvent& event, std::vector<RunEvent>& out);
  void take_end(const SessionEvent& event, std::vector<RunEvent>& out);

  std::unordered_map<std::string, boost::json::value> arguments_;  // by request
  RunEnd end_;
  bool started_ = false;
  bool over_ = false;
};

/// {prompt_tokens, completion_tokens, total_tokens}.
boost::json::object usage_of(const RunEnd& end);
/// The JSON of a piece of JSON; null when it is none.
boost::json::value value_of(const Json& json);

}  // namespace gantry::gateway
