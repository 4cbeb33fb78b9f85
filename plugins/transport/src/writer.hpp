// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sending half of one connection. Any thread may send; when nothing is queued, the calling
// thread writes to the socket itself, which saves a wake of the loop. What the socket does not take
// waits in a bounded queue that the loop flushes when the peer has read.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "handler.hpp"
#include "leaving.hpp"
#include "tls.hpp"

namespace gantry::transport {

class Writer {
 public:
  /// `fd` and `leaving` stay until detach(). `tls` may be null.
  Writer(int fd, std::unique_ptr<TlsSession> tls, size_t limit, LeavingBytes& leaving);

  /// Sends `head` and `body` without anything in between. `limited`: over the queue limit nothing
  /// is taken, the answer is kDropped and overflowed() turns true for good. So does what has to
  /// wait although too much waits for all peers together, and then nothing more is sent at all.
  SendResult send(const Bytes& head, const Bytes& body, bool limited) {
    return take(head, body, limited, false);
  }
  /// The same without writing yet: release(), or whatever is sent next, takes it along. One system
  /// call for several messages.
  SendResult hold(const Bytes& head, const Bytes& body, bool limited) {
    return take(head, body, limited, true);
  }
  /// Writes what hold() has kept back.
  void release();

  /// Last words: queued data that no byte of has gone yet is forgotten, `frame` follows what is
  /// half-sent, and later sends are dropped. `keep_queue` leaves the queue as it is.
  void finish_with(const Bytes& frame, bool keep_queue);

  enum class Flush : uint8_t {
    kIdle,     ///< nothing waits, and nothing did
    kDrained,  ///< what waited for the socket has gone; said once
    kBlocked,
    kFailed,
  };
  /// For the loop, when the socket takes more.
  Flush flush();

  /// TLS: decrypts, and sends what the session has to say itself. Without TLS, `input` is `plain`.
  TlsSession::State decrypt(std::string_view input, std::string& plain);
  bool tls() const { return has_tls_; }
  bool tls_established();

  /// Shuts the sending direction down (with close_notify under TLS).
  void shut_down();
  /// The descriptor is about to be closed: nothing is written any more.
  void detach();

  size_t queued_bytes() const { return queued_.load(std::memory_order_relaxed); }
  size_t limit() const { return limit_; }
  bool overflowed() const { return overflowed_.load(std::memory_order_acquire); }
  /// Why: `limit()` bytes of its own, or the limit of all.
  bool crowded_out() const { return crowded_out_.load(std::memory_order_acquire); }
  /// The peer takes nothing and its socket was shut down to make room for others.
  bool given_up() const { return leaving_.given_up(); }
  /// Bytes that ever left; tells a stalled peer from a slow one.
  uint64_t sent_bytes() const { return sent_.load(std::memory_order_relaxed); }

 private:
  /// A head and a body that belong together: half-sent, neither may be left out.
  struct Entry {
    Bytes head;
    Bytes body;
    size_t size() const { return head.size() + body.size(); }
    /// Memory, about: small messages cost more than their bytes.
    size_t cost() const { return size() + 2 * sizeof(Entry); }
  };

  SendResult take(const Bytes& head, const Bytes& body, bool limited, bool hold);
  SendResult write_or_queue(Entry entry, bool hold = false);
  Flush flush_locked();
  Flush write_queue();
  bool may_wait(bool moved);
  void release_queue();
  void forget_queue();

  std::mutex mutex_;
  int fd_;
  const bool has_tls_;
  bool finished_ = false;
  bool failed_ = false;
  bool held_ = false;    ///< queue_ waits for release() and not for the socket
  bool waited_ = false;  ///< something waited for the socket since flush() last said kDrained
  std::unique_ptr<TlsSession> tls_;
  std::vector<Entry> queue_;
  size_t front_ = 0;         ///< first entry of queue_ that is not sent
  size_t front_offset_ = 0;  ///< bytes of it that are
  size_t kept_ =
      0;  ///< memory of queue_: an entry keeps all of its own until its last byte is sent
  const size_t limit_;
  LeavingShare leaving_;
  std::atomic<size_t> queued_{0};
  std::atomic<uint64_t> sent_{0};
  std::atomic<bool> overflowed_{false};
  std::atomic<bool> crowded_out_{false};
};

}  // namespace gantry::transport
