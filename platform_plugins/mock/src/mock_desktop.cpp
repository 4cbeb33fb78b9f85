// SPDX-License-Identifier: Apache-2.0
#include "mock_desktop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "drawing.hpp"
#include "scenario_acts.hpp"
#include "scenario_drawing.hpp"

namespace gantry::mock {
namespace {

constexpr std::string_view kNote = "Mock adapter — no real OS action performed";
constexpr std::string_view kMockRoute = "mock";
constexpr std::string_view kScenarioRoute = "scenario";  // a reaction answered

InputReceipt receipt_at(std::int32_t x, std::int32_t y) {
  InputReceipt receipt;
  receipt.delivered = true;
  receipt.route = kMockRoute;
  receipt.x = x;
  receipt.y = y;
  receipt.note = kNote;
  return receipt;
}

std::string evidence_of(const Outcome& outcome, const ScenarioWorld& world) {
  if (outcome.reaction == nullptr) return "nothing in the scenario reacts to it";
  return fmt::format("the reaction of line {} answered; the scenario is in state '{}'",
                     outcome.reaction->line, world.state().name);
}

Error no_window(std::string_view handle, const WindowList& windows) {
  std::string known;
  for (const WindowInfo& window : windows.windows) {
    known += (known.empty() ? "" : ", ") + window.handle;
  }
  return not_found(fmt::format("the mock desktop has no window '{}', only {}", handle, known));
}

}  // namespace

MockDesktop::MockDesktop(std::string_view nonce, Listener listener)
    : editor_(nonce),
      editor_picture_(draw_editor(editor_.tree())),
      listener_(std::move(listener)) {}

ScenarioReport MockDesktop::load(Scenario scenario) {
  const std::vector<std::int64_t> before = pids();
  if (scenario_) serial_base_ += scenario_->serial();
  ++serial_base_;
  scenario_.emplace(std::move(scenario), max_value_bytes_);
  announce(before, "children");
  listener_.window({WindowChange::Lost, {}, windows().serial});
  return report();
}

ScenarioReport MockDesktop::report() const {
  return scenario_ ? scenario_->report() : ScenarioReport{};
}

WindowList MockDesktop::windows() const {
  if (!scenario_) return editor_.windows();
  WindowList out = scenario_->windows();
  out.serial += serial_base_;
  return out;
}

Result<ActivateWindowResult> MockDesktop::activate(const ActivateWindowRequest& request) {
  if (!scenario_) {
    const WindowInfo* found = editor_.find(request.handle);
    if (found == nullptr) return no_window(request.handle, windows());
    return ActivateWindowResult{found->focused, std::string(kMockRoute), std::string(kNote)};
  }
  const WindowSpec* window = scenario_->find_window(request.handle);
  if (window == nullptr) return no_window(request.handle, windows());
  scenario_->raise(*window);
  listener_.window({WindowChange::Focused, request.handle, windows().serial});
  Act act;
  act.tools = {"bring_to_foreground"};
  act.element = native_of(*window, window->tree, "root");
  const std::string uid = window->uid;  // the reaction may replace the window
  const Outcome outcome = perform(act);
  const std::vector<const WindowSpec*> now = scenario_->top_down();
  return ActivateWindowResult{!now.empty() && now.front()->uid == uid,
                              std::string(outcome.reaction ? kScenarioRoute : kMockRoute),
                              "the window is on top of the scenario's windows"};
}

Result<Capture> MockDesktop::editor_capture(const CaptureRequest& request) const {
  const bool of_window = request.target == CaptureTarget::Window;
  const WindowInfo* window = of_window ? editor_.find(request.handle) : nullptr;
  if (of_window && window == nullptr) return no_window(request.handle, windows());
  Capture out;
  out.serial = 1;
  out.route = kMockRoute;
  out.unchanged = request.unless_serial == out.serial;
  // The picture is the editor's; as the screen it stands for a display of its size.
  Picture picture{editor_picture_, {0, 0, editor_picture_.width, editor_picture_.height}};
  if (window != nullptr) {
    picture.area.x = window->bounds.x;
    picture.area.y = window->bounds.y;
  }
  if (request.region) {
    GANTRY_ASSIGN(picture, crop(std::move(picture), *request.region));
  }
  out.area = picture.area;
  if (!out.unchanged) out.image = std::move(picture.image);
  return out;
}

Result<Capture> MockDesktop::capture(const CaptureRequest& request) const {
  if (!scenario_) return editor_capture(request);
  const bool of_window = request.target == CaptureTarget::Window;
  const WindowSpec* window = of_window ? scenario_->find_window(request.handle) : nullptr;
  if (of_window && window == nullptr) return no_window(request.handle, windows());
  Capture out;
  // Not 1, which is the built-in desktop's.
  out.serial = serial_base_ + scenario_->serial();
  out.route = kScenarioRoute;
  out.unchanged = request.unless_serial == out.serial;
  if (out.unchanged) return out;
  Picture picture = window != nullptr ? draw_window(*scenario_, *window) : draw_screen(*scenario_);
  if (request.region) {
    GANTRY_ASSIGN(picture, crop(std::move(picture), *request.region));
  }
  out.image = std::move(picture.image);
  out.area = picture.area;
  return out;
}

Result<A11yTree> MockDesktop::tree(const A11yTreeRequest& request, std::int64_t wall_ns) const {
  A11yTree out;
  if (!scenario_) {
    const WindowInfo* found = editor_.find(request.handle);
    if (found == nullptr) return no_window(request.handle, windows());
    out = editor_.tree();
    out.pid = found->pid;
  } else {
    const WindowSpec* window = scenario_->find_window(request.handle);
    if (window == nullptr) return no_window(request.handle, windows());
    out = scenario_->tree(*window);
    out.sequence += serial_base_;
  }
  out.captured_at_ns = wall_ns;
  return out;
}

std::vector<std::int64_t> MockDesktop::pids() const {
  std::set<std::int64_t> out;
  for (const WindowInfo& window : windows().windows) out.insert(window.pid);
  return {out.begin(), out.end()};
}

void MockDesktop::announce(const std::vector<std::int64_t>& pids_before, std::string_view kind) {
  std::set<std::int64_t> concerned(pids_before.begin(), pids_before.end());
  for (const std::int64_t pid : pids()) concerned.insert(pid);
  for (const std::int64_t pid : concerned) {
    listener_.a11y({pid, windows().serial, std::string(kind), {}});
  }
}

Outcome MockDesktop::perform(const Act& act) {
  const std::vector<std::int64_t> before = pids();
  const std::uint64_t serial = scenario_->serial();
  Outcome outcome = scenario_->act(act);
  if (scenario_->serial() != serial) announce(before, outcome.moved ? "children" : "value");
  if (outcome.moved) listener_.window({WindowChange::Renamed, {}, windows().serial});
  return outcome;
}

Result<InputReceipt> MockDesktop::react(const Act& act, InputReceipt receipt) {
  const Outcome outcome = perform(act);
  if (!outcome.refused.empty()) return invalid_argument(outcome.refused);
  receipt.evidence = evidence_of(outcome, *scenario_);
  if (outcome.reaction != nullptr) {
    receipt.route = kScenarioRoute;
    receipt.note.clear();
  }
  return receipt;
}

Result<InputReceipt> MockDesktop::pointer(const PointerRequest& request) {
  InputReceipt receipt = receipt_at(request.to_x.value_or(request.x.value_or(0)),
                                    request.to_y.value_or(request.y.value_or(0)));
  // A release ends a click that the press has stood for already.
  if (!scenario_ || request.action == PointerAction::Release) return receipt;
  return react(act_of(*scenario_, request), std::move(receipt));
}

Result<InputReceipt> MockDesktop::key(const KeyRequest& request) {
  if (!scenario_) return receipt_at(0, 0);
  return react(act_of(*scenario_, request), receipt_at(0, 0));
}

Result<InputReceipt> MockDesktop::type(const TextRequest& request) {
  if (!scenario_) return receipt_at(0, 0);
  return react(act_of(*scenario_, request), receipt_at(0, 0));
}

Result<A11yActionResult> MockDesktop::get_text(const Element& element) const {
  if (element.node->secret) {
    return Error{Code::PermissionDenied, "the element holds a secret, which is not told", {}};
  }
  return A11yActionResult{true, scenario_->value_of(element).value_or(""), {}};
}

Result<A11yActionResult> MockDesktop::action(const A11yActionRequest& request) {
  if (!scenario_) {
    return Error{Code::Unimplemented, "elements of the built-in mock desktop do nothing", {}};
  }
  const auto element = scenario_->find_element(request.native);
  if (!element) {
    return not_found(fmt::format("the element '{}' is not in state '{}' of the scenario",
                                 request.native, scenario_->state().name));
  }
  if (request.verb == A11yVerb::GetText) return get_text(*element);
  if (request.verb == A11yVerb::GetSelection) {
    return Error{Code::Unimplemented, "scenarios know no selection but `selected`", {}};
  }
  if (!element->node->enabled) {
    return A11yActionResult{false, {}, "the element is disabled"};
  }
  const auto act = act_of(*scenario_, request);
  if (!act || act->tools.empty()) return A11yActionResult{true, {}, {}};
  const Outcome outcome = perform(*act);
  if (!outcome.refused.empty()) return invalid_argument(outcome.refused);
  return A11yActionResult{true, {}, evidence_of(outcome, *scenario_)};
}

}  // namespace gantry::mock
