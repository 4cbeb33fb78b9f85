// SPDX-License-Identifier: Apache-2.0
#include "bus/bus.hpp"

#include "bus/host_bus.hpp"
#include "exec/exec.hpp"
#include "exec/strand_group.hpp"
#include "host.hpp"

#include <algorithm>

namespace gantry::kernel {

namespace {

template <class T>
T or_default(const T* options) {
  return options != nullptr ? *options : T{};
}

void drop_user(gantry_host& host, void* user, void (*drop)(void*)) {
  if (drop == nullptr) return;
  call_plugin(*host.exec, host, "drop", [&] { drop(user); });
}

}  // namespace

Bus::Bus(Exec& exec, const RuntimeOptions& options)
    : exec_(exec),
      default_timeout_ns_(options.default_timeout_ns),
      // One ring per worker, one for the reserved worker, one for all other threads.
      recorder_(exec.pool().workers() + 2, options.recorder_size) {
  exec_.set_fault_hook([this](gantry_host& host, std::string_view where, std::string_view what) {
    report_fault(host, where, what);
  });
}

Bus::~Bus() = default;

// ---- contracts ---------------------------------------------------------------------------------

gantry_status Bus::register_contract(gantry_host& host, const gantry_contract* declared,
                                     gantry_error* error) {
  const std::string name(view(declared->name));
  if (name.empty() || declared->kind < GANTRY_EVENT || declared->kind > GANTRY_STREAM) {
    return Failure{GANTRY_INVALID_ARGUMENT,
                   "contract '" + name + "' has kind " + std::to_string(declared->kind) +
                       "; it needs a name and the kind event (1), call (2) or stream (3)",
                   {}}
        .give(error);
  }
  if (declared->id != fnv1a(name)) {
    return Failure{GANTRY_INVALID_ARGUMENT,
                   "contract " + name + " carries the id " + std::to_string(declared->id) +
                       ", but FNV-1a of its name is " + std::to_string(fnv1a(name)) +
                       "; rebuild the plugin with the SDK's contract header",
                   {}}
        .give(error);
  }
  std::string clash;
  Contract* contract = table_.find_or_add(name, &clash);
  if (contract == nullptr) {
    return Failure{GANTRY_ALREADY_EXISTS,
                   "contract " + name + " has the same id as " + clash + "; rename it",
                   {}}
        .give(error);
  }
  std::uint32_t kind = 0;
  if (!contract->kind.compare_exchange_strong(kind, declared->kind) && kind != declared->kind) {
    return Failure{GANTRY_ALREADY_EXISTS,
                   "contract " + name + " is " + kind_name(kind) + " already, " + host.name +
                       " declares it as " + kind_name(declared->kind) +
                       "; give it another name or another major version",
                   {}}
        .give(error);
  }
  contract->declare(&host, declared);
  return GANTRY_OK;
}

Contract* Bus::expect(std::uint64_t id, std::uint32_t kind, Failure& failure) const {
  Contract* contract = table_.find(id);
  const std::uint32_t found =
      contract != nullptr ? contract->kind.load(std::memory_order_acquire) : 0;
  if (found == 0) {
    failure = {GANTRY_NOT_FOUND,
               "no contract with the id " + std::to_string(id) +
                   " is registered; call register_contract() first",
               {}};
    return nullptr;
  }
  if (found != kind) {
    failure = {GANTRY_INVALID_ARGUMENT,
               contract->name + " is " + kind_name(found) + ", not " + kind_name(kind),
               {}};
    return nullptr;
  }
  return contract;
}

// ---- events ------------------------------------------------------------------------------------

gantry_status Bus::publish(gantry_host& host, std::uint64_t id, const gantry_body* body,
                           const gantry_send_options* options) {
  Failure failure;
  Contract* contract = expect(id, GANTRY_EVENT, failure);
  if (contract == nullptr) return failure.code;
  if (body == nullptr) return GANTRY_INVALID_ARGUMENT;
  contract->stats.published.fetch_add(1, std::memory_order_relaxed);
  if (!contract->has_subscribers()) return GANTRY_OK;
  const std::shared_ptr<const SubscriberList> subscribers = contract->subscribers();
  const Context context = current_context().child();
  const Publication event{body,
                          body_weight(body),
                          &host,
                          options != nullptr ? options->key : 0,
                          options != nullptr ? lane_from_abi(options->lane) : Lane::interactive,
                          context};
  for (const Ref<Subscription>& subscription : *subscribers) subscription->deliver(event);
  return GANTRY_OK;
}

gantry_status Bus::subscribe(gantry_host& host, std::uint64_t id,
                             const gantry_subscribe_options* options, gantry_event_fn handler,
                             void* user, void (*drop)(void*), gantry_handle* out,
                             gantry_error* error) {
  Failure failure;
  Contract* contract = expect(id, GANTRY_EVENT, failure);
  if (contract != nullptr && host.on_bus->closing()) {
    failure = {GANTRY_UNAVAILABLE, host.name + " is stopping and cannot subscribe", {}};
  }
  if (failure.code != GANTRY_OK) {
    drop_user(host, user, drop);
    return failure.give(error);
  }
  const auto chosen = or_default(options);
  SubscriptionConfig config;
  config.handler = handler;
  config.user = user;
  config.drop = drop;
  if (chosen.max_items != 0) config.max_items = chosen.max_items;
  config.max_bytes = chosen.max_bytes;
  config.overflow = static_cast<gantry_overflow>(chosen.overflow);
  auto subscription = make_ref<Subscription>(host, *contract, config);
  subscription->handle = host.on_bus->subscriptions.insert(subscription);
  if (out != nullptr) *out = subscription->handle;
  contract->add_subscriber(subscription);
  if (host.on_bus->closing()) unsubscribe(host, subscription->handle);
  return GANTRY_OK;
}

void Bus::unsubscribe(gantry_host& host, gantry_handle handle) {
  if (Ref<Subscription> subscription = host.on_bus->subscriptions.take(handle)) {
    subscription->contract().remove_subscriber(subscription.get());
    subscription->close();
  }
}

void Bus::close_subscription(Subscription& subscription, std::string_view why) {
  gantry_host& host = subscription.host();
  warn(host, "the subscription to " + subscription.contract().name + " ends: " + std::string(why));
  unsubscribe(host, subscription.handle);
}

// ---- providers ---------------------------------------------------------------------------------

gantry_status Bus::serve(gantry_host& host, std::uint64_t id, gantry_call_fn handler,
                         gantry_accept_fn accept, void* user, void (*drop)(void*),
                         gantry_error* error) {
  Failure failure;
  Contract* contract = expect(id, handler != nullptr ? GANTRY_CALL : GANTRY_STREAM, failure);
  if (contract != nullptr && handler == nullptr && accept == nullptr) {
    failure = {GANTRY_INVALID_ARGUMENT, "serving " + contract->name + " needs a handler", {}};
    contract = nullptr;
  }
  auto provider = make_ref<Provider>();
  if (contract != nullptr) {
    provider->host = &host;
    provider->contract = contract;
    provider->call = handler;
    provider->accept = accept;
    provider->user = user;
    provider->drop = drop;
    // Added under the host's lock, so that closing either finds it or has been seen here.
    std::lock_guard lock(host.on_bus->mutex);
    provider->suitability = host.on_bus->suitability;
    if (host.on_bus->closing()) {
      failure = {GANTRY_UNAVAILABLE, host.name + " is stopping and cannot serve", {}};
    } else if (!contract->add_provider(provider)) {
      failure = {GANTRY_ALREADY_EXISTS, host.name + " serves " + contract->name + " already", {}};
    } else {
      host.on_bus->providers.push_back(provider);
    }
  }
  if (failure.code != GANTRY_OK) {
    drop_user(host, user, drop);
    return failure.give(error);
  }
  for (const Ref<Demand>& demand : contract->take_waiting()) route(demand, *contract);
  return GANTRY_OK;
}

void Bus::set_suitability(gantry_host& host, int score, std::string_view reason) {
  std::vector<Ref<Provider>> providers;
  {
    std::lock_guard lock(host.on_bus->mutex);
    host.on_bus->suitability = std::clamp(score, 0, 100);
    host.on_bus->suitability_reason = reason;
    providers = host.on_bus->providers;
  }
  for (const Ref<Provider>& provider : providers) {
    provider->suitability.store(std::clamp(score, 0, 100), std::memory_order_relaxed);
    provider->contract->rank_providers();
  }
}

void Bus::prefer(std::string_view name, std::string plugin) {
  if (Contract* contract = table_.find_or_add(name, nullptr)) contract->prefer(std::move(plugin));
}

// ---- calls and streams -------------------------------------------------------------------------

gantry_status Bus::begin_call(gantry_host& host, Contract& contract, BodyRef request,
                              bool from_json, const gantry_call_options* options,
                              gantry_completion_fn completion, void* user, gantry_handle* out,
                              std::unique_ptr<Contract> unlisted) {
  if (completion == nullptr) return GANTRY_INVALID_ARGUMENT;
  if (host.on_bus->closing()) return GANTRY_UNAVAILABLE;
  const auto chosen = or_default(options);
  CallConfig config;
  config.caller = &host;
  config.contract = &contract;
  config.unlisted = std::move(unlisted);
  config.request = std::move(request);
  config.from_json = from_json;
  config.completion = completion;
  config.user = user;
  config.complete_inline = (chosen.flags & GANTRY_CALL_COMPLETE_INLINE) != 0;
  config.lane = options != nullptr ? lane_from_abi(options->lane) : Lane::interactive;
  config.timeout_ns = chosen.timeout_ns > 0 ? chosen.timeout_ns : default_timeout_ns_;
  config.key = chosen.key;
  config.target = view(chosen.target);
  make_ref<Call>(std::move(config))->start(out);
  return GANTRY_OK;
}

gantry_status Bus::call(gantry_host& host, std::uint64_t id, const gantry_body* request,
                        const gantry_call_options* options, gantry_completion_fn completion,
                        void* user, gantry_handle* out) {
  Failure failure;
  Contract* contract = expect(id, GANTRY_CALL, failure);
  if (contract == nullptr) return failure.code;
  if (request == nullptr) return GANTRY_INVALID_ARGUMENT;
  return begin_call(host, *contract, BodyRef::share(request), false, options, completion, user,
                    out);
}

gantry_status Bus::call_json(gantry_host& host, std::string_view name, std::string request,
                             const gantry_call_options* options, gantry_completion_fn completion,
                             void* user, gantry_handle* out) {
  Contract* contract = table_.find(fnv1a(name));
  if (contract != nullptr && contract->name != name) return GANTRY_ALREADY_EXISTS;
  std::unique_ptr<Contract> unlisted;
  if (contract == nullptr && may_come(name)) contract = table_.find_or_add(name, nullptr);
  if (contract == nullptr) {
    unlisted = std::make_unique<Contract>(std::string(name));
    contract = unlisted.get();
  }
  return begin_call(host, *contract, make_json_body(std::move(request)), true, options, completion,
                    user, out, std::move(unlisted));
}

void Bus::cancel(gantry_host& host, gantry_handle handle) {
  if (Ref<Call> call = host.on_bus->calls.find(handle)) call->give_up();
}

gantry_status Bus::open_stream(gantry_host& host, std::uint64_t id, const gantry_body* opening,
                               const gantry_stream_options* options,
                               const gantry_stream_events* events, void* user, gantry_stream** out,
                               gantry_error* error) {
  Failure failure;
  Contract* contract = expect(id, GANTRY_STREAM, failure);
  if (contract != nullptr) {
    if (opening == nullptr || events == nullptr || out == nullptr) {
      failure = {GANTRY_INVALID_ARGUMENT, "open_stream needs an opening, events and out", {}};
    } else if (host.on_bus->closing()) {
      failure = {GANTRY_UNAVAILABLE, host.name + " is stopping and cannot open streams", {}};
    }
  }
  if (failure.code != GANTRY_OK) {
    if (events != nullptr) drop_user(host, user, events->drop);
    return failure.give(error);
  }
  StreamConfig config;
  config.opener = &host;
  config.contract = contract;
  config.opening = BodyRef::share(opening);
  config.options = or_default(options);
  if (options == nullptr) config.options.lane = GANTRY_LANE_INTERACTIVE;
  config.target = view(config.options.target);
  config.options.target = {};
  config.events = *events;
  config.user = user;
  make_ref<StreamLink>(std::move(config))->start(*out);
  return GANTRY_OK;
}

// ---- the end of a plugin, and reports
// ------------------------------------------------------------

std::string closing_reason(const gantry_host& host) {
  return host.why_closed.empty() ? std::string() : ": " + host.why_closed;
}

void Bus::withdraw(gantry_host& host) {
  std::vector<Ref<Provider>> providers;
  {
    std::lock_guard lock(host.on_bus->mutex);
    host.on_bus->begin_close();
    providers = host.on_bus->providers;
  }
  for (const Ref<Provider>& provider : providers) {
    provider->contract->remove_provider(provider.get());
  }
}

void Bus::close_host(gantry_host& host, unsigned& failed, unsigned& cancelled, unsigned& streams) {
  std::vector<Ref<Provider>> providers;
  {
    std::lock_guard lock(host.on_bus->mutex);
    host.on_bus->begin_close();
    providers.swap(host.on_bus->providers);
  }
  for (const Ref<Provider>& provider : providers) {
    provider->contract->remove_provider(provider.get());
    if (provider->drop == nullptr) continue;
    host.strands->after_running(
        [&host, provider] { drop_user(host, provider->user, provider->drop); });
  }
  for (const auto& subscription : host.on_bus->subscriptions.all()) {
    unsubscribe(host, subscription->handle);
  }
  for (const Ref<Call>& call : host.on_bus->served.all()) {
    call->abort(
        {GANTRY_UNAVAILABLE,
         host.name + " stopped while it served " + call->contract().name + closing_reason(host),
         {}});
    ++failed;
  }
  for (const Ref<Call>& call : host.on_bus->calls.all()) {
    call->abort({GANTRY_CANCELLED, host.name + " is stopping", {}});
    ++cancelled;
  }
  for (const Ref<StreamLink>& stream : host.on_bus->streams.all()) {
    stream->host_stops(host);
    ++streams;
  }
}

void Bus::warn(gantry_host& host, std::string_view message) const {
  if (hooks_.warn) hooks_.warn(host, message);
}

void Bus::report_double_completion(gantry_host& server, const Contract& contract) {
  server.on_bus->double_completions.fetch_add(1, std::memory_order_relaxed);
  warn(server, "a call of " + contract.name + " was answered twice; the second answer is ignored");
}

void Bus::report_fault(gantry_host& host, std::string_view where, std::string_view what) {
  host.on_bus->faults.fetch_add(1, std::memory_order_relaxed);
  warn(host, "an exception left plugin code (" + std::string(where) + "): " + std::string(what));
}

HostCounters Bus::counters(const gantry_host& host) const {
  return {host.on_bus->double_completions.load(std::memory_order_relaxed),
          host.on_bus->faults.load(std::memory_order_relaxed)};
}

}  // namespace gantry::kernel
