// SPDX-License-Identifier: Apache-2.0
//
// Bus: the one place where plugins meet. The first half of the class is what the C tables call for
// a plugin, the second half is for the kernel: who is there, what went through, who is preferred.
//
// Thread-safe. Plugin code and hooks are never called with a lock held.
#pragma once

#include "bus/body.hpp"
#include "bus/contract.hpp"
#include "bus/recorder.hpp"

#include <gantry/abi/bus.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::kernel {

class Exec;
struct RuntimeOptions;

// Which plugins could serve a contract that nobody serves.
struct MissingProvider {
  std::vector<std::string> plugins;  // known, but not running
  std::string advice;                // a sentence that says why and what to do, or empty
  bool down = false;                 // one of them is enabled, and should run
};

// What the rest of the kernel hears from the bus. Set before any host is created; called on any
// thread, must be brief and not wait.
struct BusHooks {
  std::function<MissingProvider(std::string_view contract)> missing_provider;
  // true: a plugin that serves it (the one named `target` if that is not empty) is being opened.
  // What asked then waits for serve(), or for Bus::lazy_ended(), or for its deadline.
  std::function<bool(std::string_view contract, std::string_view target)> open_lazy;
  std::function<void(gantry_host& host, std::string_view message)> warn;
};

struct ProviderInfo {
  std::string plugin;
  int suitability = 50;
  std::string reason;
};

struct ContractCounters {
  std::uint64_t published = 0, delivered = 0, dropped = 0;
  std::uint64_t calls = 0, finished = 0, errors = 0;
  std::uint64_t streams = 0, chunks = 0;
  std::uint64_t latency_sum_ns = 0;
  // Calls per bucket (not cumulative); bucket i ends at 2^i microseconds, the last one never.
  std::array<std::uint64_t, kLatencyBuckets> latency{};
};

struct ContractInfo {
  std::string name;
  std::uint64_t id = 0;
  std::uint32_t kind = 0;  // gantry_contract_kind; 0: asked for, but nobody has declared it
  std::string doc;
  std::vector<ProviderInfo> providers;  // the one that is chosen comes first
  std::vector<std::string> subscribers;
  // As the first provider declares them, else as anybody does; may be nullptr.
  const gantry_type* first = nullptr;
  const gantry_type* second = nullptr;
  const gantry_type* third = nullptr;
  ContractCounters counters;
};

struct HostCounters {
  std::uint64_t double_completions = 0;
  std::uint64_t faults = 0;
};

// ": why" when whoever closed the host said it, else "".
std::string closing_reason(const gantry_host& host);

class Bus {
 public:
  Bus(Exec& exec, const RuntimeOptions& options);
  ~Bus();

  // ---- for the C tables: see abi/bus.h for the contracts
  gantry_status register_contract(gantry_host& host, const gantry_contract* contract,
                                  gantry_error* error);
  gantry_status publish(gantry_host& host, std::uint64_t contract, const gantry_body* body,
                        const gantry_send_options* options);
  gantry_status subscribe(gantry_host& host, std::uint64_t contract,
                          const gantry_subscribe_options* options, gantry_event_fn handler,
                          void* user, void (*drop)(void*), gantry_handle* out, gantry_error* error);
  void unsubscribe(gantry_host& host, gantry_handle subscription);
  gantry_status serve(gantry_host& host, std::uint64_t contract, gantry_call_fn handler,
                      gantry_accept_fn accept, void* user, void (*drop)(void*),
                      gantry_error* error);
  gantry_status call(gantry_host& host, std::uint64_t contract, const gantry_body* request,
                     const gantry_call_options* options, gantry_completion_fn completion,
                     void* user, gantry_handle* out);
  gantry_status call_json(gantry_host& host, std::string_view contract, std::string request,
                          const gantry_call_options* options, gantry_completion_fn completion,
                          void* user, gantry_handle* out);
  void cancel(gantry_host& host, gantry_handle call);
  gantry_status open_stream(gantry_host& host, std::uint64_t contract, const gantry_body* opening,
                            const gantry_stream_options* options,
                            const gantry_stream_events* events, void* user, gantry_stream** out,
                            gantry_error* error);
  void set_suitability(gantry_host& host, int score, std::string_view reason);

  // ---- for the kernel
  void set_hooks(BusHooks hooks) { hooks_ = std::move(hooks); }
  // Calls without a target go to `plugin` while it serves the contract; empty: no preference.
  void prefer(std::string_view contract, std::string plugin);
  // Opening the plugin that open_lazy announced has ended. Whoever still waits goes to whom there
  // is, however little it suits, and without anybody is told `reason`; empty: it is open but does
  // not serve the contract.
  void lazy_ended(std::string_view contract, std::string_view reason);
  std::vector<ContractInfo> contracts() const;
  HostCounters counters(const gantry_host& host) const;
  Recorder& recorder() { return recorder_; }
  // The host is no longer chosen for calls. Comes first, so that whoever is told of its end and
  // asks again at once does not meet it once more; part of Runtime::close().
  void withdraw(gantry_host& host);
  // Ends everything the host has on the bus; part of Runtime::close().
  void close_host(gantry_host& host, unsigned& failed, unsigned& cancelled, unsigned& streams);

  // ---- for the other files of the bus
  // Finds the provider for a call or stream, or lets it wait, or refuses it.
  void route(const Ref<Demand>& demand, Contract& contract);
  // Gives it to whom there is, or refuses it with `reason`; empty: for the want of a provider.
  void settle(const Ref<Demand>& demand, const Contract& contract, std::string_view reason) const;
  void close_subscription(Subscription& subscription, std::string_view why);
  void report_double_completion(gantry_host& server, const Contract& contract);
  void report_fault(gantry_host& host, std::string_view where, std::string_view what);

 private:
  gantry_status begin_call(gantry_host& host, Contract& contract, BodyRef request, bool from_json,
                           const gantry_call_options* options, gantry_completion_fn completion,
                           void* user, gantry_handle* out, std::unique_ptr<Contract> unlisted = {});
  // true: the contract is of another kind than what asks for it, which is told so.
  static bool refused_for_kind(Demand& demand, const Contract& contract);
  static void hand_over(const Ref<Demand>& demand, const Ref<Provider>& provider);
  bool may_come(std::string_view name) const;
  bool open_better(const Contract& contract, std::string_view target) const;
  Failure missing(const Contract& contract, std::string_view target) const;
  // The contract for an operation of that kind, or nullptr with the reason in `failure`.
  Contract* expect(std::uint64_t id, std::uint32_t kind, Failure& failure) const;
  void warn(gantry_host& host, std::string_view message) const;

  Exec& exec_;
  const std::int64_t default_timeout_ns_;
  ContractTable table_;
  Recorder recorder_;
  BusHooks hooks_;
};

}  // namespace gantry::kernel
