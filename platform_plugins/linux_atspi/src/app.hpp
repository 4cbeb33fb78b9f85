// SPDX-License-Identifier: Apache-2.0
// One application on the accessibility bus: who it is, how far its toolkit can be trusted, what is
// cached of it, and whether it answers.
#pragma once

#include "app_model.hpp"
#include "loop.hpp"

#include <coroutine>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace gantry::atspi {

enum class Toolkit { kUnknown, kGtk3, kGtk4, kQt, kChromium, kGecko, kWebKit, kOther };

/// What measured toolkits do and do not do; see the table in toolkit.cpp.
struct ToolkitTraits {
  bool cache_items;      ///< Cache.GetItems gives the whole tree
  bool lazy_cache;       ///< … but only of objects somebody has asked for before (GTK 4)
  bool showing_state;    ///< sets SHOWING; otherwise VISIBLE and the boxes have to tell
  bool get_all;          ///< Properties.GetAll(Accessible) is worth trying
  bool window_relative;  ///< GetExtents(screen) answers window coordinates
  bool bounds_events;    ///< events tell of every move, so cached boxes need no check
  bool tree_events;      ///< events tell of every change of the tree
  bool label_relations;  ///< leaves fields nameless and only relates them to their labels
  enum class Identifier { kNone, kProperty, kAttribute } identifier;
};

Toolkit toolkit_of(std::string_view name, std::string_view version);
const ToolkitTraits& toolkit_traits(Toolkit toolkit);

/// Lets one task at a time work on an application. FIFO; bus thread only.
class Turn {
 public:
  auto acquire() {
    struct Wait {
      Turn& turn;
      bool await_ready() {
        if (turn.busy_) return false;
        turn.busy_ = true;
        return true;
      }
      void await_suspend(std::coroutine_handle<> self) { turn.queue_.push_back(self); }
      void await_resume() const {}
    };
    return Wait{*this};
  }
  bool busy() const { return busy_; }
  void release() {
    if (queue_.empty()) {
      busy_ = false;
      return;
    }
    const auto next = queue_.front();
    queue_.pop_front();
    next.resume();
  }

 private:
  bool busy_ = false;
  std::deque<std::coroutine_handle<>> queue_;
};

struct App {
  explicit App(std::string bus_name) : model(std::move(bus_name)) {}

  AppModel model;
  std::uint32_t pid = 0;
  std::string name;
  std::string toolkit_name;
  std::string toolkit_version;
  Toolkit toolkit = Toolkit::kUnknown;
  bool identified = false;
  bool loaded = false;  ///< GetItems was taken over, or the toolkit has none
  bool get_all_refused = false;
  bool registered = false;  ///< the registry lists it; others are used only for their own process
  bool gone = false;        ///< left the bus while a task was working on it
  TimePoint first_seen{};
  TimePoint last_used{};
  Turn turn;

  // Quarantine of a silent application.
  bool hung = false;
  bool ping_out = false;
  TimePoint probe_after{};
  milliseconds probe_back_off{1000};

  const ToolkitTraits& traits() const { return toolkit_traits(toolkit); }
  std::string toolkit_label() const {
    return toolkit_version.empty() ? toolkit_name : toolkit_name + " " + toolkit_version;
  }
};

}  // namespace gantry::atspi
