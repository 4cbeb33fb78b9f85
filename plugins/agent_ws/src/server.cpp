// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/store.hpp>

#include <algorithm>
#include <iterator>

#include "connection.hpp"
#include "text.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::size_t kMaxPrincipals = 4096;  // whose settings are kept
constexpr std::size_t kMaxBundles = 4096;
constexpr std::size_t kLongReason = 2000;               // bytes
constexpr const char* kSettingsDocuments = "settings";  // by principal

/// Collects the answers of several plugins.
struct ModelGathering {
  std::vector<LlmModel> models;
  std::size_t open = 0;
  std::function<void(std::vector<LlmModel>)> done;

  void finish_one() {
    if (--open == 0) done(std::move(models));
  }
};

}  // namespace

Server::Server(Host& host, Settings settings)
    : host_(host),
      settings_(std::move(settings)),
      open_(host.gauge("connections", "Open WebSockets of the agent protocol.")) {}

Server::~Server() = default;

StreamHandlers<WsMessage> Server::accept(const WsOpening& opening, Stream<WsMessage> down) {
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

void Server::revoked(const std::string& credential_id) {
  const auto connections = connections_;
  for (const auto& [number, connection] : connections) {
    if (connection->credential() == credential_id) connection->revoke();
  }
}

void Server::gone(std::uint64_t number) {
  connections_.erase(number);
  open_.set(static_cast<double>(connections_.size()));
}

ClientSettings& Server::settings_of(const std::string& principal) {
  return entry_of(principal).values;
}

Server::UserSettings& Server::entry_of(const std::string& principal) {
  const auto found = client_settings_.find(principal);
  if (found != client_settings_.end()) return found->second;
  if (client_settings_.size() >= kMaxPrincipals) {
    std::erase_if(client_settings_, [this](const auto& entry) {
      return std::none_of(connections_.begin(), connections_.end(), [&entry](const auto& row) {
        return row.second->principal() == entry.first;
      });
    });
  }
  UserSettings made{ClientSettings(settings_.defaults), std::nullopt};
  return client_settings_.emplace(principal, std::move(made)).first->second;
}

void Server::with_settings(const std::string& principal, std::function<void()> then) {
  if (entry_of(principal).stored) return then();
  host_.bus().call<StoreGet>(
      {kSettingsDocuments, {principal}},
      [this, principal, then = std::move(then)](const Result<Ref<StoreDocuments>>& found) {
        UserSettings& entry = entry_of(principal);
        if (!found.ok() && found.error().code == Code::Unavailable) {
          // No store: settings last as long as the daemon, as the README says.
        } else if (!found.ok()) {
          host_.log().warn("a user's settings cannot be read; the configured ones are used",
                           {{"reason", found.error().message}});
        } else if (!entry.stored) {
          entry.stored.emplace();
          if (!(*found)->documents.empty()) {
            entry.stored = (*found)->documents.front().body.text;
            entry.values.restore((*found)->documents.front().body);
          }
        }
        then();
      });
}

void Server::keep_settings(const std::string& principal, std::function<void()> then) {
  with_settings(principal, [this, principal, then = std::move(then)] {
    UserSettings& entry = entry_of(principal);
    Json body = entry.values.saved();
    // What could not be read is not overwritten.
    if (!entry.stored || *entry.stored == body.text) return then();
    entry.stored = body.text;
    StoreWriteRequest write;
    write.sync = true;
    write.changes.push_back({kSettingsDocuments, principal, std::move(body), std::nullopt});
    host_.bus().call<StoreWrite>(
        std::move(write), [this, principal, then](const Result<Ref<StoreWritten>>& written) {
          if (!written.ok()) {
            entry_of(principal).stored.reset();
            host_.log().warn("a user's settings last only until the daemon ends",
                             {{"reason", written.error().message}});
          }
          then();
        });
  });
}

void Server::silence(const std::string& principal, const std::vector<StoppedTurn>& turns) {
  for (const auto& [number, connection] : connections_) {
    if (connection->principal() != principal) continue;
    for (const StoppedTurn& turn : turns) connection->silence(turn);
  }
}

void Server::remember_bundle(const std::string& principal, const std::string& bundle,
                             std::vector<std::string> calls) {
  if (bundles_.size() >= kMaxBundles) bundles_.erase(bundles_.begin());
  bundles_[{principal, bundle}] = std::move(calls);
}

std::vector<std::string> Server::take_bundle(const std::string& principal,
                                             const std::string& bundle) {
  auto node = bundles_.extract({principal, bundle});
  return node.empty() ? std::vector<std::string>() : std::move(node.mapped());
}

void Server::list_models(std::vector<LlmCredential> credentials,
                         std::function<void(std::vector<LlmModel>)> done) {
  host_.bus().call<KernelContracts>(
      {}, [this, credentials = std::move(credentials),
           done = std::move(done)](Result<Ref<ContractInfoList>> contracts) mutable {
        std::vector<std::string> plugins;
        if (contracts.ok()) {
          for (const ContractInfo& contract : (*contracts)->contracts) {
            if (contract.name == LlmModels::kName) plugins = contract.providers;
          }
        }
        auto gathering = std::make_shared<ModelGathering>();
        gathering->open = plugins.size() + 1;
        gathering->done = std::move(done);
        for (const std::string& plugin : plugins) {
          CallOptions options;
          options.target = plugin;
          host_.bus().call<LlmModels>(
              {credentials, false},
              [gathering](Result<Ref<LlmModelList>> list) {
                if (list.ok()) {
                  const auto& models = (*list)->models;
                  std::copy(models.begin(), models.end(), std::back_inserter(gathering->models));
                }
                gathering->finish_one();
              },
              options);
        }
        gathering->finish_one();
      });
}

void Server::count(AgentErrorCode code, std::string_view what, std::string_view reason) {
  const std::string name = code_text(code);
  host_.counter("errors_total", "Failures by the code of the published text.", "code=" + name)
      .add();
  // A reason may repeat what the client sent.
  host_.log().warn(what, {{"code", name}, {"reason", beginning(reason, kLongReason)}});
}

}  // namespace gantry::agent_ws
