// SPDX-License-Identifier: Apache-2.0
//
// PhaseWatch: the time limits of one exchange, phase by phase. Strand only, but for touch().
#pragma once

#include <gantry/host.hpp>
#include <gantry/http/client.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace gantry::http {

struct PhaseLimits {
  Duration connect{};     // name, connection, TLS
  Duration first_byte{};  // from the request to the head of the answer
  Duration idle{};        // between two pieces of the body
};

class PhaseWatch : public std::enable_shared_from_this<PhaseWatch> {
 public:
  PhaseWatch(Host& host, std::shared_ptr<HttpExchange> exchange, PhaseLimits limits)
      : host_(host), exchange_(std::move(exchange)), limits_(limits) {
    touch();
  }
  /// Aborts the exchange when a phase is over its limit, until end().
  void begin() { look(); }
  void end() {
    over_ = true;
    timer_.cancel();
  }
  /// Something has come. From any thread.
  void touch() { touched_ns_.store(host_.monotonic_ns(), std::memory_order_release); }
  /// "connect", "first_byte" or "idle" once it has aborted the exchange; else empty.
  [[nodiscard]] const std::string& late() const { return late_; }

 private:
  void look();

  Host& host_;
  std::shared_ptr<HttpExchange> exchange_;
  PhaseLimits limits_;
  std::atomic<std::int64_t> touched_ns_{0};
  std::string late_;
  bool over_ = false;
  Timer timer_;
};

}  // namespace gantry::http
