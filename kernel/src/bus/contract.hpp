// SPDX-License-Identifier: Apache-2.0
//
// What the bus knows of each contract: who declared, serves and subscribes to it, who waits for a
// provider, and how much went through it. Contracts are never forgotten.
#pragma once

#include "bus/body.hpp"
#include "exec/ref.hpp"

#include <gantry/abi/bus.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::kernel {

class Subscription;
struct Contract;

constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

// "a call" and so on, for messages.
constexpr const char* kind_name(std::uint32_t kind) {
  constexpr const char* kNames[] = {"unknown", "an event", "a call", "a stream"};
  return kNames[kind <= GANTRY_STREAM ? kind : 0];
}

// Upper bounds of the latency buckets are 2^0 .. 2^22 microseconds (1 us to 4.2 s); the last
// bucket holds everything slower.
inline constexpr std::size_t kLatencyBuckets = 24;

// Counters since the start. Written with relaxed atomics by whoever delivers.
struct ContractStats {
  alignas(64) std::atomic<std::uint64_t> published{0};
  std::atomic<std::uint64_t> dropped{0};  // refused, displaced or discarded by a mailbox
  std::atomic<std::uint64_t> calls{0};
  alignas(64) std::atomic<std::uint64_t> delivered{0};
  std::atomic<std::uint64_t> errors{0};  // calls and streams that ended with another status than OK
  std::atomic<std::uint64_t> finished{0};  // calls
  std::atomic<std::uint64_t> streams{0};
  std::atomic<std::uint64_t> chunks{0};
  std::atomic<std::uint64_t> latency_sum_ns{0};
  std::array<std::atomic<std::uint64_t>, kLatencyBuckets> latency{};

  void add_latency(std::int64_t duration_ns);
};

// One plugin's service of one contract.
struct Provider final : RefCounted {
  gantry_host* host = nullptr;
  Contract* contract = nullptr;
  gantry_call_fn call = nullptr;      // of a call contract
  gantry_accept_fn accept = nullptr;  // of a stream contract
  void* user = nullptr;
  void (*drop)(void*) = nullptr;
  std::atomic<int> suitability{50};
};

// A call or a stream opening that looks for its provider.
class Demand : public virtual RefCounted {
 public:
  virtual void offer(const Ref<Provider>& provider) = 0;
  virtual void refuse(Failure failure) = 0;
  virtual std::string_view target() const = 0;  // plugin name, or empty
  virtual std::uint32_t kind() const = 0;       // a gantry_contract_kind
};

using SubscriberList = std::vector<Ref<Subscription>>;

struct Contract {
  explicit Contract(std::string contract_name);
  ~Contract();

  const std::string name;
  const std::uint64_t id;
  ContractStats stats;
  std::atomic<std::uint32_t> kind{0};  // 0: only named so far, nobody has registered it

  void add_subscriber(Ref<Subscription> subscription);
  void remove_subscriber(const Subscription* subscription);
  std::shared_ptr<const SubscriberList> subscribers() const;
  bool has_subscribers() const { return subscriber_count_.load(std::memory_order_acquire) != 0; }

  // false: that host serves it already.
  bool add_provider(const Ref<Provider>& provider);
  void remove_provider(const Provider* provider);
  // Best first; call after a suitability or the preference has changed.
  void rank_providers();
  void prefer(std::string plugin);
  std::vector<Ref<Provider>> providers() const;
  // The provider for a target (empty: the best one), or nothing.
  Ref<Provider> choose(std::string_view target) const;
  // As choose(), but only a provider that a plugin yet to be opened could not better: the target,
  // the preferred one, or without a preference one that says it can work here. Without one,
  // `demand` joins those who wait, in the same step.
  Ref<Provider> choose_or_wait(std::string_view target, const Ref<Demand>& demand);
  // Whether somebody serves it and says that it can work here.
  bool suitable() const;
  std::string preferred() const;
  // true: it was waiting.
  bool stop_waiting(const Demand* demand);
  std::vector<Ref<Demand>> take_waiting();

  // The declaration by `host`, or by anybody when it made none. nullptr: nobody's.
  const gantry_contract* declaration(const gantry_host* host) const;
  void declare(gantry_host* host, const gantry_contract* contract);
  std::string doc() const;

 private:
  Ref<Provider> choose_locked(std::string_view target) const;
  bool is_final_locked(const Provider& provider, std::string_view target) const;
  void rank_locked();

  struct Declaration {
    gantry_host* host;
    const gantry_contract* contract;
  };
  mutable std::mutex mutex_;
  std::vector<Declaration> declarations_;
  std::shared_ptr<const SubscriberList> subscribers_;
  std::atomic<std::size_t> subscriber_count_{0};
  std::vector<Ref<Provider>> providers_;
  std::vector<Ref<Demand>> waiting_;
  std::string preferred_;
};

// All contracts by id. Lookups take no lock: contracts are only ever added, and a table that became
// too small stays readable.
class ContractTable {
 public:
  ContractTable();
  ~ContractTable();

  Contract* find(std::uint64_t id) const;
  // The contract of that name, made if need be; nullptr when another name has the same id, which is
  // then stored in `clash`.
  Contract* find_or_add(std::string_view name, std::string* clash);
  std::vector<Contract*> all() const;  // by name
  std::size_t size() const;

 private:
  struct Table {
    explicit Table(std::size_t size) : slots(size) {}
    std::vector<std::atomic<Contract*>> slots;
  };
  static void put(Table& table, Contract* contract);

  std::atomic<Table*> table_;
  mutable std::mutex mutex_;  // for adding
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<std::unique_ptr<Contract>> contracts_;
};

}  // namespace gantry::kernel
