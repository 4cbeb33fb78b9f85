// SPDX-License-Identifier: Apache-2.0
// A client of the adapter and a scripted application on a private bus.
#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "client.hpp"
#include "fake_peer.hpp"
#include "private_bus.hpp"

namespace gantry::atspi::testing {

using Answer = Result<std::shared_ptr<const Tree>>;

/// A private bus with a registry, a client of the adapter on it, and one application.
struct Desk {
  explicit Desk(Behaviour behaviour = {}, AtspiConfig config = patient()) {
    start_peers(std::move(behaviour));
    SessionEnvironment environment;
    environment.getenv = [this](const char* name) {
      return std::string(name) == "AT_SPI_BUS_ADDRESS" ? bus.address() : std::string();
    };
    Client::Callbacks callbacks;
    callbacks.changed = [this](const Change& change) {
      const std::lock_guard lock(mutex);
      changes.push_back(change);
      changed.notify_all();
    };
    callbacks.status = [this](const BusStatus& status) {
      const std::lock_guard lock(mutex);
      statuses.push_back(status.up);
      changed.notify_all();
    };
    client = std::make_unique<Client>(config, environment, std::move(callbacks));
  }
  void start_peers(Behaviour behaviour = {}) {
    registry = std::make_unique<FakePeer>(bus.address(), Behaviour{}, true);
    app = std::make_unique<FakePeer>(bus.address(), std::move(behaviour));
    registry->list_application(app->unique_name());
    app->add("1", "root", window("Editor"));
  }

  /// No limit is met, however slow the machine is: for all tests that are not about one.
  static AtspiConfig patient() {
    AtspiConfig config;
    config.call_timeout = config.tree_deadline = config.cache_wait = milliseconds(60'000);
    return config;
  }
  /// Every application that has no cache costs this wait.
  static AtspiConfig without_cache() {
    AtspiConfig config = patient();
    config.cache_wait = milliseconds(100);
    return config;
  }
  static FakeNode window(const std::string& name) {
    FakeNode node;
    node.role = 23;
    node.name = name;
    node.box = {100, 100, 400, 300};
    return node;
  }
  // The application runs in this process, which the directory leaves out as its own; so the test
  // finds it by title, the way of windows whose process is unknown.
  Answer read(const std::string& title = "Editor", ReadOptions options = {}) {
    std::promise<Answer> promise;
    WindowHint hint;
    hint.title = title;
    client->read_tree(hint, options, [&](Answer answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }
  Result<Acted> act(Client::Act action) {
    std::promise<Result<Acted>> promise;
    client->act(std::move(action),
                [&](Result<Acted> acted) { promise.set_value(std::move(acted)); });
    return promise.get_future().get();
  }
  ObjectRef object(const std::string& id) const {
    return {app->unique_name(), FakePeer::path_of(id)};
  }
  /// Until the adapter has applied a change of this kind.
  bool wait_for(const std::string& kind) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), [&] {
      for (const Change& change : changes) {
        if (change.kind == kind) return true;
      }
      return false;
    });
  }

  /// Until the adapter has told exactly this course of up and down.
  bool wait_for_statuses(const std::vector<bool>& expected) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), [&] { return statuses == expected; });
  }

  void forget_changes() {
    const std::lock_guard lock(mutex);
    changes.clear();
  }

  PrivateBus bus;
  std::unique_ptr<FakePeer> registry;
  std::unique_ptr<FakePeer> app;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Change> changes;
  std::vector<bool> statuses;
  std::unique_ptr<Client> client;  // last: its callbacks use what is above
};

inline FakeNode named(std::uint32_t role, const std::string& name) {
  FakeNode node;
  node.role = role;
  node.name = name;
  return node;
}

inline std::vector<std::string> names(const Tree& tree) {
  std::vector<std::string> out;
  for (const TreeNode& node : tree.nodes) out.push_back(node.name);
  return out;
}

}  // namespace gantry::atspi::testing
