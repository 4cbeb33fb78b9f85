// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs tools: the one way into the engine for every protocol. Numbers the step, runs the tool, and
// puts the envelope around what it says (observer contract 1.1).

#include <gantry/contracts/observe.hpp>

#include <memory>
#include <string>
#include <vector>

#include "engine.hpp"
#include "tools.hpp"

namespace gantry::observation {

class Observer {
 public:
  Observer(Desktop& desktop, const Settings& settings, std::string version,
           Gate& gate = open_gate());

  /// Failures of the tool are in the result; the task itself does not fail.
  Task<ObserverToolResult> run(Ref<ObserverToolRequest> request,
                               std::shared_ptr<const Life> life = std::make_shared<Life>());

  /// Whoever made the call of this life has given up: what it waits for ends now, not at its next
  /// look.
  void give_up(const Life& life) { engine_.pulse.give_up(life); }
  /// Ends all that waits, and lets nothing wait any more: whoever asked is told that the observer
  /// stops.
  void end();

  [[nodiscard]] ObserverStatusReport status() const;

  [[nodiscard]] Engine& engine() { return engine_; }

  /// Takes over new settings; captures, tokens and steps stay.
  void reconfigure(const Settings& settings);

 private:
  Task<ObserverToolResult> run_tool(Ref<ObserverToolRequest> request, const Tool& tool,
                                    std::shared_ptr<const Life> life, Settlement& settlement);
  /// The same, and a row in the trace when one is recorded.
  Task<ObserverToolResult> run_recorded(Ref<ObserverToolRequest> request, const Tool& tool,
                                        std::shared_ptr<const Life> life, Settlement& settlement);

  Engine engine_;
  std::uint64_t calls_ = 0;
  std::int64_t started_ns_;
};

}  // namespace gantry::observation
