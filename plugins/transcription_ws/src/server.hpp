// SPDX-License-Identifier: Apache-2.0
#pragma once
// All open sockets. Strand only.

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>
#include <gantry/stream.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "settings.hpp"

namespace gantry::transcription_ws {

class Connection;

class Server {
 public:
  explicit Server(Host& host);
  ~Server();

  void configure(Settings settings) { settings_ = std::move(settings); }
  /// Errors: resource_exhausted (as many as `connections` allows).
  [[nodiscard]] Result<StreamHandlers<WsMessage>> accept(const WsOpening& opening,
                                                         Stream<WsMessage> down);
  void close();

  [[nodiscard]] Host& host() { return host_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  /// 32 hexadecimal digits that nobody else has.
  [[nodiscard]] std::string next_id();
  void gone(std::uint64_t number);
  void count_ignored() { ignored_.add(); }
  void count_refused() { refused_.add(); }

 private:
  Host& host_;
  Settings settings_;
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::uint64_t last_number_ = 0;
  Metric open_;
  Metric ignored_;
  Metric refused_;
};

}  // namespace gantry::transcription_ws
