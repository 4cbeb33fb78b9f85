// SPDX-License-Identifier: Apache-2.0
#pragma once
// A desktop whose answers a test sets. Every answer comes at once, and run() moves the clock from
// timer to timer until the tool has finished.

#include <string>
#include <string_view>
#include <vector>

#include "observer.hpp"

namespace gantry::observation::tests {

class FakeDesktop final : public Desktop {
 public:
  FakeDesktop();

  Result<WindowList> window_list;
  Result<MonitorList> monitor_list = MonitorList{};
  Result<A11yTree> a11y_tree;
  Result<Capture> picture;
  Result<InputReceipt> receipt;
  /// Nothing recognises text; with_ocr() changes that.
  Result<OcrResult> words = unavailable("no plugin recognises text here");
  Result<VisionDetectResult> controls = unavailable("no plugin finds controls here");
  /// Describes a picture; by default nothing does. with_vision() changes that.
  std::function<Result<VisionDescription>(const VisionDescribeRequest&)> on_describe;
  Result<PluginInfoList> plugin_list = PluginInfoList{};
  /// Menus and pop-ups, above the windows of window_list.
  std::vector<WindowInfo> popups;
  Result<ActivateWindowResult> activation = ActivateWindowResult{true, "test", "active"};
  /// A real desktop plays no scenario.
  Result<ScenarioReport> scenario_report = unavailable("no plugin serves scenarios here");
  std::vector<std::string> loaded_scenarios;
  /// Answers an action on an element; by default no element can do anything.
  std::function<Result<A11yActionResult>(const A11yActionRequest&)> on_action;

  std::vector<PointerRequest> pointer_requests;
  std::vector<KeyRequest> key_requests;
  std::vector<TextRequest> text_requests;
  std::vector<CaptureRequest> capture_requests;
  std::vector<OcrRequest> ocr_requests;
  std::vector<VisionDescribeRequest> describe_requests;
  std::vector<std::int64_t> describe_limits;
  std::vector<A11yActionRequest> action_requests;
  std::vector<ActivateWindowRequest> activate_requests;
  int tree_reads = 0;    ///< Requests for a tree.
  int trees_walked = 0;  ///< Those that were answered with elements.
  int offloads = 0;
  std::int64_t now_ns = 1'000'000'000;
  /// Happens while an input is delivered, for example a window that opens.
  std::function<void()> on_input = [] {};
  /// Happens before a tree is read, for example a change that the application makes by itself.
  std::function<void()> on_tree = [] {};

  Task<Answer<WindowList>> windows() override;
  Task<Answer<WindowList>> all_windows() override;
  Task<Answer<ActivateWindowResult>> activate(ActivateWindowRequest request) override;
  Task<Answer<A11yActionResult>> act(A11yActionRequest request) override;
  Task<Answer<MonitorList>> monitors() override;
  Task<Answer<A11yTree>> tree(A11yTreeRequest request) override;
  Task<Answer<Capture>> capture(CaptureRequest request) override;
  Task<Answer<OcrResult>> read_text(OcrRequest request) override;
  Task<Answer<VisionDetectResult>> detect(VisionDetectRequest request) override;
  Task<Answer<VisionDescription>> describe(VisionDescribeRequest request,
                                           std::int64_t limit_ns) override;
  Task<Answer<InputReceipt>> pointer(PointerRequest request) override;
  Task<Answer<InputReceipt>> key(KeyRequest request) override;
  Task<Answer<InputReceipt>> type(TextRequest request) override;
  Task<Answer<PluginInfoList>> plugins() override;
  Task<Answer<ScenarioReport>> load_scenario(LoadScenarioRequest request) override;
  Task<Answer<ScenarioReport>> scenario() override;
  Task<Result<void>> offload(std::function<void()> work) override;
  [[nodiscard]] std::int64_t monotonic_ns() const override { return now_ns; }
  std::uint64_t start_timer(std::int64_t delay_ns, std::function<void()> work) override;
  void forget_timer(std::uint64_t timer) override;
  [[nodiscard]] std::int64_t wall_ns() const override { return now_ns; }

  /// A plugin serves text recognition and finds these words in every picture.
  void with_ocr(std::vector<OcrWord> found);
  /// A plugin describes pictures, and says this of every one.
  void with_vision(VisionDescription said);
  /// Moves the clock to the earliest timer and runs it; false when there is none.
  bool run_next_timer();
  /// Whether a timer is due at `ns` or earlier.
  [[nodiscard]] bool has_timer_until(std::int64_t ns) const;

 private:
  struct TimerEntry {
    std::uint64_t id;
    std::int64_t at_ns;
    std::function<void()> work;
  };
  std::vector<TimerEntry> timers_;
  std::uint64_t last_timer_ = 0;
};

/// Appends an element; `parent` is its parent's position, -1 for the root.
void add_node(A11yTree& tree, int parent, std::string role, std::string name, Rect bounds);

/// An observer on a fake desktop, and its answers as JSON text.
struct Bench {
  explicit Bench(const Settings& settings = {}) : observer(desktop, settings, "9.9.9") {}

  ObserverToolResult run(std::string tool, std::string arguments = "{}", bool plain = false);

  FakeDesktop desktop;
  Observer observer;
};

/// Whether the answer says `part` somewhere.
inline bool has(const ObserverToolResult& result, std::string_view part) {
  return result.result.text.find(part) != std::string::npos;
}

}  // namespace gantry::observation::tests
