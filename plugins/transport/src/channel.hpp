// SPDX-License-Identifier: Apache-2.0
#pragma once

// One accepted connection on its loop: the socket, TLS, reading, deadlines and the way to its end.
// What the bytes mean is the Protocol's affair. Everything here runs on the loop thread.

#include <gantry/unique_fd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http_types.hpp"
#include "limits.hpp"
#include "mailbox.hpp"
#include "timer_wheel.hpp"
#include "writer.hpp"

namespace gantry::transport {

class Loop;
class Channel;
struct ListenerState;

/// Speaks on one channel. A protocol may end its channel or replace itself from within any call, as
/// the last thing that it does there.
class Protocol {
 public:
  virtual ~Protocol() = default;
  /// Plaintext from the peer, all of which is taken.
  virtual void on_bytes(std::string_view bytes) = 0;
  /// False: leave what comes in the socket, so that the peer has to wait.
  virtual bool wants_input() const = 0;
  /// The peer will send no more, and all that it sent has been taken.
  virtual void on_peer_end() = 0;
  /// Input is paused and the peer has shut its side down; unread bytes may be left before the end.
  virtual void on_half_closed() {}
  /// The connection broke.
  virtual void on_broken() = 0;
  virtual void on_deadline(int64_t now_ms) = 0;
  /// The send queue has run empty after something was queued.
  virtual void on_drained() {}
  virtual void on_command(Command& command) = 0;
  /// The server is going down: end soon and politely.
  virtual void on_shutdown() = 0;
};

class Channel final : public WheelEntry {
 public:
  Channel(Loop& loop, ChannelId id, UniqueFd socket, std::shared_ptr<const PeerInfo> peer,
          const ListenerState& listener, std::unique_ptr<TlsSession> tls);
  ~Channel();

  void start(std::unique_ptr<Protocol> protocol);
  /// Replaces the protocol; the old one is destroyed when the stack has unwound.
  void become(std::unique_ptr<Protocol> protocol);

  void on_events(uint32_t events);
  void on_wheel(int64_t now_ms);
  void on_command(Command& command);
  void shut_down();
  /// Reads again what a pause or the fairness budget left.
  void pump();

  /// Fires Protocol::on_deadline at `at_ms` or soon after; 0 = never. Pushing it back is free.
  void set_deadline(int64_t at_ms);
  /// Sends what is queued, then FIN, then discards what the peer still sends for a short time, so
  /// that the answer is not destroyed by a reset (RFC 9112 9.6).
  void close_gracefully();
  /// Ends at once.
  void destroy();
  bool ending() const { return phase_ != Phase::kOpen; }
  /// Whether bytes have left since the last time that this was asked.
  bool made_progress();

  ChannelId id() const { return id_; }
  Loop& loop() { return loop_; }
  const std::shared_ptr<Writer>& writer() const { return writer_; }
  /// Null after forget_peer().
  const std::shared_ptr<const PeerInfo>& peer() const { return peer_; }
  /// For a protocol that has no more requests to describe.
  void forget_peer() { peer_.reset(); }
  /// ServerCore::counted_as() of the peer.
  std::string counted_as() const { return counted_as_ ? *counted_as_ : std::string(); }
  const ListenerState& listener() const { return listener_; }
  int64_t now_ms() const;
  /// The peer has shut down its sending side; what it sent before may be left to read.
  bool half_closed() const { return half_closed_seen_ || peer_ended_; }
  /// The peer has shut down its sending side, and all that it sent has been taken.
  bool peer_ended() const { return peer_ended_; }

 private:
  enum class Phase : uint8_t { kOpen, kFlushing, kLingering, kDead };

  void read_available();
  /// False: stop reading (end of file, error, or the channel is ending).
  bool take_input(std::string_view raw);
  void flush();
  void begin_linger();
  void broken();

  Loop& loop_;
  const ChannelId id_;
  std::shared_ptr<const PeerInfo> peer_;
  const std::unique_ptr<const std::string> counted_as_;  ///< null: an empty one
  const ListenerState& listener_;
  std::shared_ptr<Writer> writer_;
  std::unique_ptr<Protocol> protocol_;
  int64_t deadline_ms_ = 0;
  uint64_t progress_bytes_ = 0;
  const UniqueFd socket_;
  uint32_t lingered_bytes_ = 0;
  Phase phase_ = Phase::kOpen;
  bool readable_ = true;
  bool peer_ended_ = false;
  bool half_closed_seen_ = false;
  bool tls_ended_ = false;  ///< the peer's TLS has said that nothing more comes
};

}  // namespace gantry::transport
