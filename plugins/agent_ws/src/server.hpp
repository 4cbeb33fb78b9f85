// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all connections share: configuration, users' settings, who is connected, counters. Strand
// only.

#include <gantry/contracts/http.hpp>
#include <gantry/contracts/llm.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client_settings.hpp"
#include "error_text.hpp"
#include "settings.hpp"

namespace gantry::agent_ws {

class Connection;

class Server {
 public:
  Server(Host& host, Settings settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// One WebSocket; the handlers of its stream.
  StreamHandlers<WsMessage> accept(const WsOpening& opening, Stream<WsMessage> down);
  /// Ends every connection: the daemon stops.
  void close();
  /// The credential was revoked: its connections end.
  void revoked(const std::string& credential_id);

  [[nodiscard]] Host& host() const { return host_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] ClientSettings& settings_of(const std::string& principal);
  /// Runs `then` when settings_of(principal) is what the user has set: at once, or when the store
  /// has told it. Without a store they last as long as the daemon.
  void with_settings(const std::string& principal, std::function<void()> then);
  /// Keeps what is set now; `then` runs when it is on the disk, or cannot be, which is logged.
  void keep_settings(const std::string& principal, std::function<void()> then);

  /// A turn of this principal was stopped: no connection shows anything of it any more.
  void silence(const std::string& principal, const std::vector<StoppedTurn>& turns);
  void remember_bundle(const std::string& principal, const std::string& bundle,
                       std::vector<std::string> calls);
  /// The calls of a bundle, in its order; known once.
  [[nodiscard]] std::vector<std::string> take_bundle(const std::string& principal,
                                                     const std::string& bundle);

  /// All models of all plugins.
  void list_models(std::vector<LlmCredential> credentials,
                   std::function<void(std::vector<LlmModel>)> done);

  /// Logs and counts a failure under its code.
  void count(AgentErrorCode code, std::string_view what, std::string_view reason);
  void gone(std::uint64_t number);

 private:
  using BundleKey = std::pair<std::string, std::string>;  // principal, bundle

  /// What one user has set.
  struct UserSettings {
    ClientSettings values;
    std::optional<std::string> stored;  // its text in the store; none: that is not known yet
  };
  [[nodiscard]] UserSettings& entry_of(const std::string& principal);

  Host& host_;
  Settings settings_;
  std::map<std::string, UserSettings> client_settings_;  // by principal
  std::map<BundleKey, std::vector<std::string>> bundles_;
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::uint64_t last_number_ = 0;
  Metric open_;
};

}  // namespace gantry::agent_ws
