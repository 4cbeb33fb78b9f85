// SPDX-License-Identifier: Apache-2.0
// Waiting for something to be true, or for a window to be quiet. What the desktop says by itself
// wakes the wait at once; it looks again after poll_ms in any case, because toolkits keep some
// changes to themselves (observer contract 1.4, 2.11).
#include <fmt/format.h>

#include <algorithm>

#include "argument_check.hpp"
#include "time_units.hpp"
#include "tools.hpp"
#include "wait_conditions.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kDefaultTimeout = 5000;
constexpr std::int64_t kDefaultPoll = 200;
constexpr std::int64_t kDefaultIdlePoll = 100;
constexpr std::int64_t kDefaultQuiet = 750;
constexpr std::int64_t kMinPoll = 50;
constexpr std::int64_t kMaxIdleTimeout = 600'000;
/// A window that talks without end is looked at so often and no more.
constexpr std::int64_t kBreath = 10 * kNanosecondsPerMillisecond;
/// Each is tested at every look, while everybody else waits.
constexpr std::size_t kMostConditions = 100;

/// A duration in milliseconds, limited to what makes sense.
Outcome<std::int64_t> duration(const Arguments& arguments, std::string_view name,
                               std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  const auto value = arguments.integer(name);
  if (!value.ok()) return value.failure();
  return std::clamp(value->value_or(otherwise), least, most);
}

/// The clock of one wait.
class Watch {
 public:
  Watch(Engine& engine, const ToolCall& call, std::int64_t timeout_ms, std::int64_t poll_ms)
      : engine_(engine),
        call_(call),
        began_(engine.desktop.monotonic_ns()),
        deadline_(began_ + timeout_ms * kNanosecondsPerMillisecond),
        poll_ns_(poll_ms * kNanosecondsPerMillisecond),
        due_(began_) {}

  [[nodiscard]] std::int64_t now() const { return engine_.desktop.monotonic_ns(); }
  [[nodiscard]] std::int64_t elapsed_ms() const {
    return (now() - began_) / kNanosecondsPerMillisecond;
  }
  [[nodiscard]] bool over() const { return now() >= deadline_ || call_.life.over(now()); }
  /// The engine stops: there is no further look, and no answer but that.
  [[nodiscard]] bool ended() const { return engine_.pulse.ended(); }
  /// To be called right before each look.
  void mark() {
    serial_ = engine_.pulse.serial();
    due_ = std::max(due_, engine_.pulse.last_said_ns() + 1);
  }
  /// When the next look became due: one that began then or later will do, whoever made it.
  [[nodiscard]] std::int64_t due() const { return due_; }

  /// Waits until there is reason to look again, at the latest until `until_ns`.
  Task<bool> rest(std::int64_t pid, std::int64_t until_ns) {
    // All waits look at the same moments, so that one look serves them all.
    const std::int64_t until = std::min({until_ns, deadline_, on_beat(now() + poll_ns_, kBeat)});
    const std::int64_t breath = std::min(until, on_beat(now() + kBreath, kBreath));
    const bool said = co_await engine_.pulse.next(pid, serial_, until, call_.life);
    if (said && now() < breath) {
      // Notices that come meanwhile are the reason for the next look anyway.
      const std::int64_t nobody = -1;
      (void)co_await engine_.pulse.next(nobody, engine_.pulse.serial(), breath, call_.life);
    }
    due_ = std::min(now(), said ? breath : until);
    co_return said;
  }

 private:
  /// Looks that nothing gave reason for come in this step.
  static constexpr std::int64_t kBeat = kMinPoll * kNanosecondsPerMillisecond;
  static std::int64_t on_beat(std::int64_t ns, std::int64_t step) { return ns / step * step; }

  Engine& engine_;
  const ToolCall& call_;
  std::int64_t began_;
  std::int64_t deadline_;
  std::int64_t poll_ns_;
  std::int64_t due_;
  std::uint64_t serial_ = 0;
};

Failure timed_out(std::string message, JsonObject members, const JsonObject& context = {}) {
  Failure why = failure(Fault::Timeout, std::move(message));
  why.context = context.text();
  why.members = std::make_shared<const JsonObject>(std::move(members));
  return why;
}

Failure stopping(std::string_view tool, const Watch& watch) {
  JsonObject members;
  members.add("elapsed_ms", watch.elapsed_ms());
  return timed_out(
      fmt::format("{} ended after {}ms because the observer is stopping", tool, watch.elapsed_ms()),
      std::move(members));
}

/// The window that a wait looks at. The focused one stands for no other: the one that is named may
/// yet open, and what is true elsewhere would end the wait for it.
struct Hint {
  WindowSelector selector;
  std::string missing;  ///< Why there is none: "no window has window_title 'Save'; …".
  bool found = false;   ///< There was one at some look.

  std::optional<WindowInfo> pick(const std::vector<WindowInfo>& windows) {
    const Outcome<SelectedWindow> now = select_window(windows, selector, MissingWindow::Refuse);
    if (!now.ok()) {
      missing = now.failure().message;
      return std::nullopt;
    }
    found = true;
    return *now->window;
  }
  [[nodiscard]] bool never() const { return selector.given() && !found; }
};

/// Reads what the conditions need.
Task<Scene> look_around(Engine& engine, const ToolCall& call, const Watch& watch,
                        const WaitConditions& conditions, Hint& hint) {
  Scene scene;
  const std::int64_t due = watch.due();
  const Outcome<WindowsNow> now = co_await engine.looks.windows(due, call.life);
  if (now.ok()) scene.windows = now->windows;
  scene.window = hint.pick(scene.windows);
  if (scene.window && conditions.need_tree()) {
    const WindowInfo window = *scene.window;
    const Outcome<TreeCapture> capture = co_await engine.looks.tree(window, due, call.life);
    if (capture.ok()) scene.tree = capture->tree;
  }
  co_return scene;
}

/// Names windows where one was waited for that never came.
Failure never_met(const Watch& watch, const WaitConditions& conditions, const Hint& hint,
                  const Scene& scene, JsonObject members) {
  std::string message = fmt::format("wait_for timed out after {}ms", watch.elapsed_ms());
  JsonObject context;
  if (hint.never()) message += "; " + hint.missing;
  if (hint.never() || !conditions.title_wanted().empty()) {
    const bool hinted = hint.never() && !hint.selector.title.empty();
    context.add(
        "did_you_mean",
        near_windows_json(scene.windows, hinted ? hint.selector.title : conditions.title_wanted()));
  }
  return timed_out(std::move(message), std::move(members), context);
}

/// For the record of the call, however it ends.
void note_readable(const ToolCall& call, WaitConditions& conditions, const Scene& scene) {
  if (call.settlement == nullptr) return;
  conditions.note_values(scene);
  call.settlement->readable.clear();
  for (const std::size_t index : conditions.readable()) {
    call.settlement->readable.push_back(part_selector("any_of", index));
  }
}

Task<ToolOutcome> wait_for(Engine& engine, const ToolCall& call) {
  if (!call.arguments.is_list("any_of") || call.arguments.elements("any_of").empty()) {
    co_return failure(Fault::BadRequest, "any_of is required");
  }
  if (call.arguments.elements("any_of").size() > kMostConditions) {
    co_return failure(Fault::BadRequest,
                      fmt::format("any_of has more than {} conditions", kMostConditions));
  }
  const std::optional<std::string> wrong =
      WaitConditions::first_misnamed(call.arguments.elements("any_of"));
  if (wrong) co_return failure(Fault::BadRequest, *wrong);
  const Outcome<std::int64_t> timeout = duration(call.arguments, "timeout_ms", kDefaultTimeout, 0,
                                                 engine.settings.wait_for.max_timeout_ms);
  if (!timeout.ok()) co_return timeout.failure();
  const Outcome<std::int64_t> poll = duration(call.arguments, "poll_ms", kDefaultPoll, kMinPoll,
                                              engine.settings.wait_for.max_timeout_ms);
  if (!poll.ok()) co_return poll.failure();

  WaitConditions conditions(call.arguments.elements("any_of"));
  if (conditions.unreadable()) co_return failure(Fault::BadRequest, *conditions.unreadable());
  const Outcome<WindowSelector> window = window_selector(call.arguments);
  if (!window.ok()) co_return window.failure();
  Hint hint{*window, {}, false};
  Watch watch(engine, call, *timeout, *poll);
  std::int64_t polls = 0;
  for (;;) {
    watch.mark();
    const Scene scene = co_await look_around(engine, call, watch, conditions, hint);
    ++polls;
    std::optional<WaitMatch> match = conditions.first_met(scene, engine.trees);
    note_readable(call, conditions, scene);
    JsonObject out;
    out.add("polls", polls);
    out.add("elapsed_ms", watch.elapsed_ms());
    if (!conditions.warnings().empty()) out.add("warnings", conditions.warnings_json());
    if (match) {
      out.add("matched_index", match->index);
      out.add("matched_detail", match->detail);
      if (hint.never()) out.add("warning", hint.missing);
      co_return out;
    }
    if (watch.over()) {
      out.add("matched_index", nullptr);
      co_return never_met(watch, conditions, hint, scene, std::move(out));
    }
    const bool anywhere = !scene.window || conditions.about_focus();
    const std::int64_t pid = anywhere ? 0 : engine.trees.process_of(*scene.window);
    (void)co_await watch.rest(pid, std::numeric_limits<std::int64_t>::max());
    if (watch.ended()) co_return stopping("wait_for", watch);
  }
}

Task<ToolOutcome> wait_idle(Engine& engine, const ToolCall& call) {
  const Outcome<std::int64_t> quiet =
      duration(call.arguments, "quiet_ms", kDefaultQuiet, 0, kMaxIdleTimeout);
  if (!quiet.ok()) co_return quiet.failure();
  const Outcome<std::int64_t> timeout =
      duration(call.arguments, "timeout_ms", kDefaultTimeout, 0, kMaxIdleTimeout);
  if (!timeout.ok()) co_return timeout.failure();
  const Outcome<std::int64_t> poll =
      duration(call.arguments, "poll_ms", kDefaultIdlePoll, kMinPoll, kMaxIdleTimeout);
  if (!poll.ok()) co_return poll.failure();
  const Outcome<ChosenWindow> window =
      co_await engine.directory.choose(call.arguments, MissingWindow::UseFocused);
  if (!window.ok()) co_return window.failure();

  const std::int64_t quiet_ns = *quiet * kNanosecondsPerMillisecond;
  Watch watch(engine, call, *timeout, *poll);
  std::string hash;
  std::int64_t changed_ns = watch.now();
  for (;;) {
    watch.mark();
    const std::int64_t due = watch.due();
    const Outcome<TreeCapture> capture = co_await engine.looks.tree(window->info, due, call.life);
    if (!capture.ok()) co_return capture.failure();
    const std::shared_ptr<const Tree> tree = capture->tree;
    const std::int64_t now = watch.now();
    if (tree->hash != hash) {
      if (!hash.empty()) changed_ns = now;
      hash = tree->hash;
    }
    JsonObject out;
    out.add("elapsed_ms", watch.elapsed_ms());
    if (now - changed_ns >= quiet_ns) {
      out.add("tree_hash", hash);
      out.add_if("warning", window->warning);
      co_return out;
    }
    if (watch.over()) co_return timed_out("wait_idle timed out", std::move(out));
    (void)co_await watch.rest(engine.trees.process_of(window->info), changed_ns + quiet_ns);
    if (watch.ended()) co_return stopping("wait_idle", watch);
  }
}

constexpr Parameter kWaitFor[] = {
    {"any_of",
     ParameterType::Array,
     "At most 100 conditions; the first one that is true ends the wait. Each has a type: "
     "element_appears "
     "{selector}, element_disappears {selector or element_id}, text_visible {regex}, "
     "window_appears {title_regex}, window_disappears {window_uid}, tree_changes {since}, "
     "focused_changes.",
     true,
     {},
     R"({"type":"object","required":["type"]})",
     "type:element_appears,element_disappears,text_visible,window_appears,window_disappears,"
     "tree_changes,focused_changes|selector|element_id|regex|title_regex|window_uid|since"},
    {"timeout_ms", ParameterType::Integer,
     "Longest wait; 5000 when not given, limited to wait_for.max_timeout_ms."},
    {"poll_ms", ParameterType::Integer,
     "Looks at least so often, even when nothing is heard; 200 when not given, at least 50."},
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
};
constexpr Parameter kWaitIdle[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"quiet_ms", ParameterType::Integer,
     "How long the tree must stay the same; 750 when not given."},
    {"timeout_ms", ParameterType::Integer, "Longest wait; 5000 when not given."},
    {"poll_ms", ParameterType::Integer,
     "Looks at least so often, even when nothing is heard; 100 when not given, at least 50."},
};

constexpr Tool kWaitTools[] = {
    {"wait_for", wait_for, ToolKind::Read, true, "Waits until one of several conditions is true.",
     kWaitFor},
    {"wait_idle", wait_idle, ToolKind::Read, false,
     "Waits until a window's tree has stayed the same for a while.", kWaitIdle},
};

}  // namespace

std::span<const Tool> wait_tools() { return kWaitTools; }

}  // namespace gantry::observation
