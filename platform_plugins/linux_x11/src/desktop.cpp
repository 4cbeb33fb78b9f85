// SPDX-License-Identifier: Apache-2.0
#include "desktop.hpp"

#include "activate.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace gantry::x11 {

namespace {

constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
/// Less than a plugin may take to start: then it runs, and says what is wrong with the server.
constexpr auto kConnectLimit = std::chrono::seconds(5);

ConnectionOptions connection_options(const Settings& settings, MonotonicClock now) {
  return {settings.display, std::move(now), settings.first_retry * kNanosecondsPerMillisecond,
          settings.longest_retry * kNanosecondsPerMillisecond,
          std::min<std::chrono::nanoseconds>(kConnectLimit,
                                             std::chrono::milliseconds(settings.hang_limit))};
}

std::optional<Point> point_of(const std::optional<std::int32_t>& x,
                              const std::optional<std::int32_t>& y) {
  if (!x || !y) return std::nullopt;
  return Point{*x, *y};
}

}  // namespace

class Desktop::ConnectionNotice final : public Listener {
 public:
  explicit ConnectionNotice(std::function<void()> changed) : changed_(std::move(changed)) {}
  void on_connected(const SessionPtr&) override { tell(); }
  void on_lost() override { tell(); }
  void on_event(const SessionPtr&, const xcb_generic_event_t&) override {}

 private:
  void tell() const {
    if (changed_) changed_();
  }
  std::function<void()> changed_;
};

Desktop::Desktop(const Settings& settings, MonotonicClock now, Events events)
    : hang_limit_ns_(settings.hang_limit * kNanosecondsPerMillisecond),
      connection_(connection_options(settings, std::move(now))),
      capture_(connection_),
      keyboard_(connection_),
      pointer_(connection_),
      clipboard_(connection_),
      watch_(std::move(events.window_changed),
             [this](xcb_window_t window, Moment when) { names_.destroyed(window, when); }),
      notice_(std::make_unique<ConnectionNotice>(std::move(events.connection_changed))) {
  connection_.add_listener(&keyboard_);
  connection_.add_listener(&clipboard_);
  connection_.add_listener(&watch_);
  connection_.add_listener(notice_.get());
}

Desktop::~Desktop() { stop(); }

void Desktop::start() { connection_.start(); }

void Desktop::stop(std::chrono::nanoseconds patience) {
  if (std::exchange(stopped_, true)) return;
  std::promise<void> done;
  std::thread watchdog([this, patience, ended = done.get_future()] {
    if (ended.wait_for(patience) == std::future_status::timeout) connection_.give_up();
  });
  pointer_.wait();
  keyboard_.maintain(true);
  done.set_value();
  watchdog.join();
  connection_.stop();
}

void Desktop::watch_over() { connection_.break_hung(hang_limit_ns_); }

Result<gantry::WindowList> Desktop::list_windows(const ListWindowsRequest& request,
                                                 const Patience&) {
  GANTRY_ASSIGN(const SessionPtr session, connection_.session());
  const X11Connection::Call call(connection_);
  gantry::WindowList out;
  // Taken before the list is read, so that a change in between makes the answer look old, not new.
  out.serial = watch_.serial();
  GANTRY_ASSIGN(const std::vector<Monitor> monitors, x11::list_monitors(*session));
  const Moment seen{session->generation(), xcb_no_operation(session->xcb()).sequence};
  GANTRY_ASSIGN(const WindowList list,
                x11::list_windows(*session, monitors,
                                  {.popups = request.include_transient, .processes = true}));
  out.adapter = kAdapterName;
  out.platform = kPlatformName;
  for (const Window& window : list.windows) {
    out.windows.push_back(to_contract(window));
    out.windows.back().uid = names_.uid_of(window.id, window.pid, seen);
  }
  return out;
}

Result<ActivateWindowResult> Desktop::activate(const ActivateWindowRequest& request,
                                               const Patience& patience) {
  GANTRY_ASSIGN(const xcb_window_t window, from_handle(request.handle));
  const Patience limit = patience.at_most(std::chrono::milliseconds(request.timeout_ms));
  GANTRY_ASSIGN(const Activation done, activate_window(connection_, window, limit));
  return ActivateWindowResult{done.active == window, done.route,
                              "the active window is " + to_handle(done.active) +
                                  (done.was_minimized ? ", it was minimised before" : "")};
}

Result<MonitorList> Desktop::list_monitors(const Nothing&, const Patience&) {
  GANTRY_ASSIGN(const SessionPtr session, connection_.session());
  const X11Connection::Call call(connection_);
  GANTRY_ASSIGN(const std::vector<Monitor> monitors, x11::list_monitors(*session));
  MonitorList list;
  for (const Monitor& monitor : monitors) {
    list.monitors.push_back(to_contract(monitor, static_cast<std::int32_t>(list.monitors.size())));
  }
  return list;
}

Result<Capture> Desktop::capture(const CaptureRequest& request, const Patience& patience) {
  FrameRequest frame{std::nullopt, request.cursor, request.unless_serial};
  if (request.region) frame.region = from_contract(*request.region);
  if (request.target == CaptureTarget::Window) {
    GANTRY_ASSIGN(const xcb_window_t window, from_handle(request.handle));
    GANTRY_ASSIGN(Frame taken, capture_.window(window, frame, patience));
    return to_contract(std::move(taken));
  }
  if (request.target == CaptureTarget::Monitor) {
    GANTRY_ASSIGN(const MonitorList list, list_monitors({}, patience));
    const auto count = static_cast<std::int32_t>(list.monitors.size());
    if (request.monitor < 0 || request.monitor >= count) {
      return not_found(
          "there is no monitor " + std::to_string(request.monitor) + "; there " +
          (count == 1 ? "is only monitor 0" : "are monitors 0 to " + std::to_string(count - 1)));
    }
    const Rect monitor =
        from_contract(list.monitors[static_cast<std::size_t>(request.monitor)].bounds);
    const Rect wanted = frame.region ? intersection(*frame.region, monitor) : monitor;
    if (wanted.empty()) {
      return Error{Code::OutOfRange,
                   "capturing " + to_text(*frame.region) + ": it lies outside monitor " +
                       std::to_string(request.monitor) + ", which is " + to_text(monitor),
                   {}};
    }
    frame.region = wanted;
  }
  GANTRY_ASSIGN(Frame taken, capture_.screen(frame));
  return to_contract(std::move(taken));
}

Result<InputReceipt> Desktop::pointer(const PointerRequest& r, const Patience& patience) {
  if (r.x.has_value() != r.y.has_value() || r.to_x.has_value() != r.to_y.has_value()) {
    return invalid_argument(
        "a point needs both coordinates; give x and y (to_x and to_y), or neither");
  }
  const Pointer::At at{point_of(r.x, r.y), r.modifiers, std::chrono::milliseconds(r.duration_ms)};
  Result<PointerOutcome> outcome = internal_error("unknown pointer action");
  switch (r.action) {
    case PointerAction::Move: outcome = pointer_.move(at, patience); break;
    case PointerAction::Click: outcome = pointer_.click(at, r.button, r.count, patience); break;
    case PointerAction::Press: outcome = pointer_.press(at, r.button, patience); break;
    case PointerAction::Release: outcome = pointer_.release(at, r.button, patience); break;
    case PointerAction::Scroll:
      outcome = pointer_.scroll(at, r.scroll_y, r.scroll_x, patience);
      break;
    case PointerAction::Drag: {
      const auto to = point_of(r.to_x, r.to_y);
      if (!to) return invalid_argument("a drag needs to_x and to_y, the point where it ends");
      outcome = pointer_.drag(at, *to, r.button, patience);
      break;
    }
  }
  if (!outcome) return std::move(outcome).error();
  return to_receipt(*outcome);
}

Result<InputReceipt> Desktop::receipt_of(const Result<KeyboardOutcome>& outcome) {
  if (!outcome) return outcome.error();
  // The keys are delivered; if the server goes away now the receipt only has less to say.
  Point pointer;
  if (const SessionPtr session = connection_.current()) {
    const auto cookie = xcb_query_pointer(session->xcb(), session->root());
    if (const auto reply = fetch_or_null<xcb_query_pointer_reply>(session->xcb(), cookie)) {
      pointer = {reply->root_x, reply->root_y};
    }
  }
  return to_receipt(*outcome, pointer);
}

Result<InputReceipt> Desktop::key(const KeyRequest& request, const Patience& patience) {
  return receipt_of(keyboard_.press(request.keys, request.count, patience));
}

Result<InputReceipt> Desktop::text(const TextRequest& request, const Patience& patience) {
  return receipt_of(keyboard_.type(request.text, patience));
}

Result<ClipboardContent> Desktop::clipboard_get(const Nothing&, const Patience& patience) {
  GANTRY_ASSIGN(ClipboardText content, clipboard_.get(patience));
  return ClipboardContent{std::move(content.text), std::move(content.targets)};
}

Result<Done> Desktop::clipboard_set(const ClipboardSetRequest& request, const Patience& patience) {
  GANTRY_TRY(clipboard_.set(request.text, patience));
  return Done{};
}

Result<ProbeReport> Desktop::probe(const Nothing&, const Patience&) {
  const X11Connection::Call call(connection_);
  return to_contract(x11::probe(connection_, capture_));
}

}  // namespace gantry::x11
