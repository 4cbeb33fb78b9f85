// SPDX-License-Identifier: Apache-2.0
#include "fake_desktop.hpp"

#include <algorithm>
#include <optional>

namespace gantry::observation::tests {
namespace {

template <class T>
Task<Answer<T>> answer(const Result<T>& result) {
  if (!result.ok()) co_return result.error();
  co_return make_body<T>(*result);
}

WindowInfo window(std::string handle, std::string title, Rect bounds) {
  WindowInfo out;
  out.uid = "t:" + handle;
  out.handle = std::move(handle);
  out.title = std::move(title);
  out.process = "app";
  out.pid = 42;
  out.bounds = bounds;
  out.frame = bounds;
  return out;
}

WindowList two_windows() {
  WindowList list;
  list.adapter = "TestAdapter";
  list.platform = "Linux";
  list.windows = {window("b", "Other", {500, 0, 100, 100}), window("a", "Main", {0, 0, 200, 100})};
  list.windows.back().focused = true;
  return list;
}

A11yTree small_tree() {
  A11yTree tree;
  tree.pid = 42;
  const auto add = [&](int parent, std::string role, std::string name, Rect bounds) {
    add_node(tree, parent, std::move(role), std::move(name), bounds);
  };
  add(-1, "Window", "Main", {0, 0, 200, 100});
  add(0, "Button", "OK", {10, 10, 50, 20});
  add(0, "Edit", "Name", {10, 40, 100, 20});
  tree.nodes[2].value = "Ann";
  tree.nodes[2].focused = true;
  return tree;
}

Capture small_picture() {
  Capture capture;
  capture.image = {2, 1, 8, PixelFormat::Bgrx8, Buffer::of(std::vector<std::uint8_t>(8, 7))};
  capture.area = {0, 0, 2, 1};
  return capture;
}

PluginInfo running_plugin(std::string name, std::string_view contract) {
  PluginInfo plugin;
  plugin.name = std::move(name);
  plugin.state = "running";
  plugin.provides = {std::string(contract)};
  return plugin;
}

InputReceipt delivered() {
  InputReceipt receipt;
  receipt.delivered = true;
  receipt.route = "test";
  receipt.evidence = "pointer at (5, 6)";
  return receipt;
}

}  // namespace

void add_node(A11yTree& tree, int parent, std::string role, std::string name, Rect bounds) {
  A11yNode node;
  node.parent = parent;
  node.role = std::move(role);
  node.name = std::move(name);
  node.bounds = bounds;
  tree.nodes.push_back(std::move(node));
}

FakeDesktop::FakeDesktop()
    : window_list(two_windows()),
      a11y_tree(small_tree()),
      picture(small_picture()),
      receipt(delivered()) {}

Task<Answer<WindowList>> FakeDesktop::windows() { return answer(window_list); }
Task<Answer<WindowList>> FakeDesktop::all_windows() {
  Result<WindowList> all = window_list;
  if (!all.ok()) co_return all.error();
  all->windows.insert(all->windows.end(), popups.begin(), popups.end());
  co_return make_body<WindowList>(*all);
}

Task<Answer<ActivateWindowResult>> FakeDesktop::activate(ActivateWindowRequest request) {
  activate_requests.push_back(std::move(request));
  on_input();
  return answer(activation);
}

Task<Answer<A11yActionResult>> FakeDesktop::act(A11yActionRequest request) {
  action_requests.push_back(request);
  Result<A11yActionResult> result =
      on_action ? on_action(request)
                : Result<A11yActionResult>(Error{Code::Unimplemented, "it has no actions", {}});
  if (!result.ok()) co_return result.error();
  co_return make_body<A11yActionResult>(*result);
}

Task<Answer<MonitorList>> FakeDesktop::monitors() { return answer(monitor_list); }
Task<Answer<PluginInfoList>> FakeDesktop::plugins() { return answer(plugin_list); }
Task<Answer<ScenarioReport>> FakeDesktop::scenario() { return answer(scenario_report); }

Task<Answer<ScenarioReport>> FakeDesktop::load_scenario(LoadScenarioRequest request) {
  loaded_scenarios.push_back(std::move(request.path));
  return answer(scenario_report);
}

Task<Answer<A11yTree>> FakeDesktop::tree(A11yTreeRequest request) {
  ++tree_reads;
  on_tree();
  if (a11y_tree.ok() && request.unless_sequence != 0 &&
      request.unless_sequence == a11y_tree->sequence) {
    A11yTree same = *a11y_tree;
    same.nodes.clear();
    same.unchanged = true;
    co_return make_body<A11yTree>(std::move(same));
  }
  ++trees_walked;
  if (!a11y_tree.ok()) co_return a11y_tree.error();
  co_return make_body<A11yTree>(*a11y_tree);
}

Task<Answer<Capture>> FakeDesktop::capture(CaptureRequest request) {
  capture_requests.push_back(request);
  Result<Capture> result = picture;
  if (result.ok() && result->serial != 0 && result->serial == request.unless_serial) {
    result->unchanged = true;
    result->image = {};
  }
  if (!result.ok()) co_return result.error();
  co_return make_body<Capture>(*result);
}

Task<Answer<OcrResult>> FakeDesktop::read_text(OcrRequest request) {
  ocr_requests.push_back(std::move(request));
  return answer(words);
}

Task<Answer<VisionDetectResult>> FakeDesktop::detect(VisionDetectRequest) {
  return answer(controls);
}

Task<Answer<VisionDescription>> FakeDesktop::describe(VisionDescribeRequest request,
                                                      std::int64_t limit_ns) {
  describe_limits.push_back(limit_ns);
  describe_requests.push_back(request);
  Result<VisionDescription> said = unavailable("no plugin describes pictures here");
  if (on_describe) said = on_describe(request);
  if (!said.ok()) co_return said.error();
  co_return make_body<VisionDescription>(*said);
}

void FakeDesktop::with_ocr(std::vector<OcrWord> found) {
  words = OcrResult{std::move(found), "test"};
  plugin_list->plugins.push_back(running_plugin("reader", OcrRead::kName));
}

void FakeDesktop::with_vision(VisionDescription said) {
  on_describe = [said = std::move(said)](const VisionDescribeRequest&) { return said; };
  plugin_list->plugins.push_back(running_plugin("eye", VisionDescribe::kName));
}

Task<Answer<InputReceipt>> FakeDesktop::pointer(PointerRequest request) {
  pointer_requests.push_back(std::move(request));
  on_input();
  return answer(receipt);
}

Task<Answer<InputReceipt>> FakeDesktop::key(KeyRequest request) {
  key_requests.push_back(std::move(request));
  on_input();
  return answer(receipt);
}

Task<Answer<InputReceipt>> FakeDesktop::type(TextRequest request) {
  text_requests.push_back(std::move(request));
  on_input();
  return answer(receipt);
}

Task<Result<void>> FakeDesktop::offload(std::function<void()> work) {
  ++offloads;
  work();
  co_return Result<void>();
}

std::uint64_t FakeDesktop::start_timer(std::int64_t delay_ns, std::function<void()> work) {
  timers_.push_back({++last_timer_, now_ns + delay_ns, std::move(work)});
  return last_timer_;
}

void FakeDesktop::forget_timer(std::uint64_t timer) {
  std::erase_if(timers_, [timer](const TimerEntry& entry) { return entry.id == timer; });
}

bool FakeDesktop::run_next_timer() {
  const auto next =
      std::min_element(timers_.begin(), timers_.end(),
                       [](const TimerEntry& a, const TimerEntry& b) { return a.at_ns < b.at_ns; });
  if (next == timers_.end()) return false;
  const TimerEntry entry = std::move(*next);
  timers_.erase(next);
  now_ns = std::max(now_ns, entry.at_ns);
  entry.work();
  return true;
}

bool FakeDesktop::has_timer_until(std::int64_t ns) const {
  return std::any_of(timers_.begin(), timers_.end(),
                     [ns](const TimerEntry& entry) { return entry.at_ns <= ns; });
}

ObserverToolResult Bench::run(std::string tool, std::string arguments, bool plain) {
  ObserverToolRequest request;
  request.tool = std::move(tool);
  request.arguments = Json(std::move(arguments));
  request.plain = plain;
  std::optional<ObserverToolResult> result;
  RunningTasks running;
  spawn(
      running, observer.run(make_body<ObserverToolRequest>(std::move(request))),
      [&](ObserverToolResult done) { result = std::move(done); },
      [](const std::exception_ptr& failure) { std::rethrow_exception(failure); });
  while (!result && desktop.run_next_timer()) {
  }
  return std::move(result).value();  // throws when the tool did not finish
}

}  // namespace gantry::observation::tests
