// SPDX-License-Identifier: Apache-2.0
#pragma once
// One socket: requests one after the other, answers and events in their order. Strand only. An idle
// one is small: there may be ten thousand.

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>
#include <gantry/stream.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frame.hpp"
#include "identity.hpp"
#include "locale.hpp"
#include "outbox.hpp"
#include "text.hpp"

namespace gantry::gateway {

class Server;
struct Method;

class Connection final : public StreamReceiver<WsMessage>,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, std::uint64_t number, const Uuid& id, const WsOpening& opening,
             Stream<WsMessage> down);

  StreamHandlers<WsMessage> open();
  void on_chunk(const Ref<WsMessage>& message) override;
  void on_room() override;
  void on_end(const Error& end) override;
  void close(std::uint16_t code, std::string_view reason);

  [[nodiscard]] std::string id() const { return uuid_text(id_); }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const std::string& peer() const { return peer_; }
  [[nodiscard]] const Identity& who() const { return *who_; }
  [[nodiscard]] const std::shared_ptr<const Identity>& identity() const { return who_; }
  [[nodiscard]] std::int64_t connected_ms() const { return connected_ms_; }
  /// It said which protocol it speaks, as the web UI does.
  [[nodiscard]] bool is_web_ui() const { return web_ui_; }

  void event(std::string_view name, const boost::json::value& payload);
  /// What belongs to a session waits while that is held.
  void of_session(const std::string& key, Outgoing item);
  void answer(const boost::json::value& id, const Answer& answer, const std::string& after_session);

  /// Keeps back what belongs to the session until released, or for so long.
  void hold(const std::string& key, std::int64_t ms);
  /// Lets it go, but for what has been seen already.
  void release(const std::string& key, std::uint64_t seen = 0);
  /// The run of which something is held back; empty: there is none.
  [[nodiscard]] std::string held_run(const std::string& key) const;
  /// Goes before what is held.
  void send_now(Outgoing item) { put(std::move(item)); }
  /// Calls back when nothing waits any more for the client to read; at once when that is so.
  void when_drained(std::function<void()> done) { outbox_.when_drained(std::move(done)); }
  [[nodiscard]] bool is_closed() const { return closed_; }
  [[nodiscard]] bool holds(const std::string& key) const {
    return held_ && held_->by_session.contains(key);
  }

  /// The language of refusals.
  void speak(Locale locale) { locale_ = locale; }
  void begin_pairing() { pairing_ = true; }
  void become(std::optional<Identity> who, bool web_ui);
  /// Whether it is still the same person's.
  [[nodiscard]] bool is(const Identity& who) const;

 private:
  struct Held {
    std::vector<Outgoing> items;
    std::size_t bytes = 0;
    Timer timer;
  };
  struct HeldBack {
    std::map<std::string, Held> by_session;
    std::size_t bytes = 0;  // of all sessions
  };

  void end();
  void work();
  void dispatch(Frame frame);
  [[nodiscard]] std::optional<Answer> refusal(const Frame& frame, const Method* method) const;
  void begin(const Method& method, Frame frame);
  void put(Outgoing item);
  void give_up(std::uint64_t seq);
  bool send(std::string frame);

  Server& server_;
  const std::uint64_t number_;
  const Uuid id_;
  const std::string peer_;
  const std::int64_t connected_ms_;
  Stream<WsMessage> down_;
  Outbox outbox_;
  std::vector<Ref<WsMessage>> inbox_;    // few: the transport waits for credit
  std::shared_ptr<const Identity> who_;  // one for all connections of somebody
  bool busy_ = false;
  bool closed_ = false;
  bool pairing_ = false;  // it has asked to be paired, and may ask how that goes
  bool web_ui_ = false;
  Locale locale_ = Locale::English;
  std::unique_ptr<HeldBack> held_;  // most never have any
};

}  // namespace gantry::gateway
