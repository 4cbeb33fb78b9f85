// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <utility>

#include "connection.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

constexpr std::uint16_t kGoingAway = 1001;
constexpr std::uint16_t kPolicy = 1008;
constexpr double kBurst = 5;               // requests of a user at once
constexpr double kFailuresPerMinute = 60;  // wrong tokens from one address

}  // namespace

Server::Server(Host& host, Settings settings)
    : host_(host),
      settings_(std::move(settings)),
      outbox_limits_{static_cast<std::size_t>(settings_.queue_messages),
                     static_cast<std::size_t>(settings_.queue_bytes)},
      sessions_(host),
      devices_(host, settings_.pairing),
      agents_(host, settings_.agents),
      logs_(*this),
      feeds_(*this),
      chat_rate_(static_cast<double>(settings_.rate_limit_rpm), kBurst),
      poll_rate_(static_cast<double>(settings_.rate_limit_rpm) * 2, kBurst * 2),
      failures_(kFailuresPerMinute, kFailuresPerMinute),
      token_failures_(kFailuresPerMinute, kFailuresPerMinute),
      code_attempts_(static_cast<double>(settings_.pairing.attempts_per_minute),
                     static_cast<double>(settings_.pairing.attempts_per_minute)),
      started_ns_(host.monotonic_ns()),
      open_(host.gauge("connections", "Open WebSockets of the gateway.")) {}

Server::~Server() = default;

namespace {

Task<Result<void>> load_everything(SessionIndex& sessions, Devices& devices, Agents& agents) {
  auto first = sessions.load();
  Result<void> loaded = co_await std::move(first);
  if (!loaded.ok()) co_return loaded;
  auto second = devices.load();
  loaded = co_await std::move(second);
  if (!loaded.ok()) co_return loaded;
  auto third = agents.load();
  co_return co_await std::move(third);
}

}  // namespace

void Server::load() {
  run(load_everything(sessions_, devices_, agents_), [this](const Result<void>& loaded) {
    if (loaded.ok()) {
      host_.healthy("store");
    } else {
      host_.degraded("store", loaded.error().message,
                     "configure the plugin store: owners of sessions and paired devices are "
                     "forgotten when the daemon ends");
    }
    loaded_ = true;
    for (const auto& done : std::exchange(waiting_, {})) done(true);
  });
}

Task<bool> Server::loaded() {
  if (loaded_) co_return true;
  co_return co_await completion<bool>([this](auto done) { waiting_.push_back(std::move(done)); });
}

StreamHandlers<WsMessage> Server::accept(const WsOpening& opening, Stream<WsMessage> down) {
  const std::uint64_t number = ++last_number_;
  const Result<Uuid> id = random_uuid();
  if (!id.ok()) {
    down.close(id.error());
    return {};
  }
  auto connection = std::make_shared<Connection>(*this, number, *id, opening, std::move(down));
  connections_.emplace(number, connection);
  open_.set(static_cast<double>(connections_.size()));
  return connection->open();
}

void Server::close() {
  const auto connections = std::exchange(connections_, {});
  for (const auto& [number, connection] : connections) {
    connection->event("shutdown", nullptr);
    connection->close(kGoingAway, "the server is going down");
  }
  feeds_.close();
}

void Server::revoked(const std::string& credential_id) {
  ++revocations_;
  devices_.revoked(credential_id);
  const auto connections = connections_;
  for (const auto& [number, connection] : connections) {
    if (!credential_id.empty() && connection->who().credential == credential_id) {
      connection->close(kPolicy, "revoked");
    }
  }
}

void Server::gone(std::uint64_t number) {
  connections_.erase(number);
  feeds_.gone(number);
  logs_.stop(number);
  open_.set(static_cast<double>(connections_.size()));
}

std::shared_ptr<const Identity> Server::shared(Identity who) const {
  const auto own = of_principal_.find(who.principal);
  if (own != of_principal_.end()) {
    const auto other = connections_.find(own->second.back());
    if (other != connections_.end() && other->second->who() == who) {
      return other->second->identity();
    }
  }
  return std::make_shared<const Identity>(std::move(who));
}

void Server::changed(std::uint64_t number, const Identity& was, const Identity& is) {
  admins_.erase(number);
  if (const auto old = of_principal_.find(was.principal); old != of_principal_.end()) {
    std::erase(old->second, number);
    if (old->second.empty()) of_principal_.erase(old);
  }
  if (is.at_least(Role::Admin)) admins_.insert(number);
  if (!is.at_least(Role::Admin) || !is.may(Scope::Admin)) logs_.stop(number);
  if (!is.principal.empty()) of_principal_[is.principal].push_back(number);
}

std::vector<std::shared_ptr<Connection>> Server::audience(const std::string& principal) const {
  std::set<std::uint64_t> numbers = admins_;
  if (const auto own = of_principal_.find(principal); own != of_principal_.end()) {
    numbers.insert(own->second.begin(), own->second.end());
  }
  std::vector<std::shared_ptr<Connection>> out;
  for (const std::uint64_t number : numbers) {
    const auto found = connections_.find(number);
    if (found != connections_.end() && found->second->who().sees(principal)) {
      out.push_back(found->second);
    }
  }
  return out;
}

void Server::broadcast(std::string_view event, const boost::json::value& payload,
                       const std::function<bool(const Identity&)>& may) {
  const auto connections = connections_;
  for (const auto& [number, connection] : connections) {
    const Identity& who = connection->who();
    if (who.role != Role::None && may(who)) connection->event(event, payload);
  }
}

void Server::tell(const std::string& principal, std::string_view event,
                  const boost::json::value& payload) {
  broadcast(event, payload, [&principal](const Identity& who) { return who.sees(principal); });
}

void Server::tell_admins(std::string_view event, const boost::json::value& payload) {
  broadcast(event, payload,
            [](const Identity& who) { return who.at_least(Role::Admin) && who.may(Scope::Admin); });
}

}  // namespace gantry::gateway
