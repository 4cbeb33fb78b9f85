// SPDX-License-Identifier: Apache-2.0
#include "pointer.hpp"

#include "chord.hpp"
#include "held_note.hpp"
#include "keymap_server.hpp"

#include <xcb/xtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace gantry::x11 {

namespace {

// X11 has no wheel: each step is a click of these buttons.
constexpr std::uint8_t kWheelUp = 4;
constexpr std::uint8_t kWheelDown = 5;
constexpr std::uint8_t kWheelLeft = 6;
constexpr std::uint8_t kWheelRight = 7;
constexpr int kMostSteps = 1000;
constexpr std::uint16_t kAllButtons = XCB_BUTTON_MASK_1 | XCB_BUTTON_MASK_2 | XCB_BUTTON_MASK_3;
// Programs begin a drag by motion events between press and release, and some ask for several.
constexpr auto kShortestDrag = 60ms;
constexpr auto kStep = 8ms;
constexpr auto kHeldBack = 300ms;

}  // namespace

const std::vector<ButtonName>& button_names() {
  static const std::vector<ButtonName> kNames = {{"left", 1},     {"middle", 2},  {"right", 3},
                                                 {"back", 8},     {"forward", 9}, {"primary", 1},
                                                 {"secondary", 3}};
  return kNames;
}

Result<std::uint8_t> button_of_name(std::string_view name) {
  for (const ButtonName& button : button_names()) {
    if (button.name == name) return button.button;
  }
  return invalid_argument("there is no pointer button '" + std::string(name) +
                          "'; use left, middle, right, back or forward");
}

/// One act: what it presses it releases, whatever happens.
class Pointer::Act {
 public:
  static Result<std::unique_ptr<Act>> begin(Pointer& pointer, const At& at) {
    GANTRY_ASSIGN(const SessionPtr session, pointer.connection_.session());
    if (!session->extensions().xtest) {
      return unavailable("the X server has no XTEST extension, so the pointer cannot be moved",
                         "start it without -tst");
    }
    auto act = std::make_unique<Act>(pointer, session);
    GANTRY_ASSIGN(act->monitors_, list_monitors(*session));
    GANTRY_TRY(act->read_position());
    act->target_ = at.point.value_or(act->position_);
    GANTRY_TRY(act->check_on_screen(act->target_));
    GANTRY_TRY(act->hold_modifiers(at.modifiers));
    return act;
  }

  Act(Pointer& pointer, SessionPtr session)
      : pointer_(pointer), call_(pointer.connection_), session_(std::move(session)) {
    // What was left down in an earlier session went with its server.
    if (pointer_.kept_generation_ != session_->generation()) pointer_.kept_.clear();
    pointer_.kept_generation_ = session_->generation();
  }
  ~Act() {
    if (buttons_.empty() && keys_.empty()) {
      forget();
      session_->flush();
      return;
    }
    for (auto button = buttons_.rbegin(); button != buttons_.rend(); ++button)
      fake(XCB_BUTTON_RELEASE, *button);
    for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) fake(XCB_KEY_RELEASE, *key);
    forget();
    // Sent is not enough: of a client that hangs up the server drops what it has not read.
    (void)session_->sync();
  }
  Act(const Act&) = delete;
  Act& operator=(const Act&) = delete;

  [[nodiscard]] Result<void> check_on_screen(Point p) const {
    const auto holds = [&](const Monitor& m) { return m.bounds.contains(p); };
    if (std::any_of(monitors_.begin(), monitors_.end(), holds)) return {};
    std::string message = "the point " + std::to_string(p.x) + "," + std::to_string(p.y) +
                          " lies outside every monitor; there " +
                          (monitors_.size() == 1 ? "is " : "are ");
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      message += (i == 0 ? "" : " and ") + to_text(monitors_[i].bounds);
    }
    return Error{Code::OutOfRange, std::move(message), {}};
  }

  void down(std::uint8_t button) {
    note();
    fake(XCB_BUTTON_PRESS, button);
    buttons_.push_back(button);
  }
  void up(std::uint8_t button) {
    fake(XCB_BUTTON_RELEASE, button);
    std::erase(buttons_, button);
    std::erase(pointer_.kept_, button);
    if (button <= 5) released_ |= static_cast<std::uint16_t>(XCB_BUTTON_MASK_1 << (button - 1));
  }
  /// Leaves a button down on purpose.
  void keep_down(std::uint8_t button) {
    std::erase(buttons_, button);
    pointer_.kept_.push_back(button);
  }
  void jump(Point p) {
    xcb_test_fake_input(session_->xcb(), XCB_MOTION_NOTIFY, 0, XCB_CURRENT_TIME, session_->root(),
                        static_cast<std::int16_t>(p.x), static_cast<std::int16_t>(p.y), 0);
    position_ = p;
  }
  /// Moves in a straight line over `duration`. The last point is reached also when cancelled.
  Result<void> glide(Point to, std::chrono::nanoseconds duration, const Patience& patience) {
    const Point from = position_;
    const auto steps = std::max<std::int64_t>(1, duration / kStep);
    for (std::int64_t i = 1; i < steps; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(steps);
      jump({from.x + static_cast<std::int32_t>(std::lround(part * (to.x - from.x))),
            from.y + static_cast<std::int32_t>(std::lround(part * (to.y - from.y)))});
      GANTRY_TRY(session_->sync());
      call_.renew();
      if (!patience.pause(kStep)) return patience.check("moving the pointer");
    }
    jump(to);
    return session_->sync();
  }

  /// Moves to where the act begins, proves it, and notes the window there.
  Result<void> arrive(std::chrono::nanoseconds duration, const Patience& patience) {
    if (position_ != target_) GANTRY_TRY(glide(target_, duration, patience));
    GANTRY_TRY(verify(target_, patience));
    GANTRY_ASSIGN(window_, window_below(target_));
    return {};
  }
  Result<void> verify(Point wanted, const Patience& patience) {
    GANTRY_TRY(settle([&] { return position_ == wanted; }, patience));
    if (position_ == wanted) return {};
    return internal_error("the pointer was sent to " + std::to_string(wanted.x) + "," +
                          std::to_string(wanted.y) + " but is at " + std::to_string(position_.x) +
                          "," + std::to_string(position_.y) +
                          ": a program confines it, or somebody moves the mouse");
  }
  /// Reads back where the pointer is and which buttons are down.
  Result<PointerOutcome> finish(const Patience& patience) {
    GANTRY_TRY(settle([&] { return (mask_ & released_) == 0; }, patience));
    return PointerOutcome{position_, window_, (mask_ & kAllButtons) == 0};
  }
  [[nodiscard]] Point target() const { return target_; }

 private:
  /// Tells whoever comes after a crash that something may be held.
  void note() {
    if (!std::exchange(noted_, true)) note_holding(*session_, Holder::Pointer);
  }
  void forget() {
    if (noted_ || released_ != 0) {
      if (pointer_.kept_.empty()) forget_holding(*session_, Holder::Pointer);
    }
  }
  void fake(std::uint8_t type, std::uint8_t detail) {
    xcb_test_fake_input(session_->xcb(), type, detail, XCB_CURRENT_TIME, XCB_NONE, 0, 0, 0);
  }
  /// Reads the pointer until `done` or for a moment. A window manager that grabs clicks to give the
  /// focus holds events back until it has looked at them.
  template <class Done>
  Result<void> settle(Done done, const Patience& patience) {
    const Patience limit = patience.at_most(kHeldBack);
    do {
      GANTRY_TRY(read_position());
    } while (!done() && limit.pause(1ms));
    return {};
  }
  Result<void> read_position() {
    GANTRY_ASSIGN(const auto reply,
                  fetch<xcb_query_pointer_reply>(
                      session_->xcb(), xcb_query_pointer(session_->xcb(), session_->root()),
                      "asking where the pointer is"));
    position_ = {reply->root_x, reply->root_y};
    mask_ = reply->mask;
    under_pointer_ = reply->child;
    return {};
  }
  /// Walks from the root's child under the pointer down to a listed window.
  Result<xcb_window_t> window_below(Point p) {
    GANTRY_ASSIGN(const WindowList list,
                  list_windows(*session_, {}, {.popups = true, .processes = false}));
    const auto listed = [&](xcb_window_t id) {
      return std::any_of(list.windows.begin(), list.windows.end(),
                         [&](const Window& w) { return w.id == id; });
    };
    for (xcb_window_t at = under_pointer_; at != XCB_NONE;) {
      if (listed(at)) return at;
      const auto reply = fetch_or_null<xcb_translate_coordinates_reply>(
          session_->xcb(), xcb_translate_coordinates(session_->xcb(), session_->root(), at,
                                                     static_cast<std::int16_t>(p.x),
                                                     static_cast<std::int16_t>(p.y)));
      at = reply ? reply->child : xcb_window_t{XCB_NONE};
    }
    // On a manager's frame, beside the client: the frame still belongs to it.
    return under_pointer_ == XCB_NONE ? xcb_window_t{XCB_NONE}
                                      : top_level_of(*session_, list, under_pointer_);
  }
  Result<void> hold_modifiers(const std::vector<std::string>& names) {
    if (names.empty()) return {};
    GANTRY_ASSIGN(const Keymap keymap, read_keymap(*session_));
    for (const std::string& name : names) {
      const auto keysym = modifier_of_name(name);
      if (!keysym)
        return invalid_argument("'" + name + "' is not a modifier; use ctrl, shift, alt or super");
      const auto stroke = keymap.find_keysym(*keysym, 0);
      if (!stroke)
        return failed_precondition("this keyboard map has no key for the modifier '" + name + "'");
      note();
      fake(XCB_KEY_PRESS, stroke->keycode);
      keys_.push_back(stroke->keycode);
    }
    return {};
  }

  Pointer& pointer_;
  X11Connection::Call call_;
  SessionPtr session_;
  bool noted_ = false;
  std::vector<Monitor> monitors_;
  std::vector<std::uint8_t> buttons_;
  std::vector<std::uint8_t> keys_;
  Point position_;
  Point target_;
  std::uint16_t mask_ = 0;      // buttons and modifiers that are down
  std::uint16_t released_ = 0;  // buttons that this act let go
  xcb_window_t under_pointer_ = XCB_NONE;
  xcb_window_t window_ = XCB_NONE;
};

Result<PointerOutcome> Pointer::move(const At& at, const Patience& patience) {
  const std::lock_guard lock(mutex_);
  GANTRY_ASSIGN(const auto act, Act::begin(*this, at));
  GANTRY_TRY(act->arrive(at.duration, patience));
  return act->finish(patience);
}

Result<PointerOutcome> Pointer::click(const At& at, std::string_view name, int count,
                                      const Patience& patience) {
  GANTRY_ASSIGN(const std::uint8_t button, button_of_name(name));
  if (count < 1 || count > 10) {
    return invalid_argument("clicking " + std::to_string(count) +
                            " times: the count must be 1 to 10");
  }
  const std::lock_guard lock(mutex_);
  GANTRY_ASSIGN(const auto act, Act::begin(*this, at));
  GANTRY_TRY(act->arrive(at.duration, patience));
  for (int i = 0; i < count; ++i) {
    act->down(button);
    act->up(button);
  }
  return act->finish(patience);
}

Result<PointerOutcome> Pointer::press(const At& at, std::string_view name,
                                      const Patience& patience) {
  GANTRY_ASSIGN(const std::uint8_t button, button_of_name(name));
  const std::lock_guard lock(mutex_);
  GANTRY_ASSIGN(const auto act, Act::begin(*this, at));
  GANTRY_TRY(act->arrive(at.duration, patience));
  act->down(button);
  act->keep_down(button);
  return act->finish(patience);
}

Result<PointerOutcome> Pointer::release(const At& at, std::string_view name,
                                        const Patience& patience) {
  GANTRY_ASSIGN(const std::uint8_t button, button_of_name(name));
  const std::lock_guard lock(mutex_);
  GANTRY_ASSIGN(const auto act, Act::begin(*this, at));
  GANTRY_TRY(act->arrive(at.duration, patience));
  act->up(button);
  return act->finish(patience);
}

Result<PointerOutcome> Pointer::drag(const At& at, Point to, std::string_view name,
                                     const Patience& patience) {
  GANTRY_ASSIGN(const std::uint8_t button, button_of_name(name));
  const std::lock_guard lock(mutex_);
  GANTRY_ASSIGN(const auto act, Act::begin(*this, at));
  GANTRY_TRY(act->check_on_screen(to));
  GANTRY_TRY(act->arrive({}, patience));
  act->down(button);
  GANTRY_TRY(
      act->glide(to, std::max<std::chrono::nanoseconds>(at.duration, kShortestDrag), patience));
  GANTRY_TRY(act->verify(to, patience));
  act->up(button);
  return act->finish(patience);
}

Result<PointerOutcome> Pointer::scroll(const At& at, int up, int right, const Patience& patience) {
  if (std::abs(up) > kMostSteps || std::abs(right) > kMostSteps) {
    return invalid_argument("scrolling by " + std::to_string(up) + "," + std::to_string(right) +
                            " steps: at most 1000 each way");
  }
  const std::lock_guard lock(mutex_);
  GANTRY_ASSIGN(const auto act, Act::begin(*this, at));
  GANTRY_TRY(act->arrive(at.duration, patience));
  const auto turn = [&](int steps, std::uint8_t button) {
    for (int i = 0; i < steps; ++i) {
      act->down(button);
      act->up(button);
    }
  };
  turn(up, kWheelUp);
  turn(-up, kWheelDown);
  turn(right, kWheelRight);
  turn(-right, kWheelLeft);
  return act->finish(patience);
}

}  // namespace gantry::x11
