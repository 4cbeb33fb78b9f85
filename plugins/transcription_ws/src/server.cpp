// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "connection.hpp"

namespace gantry::transcription_ws {

Server::Server(Host& host)
    : host_(host),
      open_(host.gauge("connections", "Open WebSockets of transcription.")),
      ignored_(host.counter("frames_ignored_total", "Frames that are none of the protocol.")),
      refused_(host.counter("frames_refused_total", "Frames that were answered with an error.")) {}

Server::~Server() = default;

Result<StreamHandlers<WsMessage>> Server::accept(const WsOpening& opening, Stream<WsMessage> down) {
  if (connections_.size() >= static_cast<std::size_t>(settings_.connections)) {
    return Error{Code::ResourceExhausted,
                 fmt::format("{} clients are being transcribed, as many as "
                             "transcription_ws.connections allows",
                             connections_.size()),
                 {}};
  }
  const std::uint64_t number = ++last_number_;
  auto connection = std::make_shared<Connection>(*this, number, opening, std::move(down));
  connections_.emplace(number, connection);
  open_.set(static_cast<double>(connections_.size()));
  return connection->open();
}

void Server::close() {
  const auto connections = std::exchange(connections_, {});
  for (const auto& [number, connection] : connections) connection->shut_down();
}

std::string Server::next_id() {
  std::random_device device;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", device());
  return out;
}

void Server::gone(std::uint64_t number) {
  connections_.erase(number);
  open_.set(static_cast<double>(connections_.size()));
}

}  // namespace gantry::transcription_ws
