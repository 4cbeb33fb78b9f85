// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs tools: the one way into the engine for every protocol. Numbers the step, runs the tool, and
// puts the envelope around what it says (observer contract 1.1).

#include <gantry/contracts/observe.hpp>

#include <string>
#include <vector>

#include "engine.hpp"
#include "tools.hpp"

namespace gantry::observation {

class Observer {
 public:
  Observer(Desktop& desktop, const Settings& settings, std::string version);

  /// Failures of the tool are in the result; the task itself does not fail.
  Task<ObserverToolResult> run(Ref<ObserverToolRequest> request);

  [[nodiscard]] ObserverStatusReport status() const;

  [[nodiscard]] Engine& engine() { return engine_; }

  /// Takes over new settings; captures, tokens and steps stay.
  void reconfigure(const Settings& settings);

 private:
  Engine engine_;
  std::int64_t started_ns_;
};

}  // namespace gantry::observation
