// SPDX-License-Identifier: Apache-2.0
#pragma once
// One compaction of one session: the summary is written by the turn's model; where that is no
// language model, or fails, it is extracted from the messages. Strand only.

#include <functional>
#include <memory>
#include <string>

#include "compaction_plan.hpp"
#include "core.hpp"
#include "model_call.hpp"
#include "prompt.hpp"

namespace gantry::agent {

struct CompactionOrder {
  std::string reason;  // manual, auto, auto-mid, overflow
  std::string turn;    // whose events they are; empty: of none
  std::size_t keep = 6;
  bool must_fit = true;
};

class Compaction : public std::enable_shared_from_this<Compaction> {
 public:
  using Done = std::function<void(const CompactionReport&)>;

  Compaction(Core& core, std::shared_ptr<Session> session, Frame frame, CompactionOrder order,
             Done done)
      : core_(core),
        session_(std::move(session)),
        frame_(std::move(frame)),
        order_(std::move(order)),
        done_(std::move(done)) {}
  /// Logs its events; `done` runs once, maybe at once. The session's history is changed then.
  void begin();
  /// Nothing is changed, `done` does not run.
  void cancel();

 private:
  void ask_model();
  void finish(std::string summary);
  void skip(std::string why);

  Core& core_;
  std::shared_ptr<Session> session_;
  Frame frame_;
  CompactionOrder order_;
  Done done_;
  CompactionPlan plan_;
  CompactionReport report_;
  std::string written_;  // by the model so far
  std::unique_ptr<ModelCall> call_;
};

}  // namespace gantry::agent
