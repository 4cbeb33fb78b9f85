// SPDX-License-Identifier: Apache-2.0
#pragma once
// One chat that was asked for, from its message to its last frame. Strand only.

#include <gantry/contracts/session.hpp>
#include <gantry/host.hpp>
#include <gantry/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"
#include "incoming.hpp"
#include "run_view.hpp"

namespace gantry::chat_cortask {

class Run : public std::enable_shared_from_this<Run> {
 public:
  /// `turn` names it in the engine.
  Run(SessionKey session, std::string turn, bool with_arguments,
      const std::shared_ptr<Connection>& owner);

  [[nodiscard]] const SessionKey& session() const { return session_; }
  [[nodiscard]] const std::string& turn() const { return turn_; }
  [[nodiscard]] RunView& view() { return view_; }

  // ---- who gets its frames
  [[nodiscard]] bool belongs_to(const Connection& connection) const;
  [[nodiscard]] bool has_owner() const { return owner() != nullptr; }
  /// One of them, or null.
  [[nodiscard]] std::shared_ptr<Connection> owner() const;
  /// The connection has gone. When it was the last one, frames are kept until somebody comes.
  void detach(const Connection& connection);
  /// The connection gets what was kept, and everything from now on.
  void attach(const std::shared_ptr<Connection>& connection);

  // ---- its events
  /// Watches the turn; `ended` is called once, when no more frames come.
  Result<void> watch(Host& host, std::uint64_t after, std::function<void()> ended);
  /// Lets the engine send more, if the owner has room for it.
  void make_room();
  /// Forgets the turn; the engine sees that nobody watches any more.
  void leave();

  /// How far it is on its way to the engine.
  enum class Stage : std::uint8_t { Waiting, Starting, Started };
  Stage stage = Stage::Waiting;
  ChatMessage message;  // until it starts
  std::string counted_for;

 private:
  void deliver(const std::string& frame);
  void on_events(const SessionEvents& events);
  void end();

  const SessionKey session_;
  const std::string turn_;
  std::vector<std::weak_ptr<Connection>> owners_;  // who asked, and who answered for them
  RunView view_;
  std::deque<std::string> kept_;
  std::size_t kept_bytes_ = 0;
  Stream<Nothing> watch_;
  std::uint32_t owed_ = 0;  // credit that is held back while nobody takes frames
  std::function<void()> ended_;
};
using RunPtr = std::shared_ptr<Run>;

}  // namespace gantry::chat_cortask
