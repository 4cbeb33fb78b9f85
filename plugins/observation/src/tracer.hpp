// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recording of tool calls (observer contract 2.14). Every tool of every protocol passes here, at
// the one place that runs tools. What is secret is taken out before it is written; the disk is
// touched off the strand; a disk that is full is reported and never fails a tool.

#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/window.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "desktop.hpp"
#include "errors.hpp"
#include "trace_files.hpp"
#include "tree.hpp"

namespace gantry::observation {

struct Engine;
struct Settlement;
struct Tool;

/// A text as the engine lets it be written down (see Shield::recorded).
[[nodiscard]] CleanText recorded_text(Engine& engine);

/// What the desktop was like before a call.
struct TraceMoment {
  std::int64_t began_ns = 0;
  std::int64_t wall_ns = 0;
  std::optional<WindowInfo> window;  ///< The focused one.
  std::shared_ptr<const Tree> tree;  ///< Its tree; nullptr when there is none.
  [[nodiscard]] std::string hash() const { return tree ? tree->hash : std::string(); }
};

struct TraceStatus {
  std::string trace_id;  ///< Empty: nothing is recorded.
  std::string folder;
  std::string path;
  std::int64_t started_wall_ns = 0;
  std::int64_t steps = 0;
  std::int64_t dropped = 0;  ///< Lines and pictures that could not be written.
  std::string error;         ///< Why, the last time.
  std::int64_t duration_ms = 0;
};

class Tracer {
 public:
  [[nodiscard]] bool active() const { return session_ != nullptr; }
  /// Grows when a recording begins or ends.
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  [[nodiscard]] TraceStatus status(const Engine& engine) const;

  /// BadRequest when a recording runs already; Internal when the folder cannot be made.
  Task<Outcome<TraceStatus>> start(Engine& engine, std::string label);
  /// BadRequest when nothing is recorded. Waits for what is still being written.
  Task<Outcome<TraceStatus>> stop(Engine& engine);

  /// Whether calls of this tool are recorded now: not those that control recordings and replays.
  [[nodiscard]] bool wants(const Tool& tool) const;
  Task<TraceMoment> before(Engine& engine);
  /// Writes one line, after the call and before its answer is given out. `settlement`
  /// says what of the arguments is a secret; without an answer what was typed counts as one. False
  /// when the line could not be written.
  Task<bool> record(Engine& engine, const Tool& tool, const ObserverToolRequest& request,
                    const TraceMoment& before, const ObserverToolResult& result,
                    const Settlement& settlement);

 private:
  struct Session {
    std::string id;
    std::unique_ptr<TraceFiles> files;
    std::int64_t started_wall_ns = 0;
    std::int64_t started_ns = 0;
    std::int64_t steps = 0;
    std::int64_t dropped = 0;
    std::string error;
  };

  Task<TraceMoment> look(Engine& engine);

  std::int64_t changes_ = 0;
  std::shared_ptr<Session> session_;  ///< Shared with the calls that are still being written.
};

}  // namespace gantry::observation
