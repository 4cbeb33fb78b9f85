// SPDX-License-Identifier: Apache-2.0
#pragma once
// Repeating recordings: which parts of an answer are compared for which tool, and how far each
// replay has come (observer contract 2.14).

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "json_object.hpp"
#include "trace_record.hpp"

namespace gantry::observation {

enum class ReplayMode { Execute, Verify };
enum class OnDivergence { Warn, Stop, Resume };

struct Difference {
  std::string path;
  std::string want;  ///< JSON
  std::string got;   ///< JSON
};

/// Compares two summaries by the rules of the tool. What neither has is equal. `everything`: all
/// rules of the tool; otherwise only whether it went well.
[[nodiscard]] std::vector<Difference> compare_summaries(std::string_view tool,
                                                        std::string_view recorded,
                                                        std::string_view actual, bool everything);

/// [{"path","want","got"}…]
[[nodiscard]] RawJson differences_json(const std::vector<Difference>& differences);

struct Replay {
  std::string id;
  std::string label;
  std::string trace_id;
  ReplayMode mode = ReplayMode::Execute;
  OnDivergence on_divergence = OnDivergence::Warn;
  std::vector<TraceRow> rows;
  std::vector<std::string> problems;
  std::size_t position = 0;
  bool stopped_early = false;
  bool busy = false;                     ///< A step is running.
  std::vector<std::string> divergences;  ///< JSON objects
  /// By trace_seq: what to type where the recording has "<redacted>".
  std::map<std::int64_t, std::string> secrets;
  /// Tokens and ids of the recording and what they are in this run.
  std::map<std::string, std::string> now_called;

  [[nodiscard]] bool finished() const { return stopped_early || position >= rows.size(); }
  /// Learns what this run calls the things that the recorded answer named.
  void learn(std::string_view recorded, std::string_view actual);
  /// The recorded arguments with the names of this run.
  [[nodiscard]] std::string arguments_now(const TraceRow& row) const;
};

/// The replays that are open; ids are never used twice.
class Replays {
 public:
  /// BadRequest when too many are open.
  Outcome<std::shared_ptr<Replay>> open(Replay replay);
  /// BadRequest "unknown replay_id".
  [[nodiscard]] Outcome<std::shared_ptr<Replay>> find(const std::string& id) const;
  bool close(const std::string& id) { return open_.erase(id) > 0; }

 private:
  static constexpr std::size_t kMostOpen = 16;
  std::map<std::string, std::shared_ptr<Replay>> open_;
  std::int64_t opened_ = 0;
};

}  // namespace gantry::observation
