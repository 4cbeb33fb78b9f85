// SPDX-License-Identifier: Apache-2.0
//
// Reply: the right and duty to answer one call.
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/closure.hpp>
#include <gantry/contract.hpp>
#include <gantry/log.hpp>
#include <gantry/result.hpp>

#include <utility>

namespace gantry {

/// Move it to where the answer will be known, on whatever thread. The first answer counts and ends
/// it; later ones do nothing. Dropping it unanswered answers `internal`.
template <CallContract C>
class Reply {
 public:
  Reply(const gantry_host_bus* table, gantry_incoming* adopted, const Log& log = {})
      : table_(table), call_(adopted), log_(log) {}
  Reply(Reply&& o) noexcept
      : table_(o.table_), call_(std::exchange(o.call_, nullptr)), log_(o.log_) {}
  Reply& operator=(Reply&& o) noexcept {
    if (this != &o) {
      release();
      table_ = o.table_;
      call_ = std::exchange(o.call_, nullptr);
      log_ = o.log_;
    }
    return *this;
  }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply() { release(); }

  /// False once it has been answered or moved away.
  [[nodiscard]] bool open() const { return call_ != nullptr; }

  void operator()(Result<typename C::Response> result) {
    if (result.ok()) {
      send(make_body<typename C::Response>(std::move(result).value()));
    } else {
      fail(result.error());
    }
  }
  /// Answers with a response that already is a message (for example one passed on).
  void send(const Ref<typename C::Response>& response) {
    if (call_ == nullptr) return;
    table_->complete(call_, GANTRY_OK, response.body(), nullptr);
    release();
  }
  void fail(const Error& error) {
    if (call_ == nullptr) return;
    const BorrowedError raw(error);
    table_->complete(call_, raw.code(), nullptr, raw.get());
    release();
  }
  /// The caller gave up or its deadline passed: an answer would reach nobody.
  [[nodiscard]] bool cancelled() const {
    return call_ != nullptr && table_->incoming_cancelled(call_) != 0;
  }
  /// Runs `function` on the strand when the caller gives up, at once if it already has.
  template <class F>
  void on_cancel(F&& function) {
    if (call_ == nullptr) return;
    table_->incoming_on_cancel(call_, make_closure(std::forward<F>(function), log_, "on_cancel"));
  }

 private:
  void release() {
    if (call_ != nullptr) table_->incoming_release(std::exchange(call_, nullptr));
  }
  const gantry_host_bus* table_;
  gantry_incoming* call_;
  Log log_;
};

}  // namespace gantry
