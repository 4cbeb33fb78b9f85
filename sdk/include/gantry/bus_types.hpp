// SPDX-License-Identifier: Apache-2.0
//
// The small types of the bus: options, what a handler learns about a message, and the handles of
// subscriptions and calls. Options are plain values; a handle is used from one thread at a time.
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/buffer.hpp>
#include <gantry/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gantry {

struct PublishOptions {
  gantry_lane lane = GANTRY_LANE_INTERACTIVE;
  std::uint64_t key = 0;  // orders and coalesces
};

struct SubscribeOptions {
  std::uint32_t max_items = 1024;
  gantry_overflow overflow = GANTRY_OVERFLOW_REJECT;
  std::size_t max_bytes = 0;  // 0: only items are counted
};

struct CallOptions {
  Duration timeout{0};  // 0: the host's default, always bounded by the inherited deadline
  gantry_lane lane = GANTRY_LANE_INTERACTIVE;
  std::uint64_t key = 0;
  std::string target{};          // name of the serving plugin; empty: the most suitable one
  bool complete_inline = false;  // `done` runs on the completing thread and must be brief
};

struct StreamOptions {
  std::uint32_t receive_credit = 16;  // chunks the other side may have on the way to us
  bool manual_credit = false;         // credit returns only through grant()
  gantry_lane lane = GANTRY_LANE_INTERACTIVE;
  std::uint64_t key = 0;
  std::string target{};
};

/// Who sent a message and under which deadline it is handled. `sender` is valid until the handler
/// returns: copy it into a std::string to keep it.
struct CallInfo {
  std::string_view sender;
  std::uint64_t key = 0;
  Deadline deadline;
  std::uint64_t trace_hi = 0, trace_lo = 0;

  explicit CallInfo(const gantry_envelope& e)
      : sender(view(e.sender)),
        key(e.key),
        deadline{e.deadline_ns},
        trace_hi(e.trace_hi),
        trace_lo(e.trace_lo) {}
};

/// Ends its subscription when it goes. When that happens on the plugin's strand the handler will
/// not run again; on another thread it may be running at that moment.
class Subscription {
 public:
  Subscription() = default;
  Subscription(gantry_host* host, const gantry_host_bus* table, gantry_handle id)
      : host_(host), table_(table), id_(id) {}
  Subscription(Subscription&& o) noexcept
      : host_(o.host_), table_(o.table_), id_(std::exchange(o.id_, 0)) {}
  Subscription& operator=(Subscription&& o) noexcept {
    if (this != &o) {
      end();
      host_ = o.host_;
      table_ = o.table_;
      id_ = std::exchange(o.id_, 0);
    }
    return *this;
  }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription() { end(); }

  void end() {
    if (id_ != 0) table_->unsubscribe(host_, std::exchange(id_, 0));
  }

 private:
  gantry_host* host_ = nullptr;
  const gantry_host_bus* table_ = nullptr;
  gantry_handle id_ = 0;
};

/// A call that was made. cancel() asks the server to stop; dropping the handle changes nothing.
class CallHandle {
 public:
  CallHandle() = default;
  CallHandle(gantry_host* host, const gantry_host_bus* table, gantry_handle id)
      : host_(host), table_(table), id_(id) {}
  void cancel() {
    if (id_ != 0) table_->cancel(host_, std::exchange(id_, 0));
  }

 private:
  gantry_host* host_ = nullptr;
  const gantry_host_bus* table_ = nullptr;
  gantry_handle id_ = 0;
};

}  // namespace gantry
