// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the adapter answers: from the built-in desktop (world.hpp) until a scenario is loaded, then
// from that. Used from one strand.

#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/input.hpp>
#include <gantry/contracts/scenario.hpp>
#include <gantry/contracts/screen.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <optional>
#include <string>

#include "scenario_world.hpp"
#include "world.hpp"

namespace gantry::mock {

class MockDesktop {
 public:
  /// `changed` hears of everything that is seen differently afterwards.
  struct Listener {
    std::function<void(const A11yChangedEvent&)> a11y = [](const A11yChangedEvent&) {};
    std::function<void(const WindowChangedEvent&)> window = [](const WindowChangedEvent&) {};
  };
  MockDesktop(std::string_view nonce, Listener listener);

  /// Of scenarios that are loaded from now on, bytes.
  void limit_values(std::size_t max_bytes) { max_value_bytes_ = max_bytes; }
  /// Replaces whatever is shown.
  ScenarioReport load(Scenario scenario);
  [[nodiscard]] ScenarioReport report() const;

  [[nodiscard]] WindowList windows() const;
  [[nodiscard]] Result<ActivateWindowResult> activate(const ActivateWindowRequest& request);
  [[nodiscard]] Result<Capture> capture(const CaptureRequest& request) const;
  [[nodiscard]] Result<A11yTree> tree(const A11yTreeRequest& request, std::int64_t wall_ns) const;
  [[nodiscard]] Result<InputReceipt> pointer(const PointerRequest& request);
  [[nodiscard]] Result<InputReceipt> key(const KeyRequest& request);
  [[nodiscard]] Result<InputReceipt> type(const TextRequest& request);
  [[nodiscard]] Result<A11yActionResult> action(const A11yActionRequest& request);

 private:
  [[nodiscard]] Result<InputReceipt> react(const Act& act, InputReceipt receipt);
  [[nodiscard]] Outcome perform(const Act& act);
  [[nodiscard]] Result<A11yActionResult> get_text(const Element& element) const;
  void announce(const std::vector<std::int64_t>& pids_before, std::string_view kind);
  [[nodiscard]] std::vector<std::int64_t> pids() const;
  [[nodiscard]] Result<Capture> editor_capture(const CaptureRequest& request) const;

  World editor_;
  Image editor_picture_;
  std::optional<ScenarioWorld> scenario_;
  std::size_t max_value_bytes_ = kMaxValueBytes;
  Listener listener_;
  /// Serials go on from one scenario to the next, or a reload would look unchanged.
  std::uint64_t serial_base_ = 1;
};

}  // namespace gantry::mock
