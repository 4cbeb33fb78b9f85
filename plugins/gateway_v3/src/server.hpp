// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all connections share: configuration, who is connected, sessions and their owners, devices,
// what is said to whom. Strand only.

#include <gantry/contracts/http.hpp>
#include <gantry/contracts/identity.hpp>
#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents.hpp"
#include "devices.hpp"
#include "feeds.hpp"
#include "identity.hpp"
#include "logs.hpp"
#include "outbox.hpp"
#include "rate.hpp"
#include "session_index.hpp"
#include "settings.hpp"
#include "usage.hpp"

namespace gantry::gateway {

class Connection;

class Server {
 public:
  Server(Host& host, Settings settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Reads what the store has. Until that is done nobody is let in.
  void load();
  Task<bool> loaded();

  StreamHandlers<WsMessage> accept(const WsOpening& opening, Stream<WsMessage> down);
  /// Says good-bye to every connection: the daemon stops.
  void close();
  void revoked(const std::string& credential_id);
  /// How many credentials have been revoked.
  [[nodiscard]] std::uint64_t revocations() const { return revocations_; }
  void gone(std::uint64_t number);
  /// The same as other connections of this one have, where there are any: ten thousand may be open.
  [[nodiscard]] std::shared_ptr<const Identity> shared(Identity who) const;
  /// The connection is somebody else from now on.
  void changed(std::uint64_t number, const Identity& was, const Identity& is);
  /// Everybody who may see what this principal's sessions do: events are many, and most
  /// connections are somebody else's.
  [[nodiscard]] std::vector<std::shared_ptr<Connection>> audience(
      const std::string& principal) const;

  /// To everybody whom `may` lets hear it.
  void broadcast(std::string_view event, const boost::json::value& payload,
                 const std::function<bool(const Identity&)>& may);
  /// The usual rule: administrators, and the principal that it is about.
  void tell(const std::string& principal, std::string_view event,
            const boost::json::value& payload);
  void tell_admins(std::string_view event, const boost::json::value& payload);

  [[nodiscard]] Host& host() const { return host_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const OutboxLimits& outbox_limits() const { return outbox_limits_; }
  [[nodiscard]] SessionIndex& sessions() { return sessions_; }
  [[nodiscard]] Devices& devices() { return devices_; }
  [[nodiscard]] Agents& agents() { return agents_; }
  [[nodiscard]] const Agents& agents() const { return agents_; }
  [[nodiscard]] LogTails& logs() { return logs_; }
  [[nodiscard]] Feeds& feeds() { return feeds_; }
  [[nodiscard]] UsageToday& usage() { return usage_; }
  [[nodiscard]] RateLimit& chat_rate() { return chat_rate_; }
  [[nodiscard]] RateLimit& poll_rate() { return poll_rate_; }
  /// Wrong names of devices, and wrong tokens; of an address.
  [[nodiscard]] RateLimit& failures() { return failures_; }
  [[nodiscard]] RateLimit& token_failures() { return token_failures_; }
  [[nodiscard]] RateLimit& code_attempts() { return code_attempts_; }
  [[nodiscard]] const std::map<std::uint64_t, std::shared_ptr<Connection>>& connections() const {
    return connections_;
  }
  [[nodiscard]] RunningTasks& running() { return running_; }
  [[nodiscard]] std::int64_t now_ms() const { return host_.wall_ns() / 1'000'000; }
  [[nodiscard]] std::int64_t started_ns() const { return started_ns_; }

  /// Runs a task that nobody waits for.
  template <class T, class Done>
  void run(Task<T> task, Done done) {
    spawn(running_, std::move(task), std::move(done),
          [this](const std::exception_ptr&) { host_.log().error("a request ran out of memory"); });
  }

 private:
  Host& host_;
  Settings settings_;
  const OutboxLimits outbox_limits_;
  SessionIndex sessions_;
  Devices devices_;
  Agents agents_;
  LogTails logs_;
  Feeds feeds_;
  UsageToday usage_;
  RateLimit chat_rate_;
  RateLimit poll_rate_;
  RateLimit failures_;
  RateLimit token_failures_;
  RateLimit code_attempts_;
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::unordered_map<std::string, std::vector<std::uint64_t>> of_principal_;
  std::set<std::uint64_t> admins_;
  std::uint64_t last_number_ = 0;
  std::uint64_t revocations_ = 0;
  std::int64_t started_ns_ = 0;
  bool loaded_ = false;
  std::vector<std::function<void(bool)>> waiting_;  // for what the store has
  Metric open_;
  RunningTasks running_;  // ends first
};

}  // namespace gantry::gateway
