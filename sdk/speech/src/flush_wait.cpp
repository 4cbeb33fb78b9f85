// SPDX-License-Identifier: Apache-2.0
#include <gantry/speech/flush_wait.hpp>

#include <utility>

namespace gantry::speech {

FlushWait::FlushWait(Host& host, Duration limit, std::function<void()> answered)
    : host_(host), limit_(limit), answered_(std::move(answered)) {}

void FlushWait::begin() {
  waiting_ = true;
  limit_timer_ = host_.after(limit_, [this] { finish(); });
}

void FlushWait::settle(Duration quiet) {
  if (waiting_) settle_timer_ = host_.after(quiet, [this] { finish(); });
}

void FlushWait::finish() {
  if (!waiting_) return;
  cancel();
  answered_();
}

void FlushWait::cancel() {
  waiting_ = false;
  limit_timer_.cancel();
  settle_timer_.cancel();
}

}  // namespace gantry::speech
