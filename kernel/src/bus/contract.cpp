// SPDX-License-Identifier: Apache-2.0
#include "bus/contract.hpp"

#include "bus/subscription.hpp"
#include "host.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace gantry::kernel {

void ContractStats::add_latency(std::int64_t duration_ns) {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(duration_ns, 0));
  const std::uint64_t us = (ns + 999) / 1000;
  const auto bucket = static_cast<std::size_t>(us <= 1 ? 0 : std::bit_width(us - 1));
  latency[std::min(bucket, kLatencyBuckets - 1)].fetch_add(1, std::memory_order_relaxed);
  latency_sum_ns.fetch_add(ns, std::memory_order_relaxed);
}

Contract::Contract(std::string contract_name)
    : name(std::move(contract_name)),
      id(fnv1a(name)),
      subscribers_(std::make_shared<const SubscriberList>()) {}

Contract::~Contract() = default;

void Contract::add_subscriber(Ref<Subscription> subscription) {
  std::lock_guard lock(mutex_);
  auto list = std::make_shared<SubscriberList>(*subscribers_);
  list->push_back(std::move(subscription));
  subscriber_count_.store(list->size(), std::memory_order_release);
  subscribers_ = std::move(list);
}

void Contract::remove_subscriber(const Subscription* subscription) {
  std::shared_ptr<const SubscriberList> old;  // released after the lock
  std::lock_guard lock(mutex_);
  auto list = std::make_shared<SubscriberList>(*subscribers_);
  std::erase_if(*list, [&](const auto& entry) { return entry.get() == subscription; });
  subscriber_count_.store(list->size(), std::memory_order_release);
  old = std::exchange(subscribers_, std::move(list));
}

std::shared_ptr<const SubscriberList> Contract::subscribers() const {
  std::lock_guard lock(mutex_);
  return subscribers_;
}

bool Contract::add_provider(const Ref<Provider>& provider) {
  std::lock_guard lock(mutex_);
  for (const auto& other : providers_) {
    if (other->host == provider->host) return false;
  }
  providers_.push_back(provider);
  rank_locked();
  return true;
}

void Contract::remove_provider(const Provider* provider) {
  std::lock_guard lock(mutex_);
  std::erase_if(providers_, [&](const auto& entry) { return entry.get() == provider; });
}

void Contract::rank_providers() {
  std::lock_guard lock(mutex_);
  rank_locked();
}

void Contract::prefer(std::string plugin) {
  std::lock_guard lock(mutex_);
  preferred_ = std::move(plugin);
  rank_locked();
}

void Contract::rank_locked() {
  const auto rank = [this](const Ref<Provider>& provider) {
    return std::tuple(provider->host->name == preferred_ ? 0 : 1,
                      -provider->suitability.load(std::memory_order_relaxed),
                      provider->host->index);
  };
  // The ranks are read once each: a suitability that changes meanwhile must not confuse the sort.
  std::vector<std::pair<decltype(rank(providers_.front())), Ref<Provider>>> ranked;
  ranked.reserve(providers_.size());
  for (auto& provider : providers_) ranked.emplace_back(rank(provider), provider);
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < ranked.size(); ++i) providers_[i] = std::move(ranked[i].second);
}

std::vector<Ref<Provider>> Contract::providers() const {
  std::lock_guard lock(mutex_);
  return providers_;
}

Ref<Provider> Contract::choose_locked(std::string_view target) const {
  for (const auto& provider : providers_) {
    if (target.empty() || provider->host->name == target) return provider;
  }
  return {};
}

Ref<Provider> Contract::choose(std::string_view target) const {
  std::lock_guard lock(mutex_);
  return choose_locked(target);
}

Ref<Provider> Contract::choose_or_wait(std::string_view target, const Ref<Demand>& demand) {
  std::lock_guard lock(mutex_);
  Ref<Provider> provider = choose_locked(target);
  if (provider && is_final_locked(*provider, target)) return provider;
  waiting_.push_back(demand);
  return {};
}

bool Contract::is_final_locked(const Provider& provider, std::string_view target) const {
  if (!target.empty() || provider.host->name == preferred_) return true;
  return preferred_.empty() && provider.suitability.load(std::memory_order_relaxed) > 0;
}

bool Contract::suitable() const {
  std::lock_guard lock(mutex_);
  return std::any_of(providers_.begin(), providers_.end(), [](const Ref<Provider>& provider) {
    return provider->suitability.load(std::memory_order_relaxed) > 0;
  });
}

std::string Contract::preferred() const {
  std::lock_guard lock(mutex_);
  return preferred_;
}

bool Contract::stop_waiting(const Demand* demand) {
  std::lock_guard lock(mutex_);
  return std::erase_if(waiting_, [&](const auto& entry) { return entry.get() == demand; }) != 0;
}

std::vector<Ref<Demand>> Contract::take_waiting() {
  std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

const gantry_contract* Contract::declaration(const gantry_host* host) const {
  std::lock_guard lock(mutex_);
  for (const Declaration& entry : declarations_) {
    if (entry.host == host) return entry.contract;
  }
  return declarations_.empty() ? nullptr : declarations_.front().contract;
}

void Contract::declare(gantry_host* host, const gantry_contract* contract) {
  std::lock_guard lock(mutex_);
  for (Declaration& entry : declarations_) {
    if (entry.host == host) {
      entry.contract = contract;
      return;
    }
  }
  declarations_.push_back({host, contract});
}

std::string Contract::doc() const {
  std::lock_guard lock(mutex_);
  return declarations_.empty() ? std::string()
                               : std::string(view(declarations_.front().contract->doc));
}

ContractTable::ContractTable() {
  tables_.push_back(std::make_unique<Table>(256));
  table_.store(tables_.back().get());
}

ContractTable::~ContractTable() = default;

Contract* ContractTable::find(std::uint64_t id) const {
  const Table& table = *table_.load(std::memory_order_acquire);
  const std::size_t mask = table.slots.size() - 1;
  for (std::size_t i = id & mask;; i = (i + 1) & mask) {
    Contract* contract = table.slots[i].load(std::memory_order_acquire);
    if (contract == nullptr || contract->id == id) return contract;
  }
}

void ContractTable::put(Table& table, Contract* contract) {
  const std::size_t mask = table.slots.size() - 1;
  std::size_t i = contract->id & mask;
  while (table.slots[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & mask;
  table.slots[i].store(contract, std::memory_order_release);
}

Contract* ContractTable::find_or_add(std::string_view name, std::string* clash) {
  std::lock_guard lock(mutex_);
  if (Contract* known = find(fnv1a(name))) {
    if (known->name == name) return known;
    if (clash != nullptr) *clash = known->name;
    return nullptr;
  }
  contracts_.push_back(std::make_unique<Contract>(std::string(name)));
  Contract* made = contracts_.back().get();
  if (contracts_.size() * 2 > tables_.back()->slots.size()) {
    auto bigger = std::make_unique<Table>(tables_.back()->slots.size() * 2);
    for (const auto& contract : contracts_) put(*bigger, contract.get());
    table_.store(bigger.get(), std::memory_order_release);
    tables_.push_back(std::move(bigger));
  } else {
    put(*tables_.back(), made);
  }
  return made;
}

std::size_t ContractTable::size() const {
  std::lock_guard lock(mutex_);
  return contracts_.size();
}

std::vector<Contract*> ContractTable::all() const {
  std::vector<Contract*> result;
  {
    std::lock_guard lock(mutex_);
    for (const auto& contract : contracts_) result.push_back(contract.get());
  }
  std::sort(result.begin(), result.end(),
            [](const Contract* a, const Contract* b) { return a->name < b->name; });
  return result;
}

}  // namespace gantry::kernel
