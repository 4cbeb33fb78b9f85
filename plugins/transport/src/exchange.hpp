// SPDX-License-Identifier: Apache-2.0
#pragma once

// The handle through which a request is answered from any thread, and what it shares with its
// connection.

#include <atomic>
#include <memory>

#include "handler.hpp"
#include "mailbox.hpp"

namespace gantry::transport {

/// Shared by the handle and the connection. `sink` is set on the loop thread before the handler
/// returns and read there only.
struct ExchangeState {
  RequestPtr request;
  std::shared_ptr<ExchangeSink> sink;
  std::atomic<bool> unbounded{false};  ///< SendBound::kSender
  std::atomic<bool> wants_writable{false};
  std::atomic<bool> answered{false};  ///< respond() or start() was called
  std::atomic<bool> finished{false};  ///< the answer is complete
  std::atomic<bool> gone{false};      ///< the connection is
  std::atomic<size_t> queued{0};      ///< bytes written and not yet with the operating system
};

struct ExchangeOptions {
  std::shared_ptr<Mailbox> mailbox;
  ChannelId channel = 0;
  uint32_t serial = 0;
  size_t queue_limit = 0;
  size_t gzip_min_bytes = 0;
};

ExchangePtr make_exchange(std::shared_ptr<ExchangeState> state, ExchangeOptions options);

}  // namespace gantry::transport
