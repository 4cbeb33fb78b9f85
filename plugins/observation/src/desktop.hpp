// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the engine needs from outside: the providers of the desktop, time, and a place for long
// computations. One implementation speaks to the bus; tests bring their own.

#include <gantry/contract.hpp>
#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/input.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/ocr.hpp>
#include <gantry/contracts/scenario.hpp>
#include <gantry/contracts/screen.hpp>
#include <gantry/contracts/vision.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <functional>

#include "task.hpp"

namespace gantry::observation {

/// An answer of a provider. `Unavailable` means that no plugin serves the contract here.
template <class T>
using Answer = Result<Ref<T>>;

class Desktop {
 public:
  Desktop() = default;
  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;
  virtual ~Desktop() = default;

  virtual Task<Answer<WindowList>> windows() = 0;
  /// Also menus, tool tips and pop-ups, which no client sees but which cover what is below them.
  virtual Task<Answer<WindowList>> all_windows() = 0;
  virtual Task<Answer<ActivateWindowResult>> activate(ActivateWindowRequest request) = 0;
  virtual Task<Answer<MonitorList>> monitors() = 0;
  virtual Task<Answer<A11yTree>> tree(A11yTreeRequest request) = 0;
  virtual Task<Answer<Capture>> capture(CaptureRequest request) = 0;
  /// `Unavailable` where nothing recognises text.
  virtual Task<Answer<OcrResult>> read_text(OcrRequest request) = 0;
  /// `Unavailable` where nothing finds controls in pictures.
  virtual Task<Answer<VisionDetectResult>> detect(VisionDetectRequest request) = 0;
  /// `Unavailable` where nothing describes pictures. It may take as long as `limit_ns`.
  virtual Task<Answer<VisionDescription>> describe(VisionDescribeRequest request,
                                                   std::int64_t limit_ns) = 0;
  // act() is carried through once it has begun, also when whoever asked for it goes away. Keys and
  // pointer stop then; what they hold down is let go.
  virtual Task<Answer<A11yActionResult>> act(A11yActionRequest request) = 0;
  virtual Task<Answer<InputReceipt>> pointer(PointerRequest request) = 0;
  virtual Task<Answer<InputReceipt>> key(KeyRequest request) = 0;
  virtual Task<Answer<InputReceipt>> type(TextRequest request) = 0;
  virtual Task<Answer<PluginInfoList>> plugins() = 0;
  /// `Unavailable` where the desktop is a real one.
  virtual Task<Answer<ScenarioReport>> load_scenario(LoadScenarioRequest request) = 0;
  virtual Task<Answer<ScenarioReport>> scenario() = 0;

  /// Runs `work` where it may take long, then resumes the caller on the strand. Fails when `work`
  /// threw, which only happens for want of memory.
  virtual Task<Result<void>> offload(std::function<void()> work) = 0;

  /// Calls `work` on the strand after `delay_ns`, or when its turn comes with 0; never before this
  /// returns. Not after forget_timer(), which must come from the strand.
  virtual std::uint64_t start_timer(std::int64_t delay_ns, std::function<void()> work) = 0;
  virtual void forget_timer(std::uint64_t timer) = 0;

  [[nodiscard]] virtual std::int64_t monotonic_ns() const = 0;
  [[nodiscard]] virtual std::int64_t wall_ns() const = 0;
};

}  // namespace gantry::observation
