// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all connections share. Strand only.

#include <gantry/fair_share.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog.hpp"
#include "environment.hpp"
#include "parked.hpp"
#include "request_state.hpp"
#include "settings.hpp"
#include "shelf.hpp"

namespace gantry::mcp {

enum class Changed { Tools, Prompts, Resources };

/// Somebody who wants to hear of changes.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_changed(Changed what) = 0;
  virtual void on_resource(const std::string& uri) = 0;
  /// Addresses of the resources that it wants to hear of.
  [[nodiscard]] virtual const std::set<std::string>& wanted() const = 0;
};

/// Hands changes on to those who listen.
class Hub {
 public:
  void add(std::weak_ptr<Listener> listener) { listeners_.push_back(std::move(listener)); }
  void changed(Changed what) {
    each([what](Listener& listener) { listener.on_changed(what); });
  }
  void resource(const std::string& uri) {
    each([&uri](Listener& listener) { listener.on_resource(uri); });
  }
  /// All that anybody wants.
  [[nodiscard]] std::set<std::string> wanted() {
    std::set<std::string> all;
    each([&all](const Listener& listener) {
      all.insert(listener.wanted().begin(), listener.wanted().end());
    });
    return all;
  }
  /// `heard` runs whenever somebody begins to want a resource.
  void on_subscribed(std::function<void()> heard) { subscribed_ = std::move(heard); }
  void subscribed() {
    if (subscribed_) subscribed_();
  }

 private:
  template <class F>
  void each(F tell) {
    std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
    const auto now = listeners_;  // telling may add or end some
    for (const auto& weak : now) {
      if (const auto listener = weak.lock()) tell(*listener);
    }
  }
  std::vector<std::weak_ptr<Listener>> listeners_;
  std::function<void()> subscribed_;
};

/// What the requests of one client that are under way have come with; what is made of them takes
/// several times as much.
class Load {
 public:
  /// Of all clients together, by Message::weight, of which each has an equal part.
  static constexpr std::size_t kMost = 32U << 20U;
  /// What weighs less always passes and does not count: who fills the rest stops nobody's clicks.
  static constexpr std::size_t kSmall = 4096;

  explicit Load(std::shared_ptr<FairBudget> all)
      : share_(std::make_shared<FairShare>(std::move(all))) {}

  /// Counts it until what is returned goes. Null: with it there would be too much, and others can
  /// end first.
  [[nodiscard]] std::shared_ptr<void> take(std::size_t weight) {
    if (weight < kSmall) return share_;
    const std::size_t before = share_->held();
    const bool fits = share_->set(before + weight) || (before == 0 && share_->alone());
    if (!fits) {
      (void)share_->set(before);
      return nullptr;
    }
    return {share_.get(),
            [share = share_, weight](void*) { (void)share->set(share->held() - weight); }};
  }

 private:
  std::shared_ptr<FairShare> share_;
};

struct Core {
  Core(Environment& world, Settings given, FindSources find)
      : environment(world),
        settings(std::move(given)),
        catalog(world, std::move(find), settings.tools) {}

  Environment& environment;
  Settings settings;
  Catalog catalog;
  Hub hub;
  Parked parked;
  Sealer sealer;
  Shelf shelf;
  std::shared_ptr<FairBudget> load = std::make_shared<FairBudget>(Load::kMost);
};

}  // namespace gantry::mcp
