// SPDX-License-Identifier: Apache-2.0
//
// What comes over the listener: sockets to their seats, and signing in. Strand only.
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/fair_share.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "login.hpp"
#include "models.hpp"
#include "seat.hpp"
#include "settings.hpp"
#include "users.hpp"

namespace gantry::chat_aide {

class Server {
 public:
  Server(Host& host, Settings settings);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Result<void> begin() { return models_.begin(); }
  StreamHandlers<WsMessage> accept(const WsOpening& opening, Stream<WsMessage> down);
  void handle(const HttpRequest& request, Reply<HttpHandle> reply);
  /// Ends every connection: the daemon stops.
  void close();
  /// What was signed before does not count any more.
  void sign_out(const std::string& user);

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Users& users() { return users_; }

 private:
  using SeatKey = std::pair<std::string, std::string>;  // principal, session_id of the path
  struct Arriving;

  void authenticate(const HttpRequest& request, std::function<void(Result<std::string>)> user);
  void resolve(const std::string& user, std::function<void(Result<Who>)> who);
  void seat(const std::shared_ptr<Arriving>& arriving, const Who& who);
  void log_in(const HttpRequest& request, Reply<HttpHandle> reply);
  void log_out(const HttpRequest& request, Reply<HttpHandle> reply);
  [[nodiscard]] bool open() const { return settings_.auth == "none"; }
  [[nodiscard]] std::int64_t now_ms() const;

  Host& host_;
  Settings settings_;
  Users users_;
  Failures failures_;
  Models models_;
  // Bytes of all seats and sockets.
  const std::shared_ptr<FairBudget> waiting_ =
      std::make_shared<FairBudget>(static_cast<std::size_t>(settings_.waiting));
  std::map<SeatKey, std::shared_ptr<Seat>> seats_;
  Metric refused_;
};

}  // namespace gantry::chat_aide
