// SPDX-License-Identifier: Apache-2.0
//
// How a call or the opening of a stream finds who serves it.
#include "bus/bus.hpp"
#include "host.hpp"

namespace gantry::kernel {

// A contract whose plugin is not open yet has no kind, so that what asked for it by its name is not
// known to be wrong before the plugin is there.
bool Bus::refused_for_kind(Demand& demand, const Contract& contract) {
  const std::uint32_t kind = contract.kind.load(std::memory_order_acquire);
  if (kind == 0 || kind == demand.kind()) return false;
  demand.refuse({GANTRY_INVALID_ARGUMENT,
                 contract.name + " is " + kind_name(kind) + ", not " + kind_name(demand.kind()),
                 {}});
  return true;
}

// Whoever serves has declared the kind before, so it is known here whatever was asked earlier.
void Bus::hand_over(const Ref<Demand>& demand, const Ref<Provider>& provider) {
  if (!refused_for_kind(*demand, *provider->contract)) demand->offer(provider);
}

// Whether a plugin that is not open yet could serve a contract that nobody has named so far. Names
// come from outside the daemon too, and those that somebody invents must not stay in the table.
bool Bus::may_come(std::string_view name) const {
  if (!hooks_.open_lazy) return false;
  return !hooks_.missing_provider || !hooks_.missing_provider(name).plugins.empty();
}

void Bus::route(const Ref<Demand>& demand, Contract& contract) {
  if (refused_for_kind(*demand, contract)) return;
  const std::string_view target = demand->target();
  if (!hooks_.open_lazy) return settle(demand, contract, {});
  if (const Ref<Provider> provider = contract.choose_or_wait(target, demand)) {
    return hand_over(demand, provider);
  }
  if (open_better(contract, target)) return;
  // Nobody better comes. If a provider appeared meanwhile it has taken the demand out of the queue.
  if (contract.stop_waiting(demand.get())) settle(demand, contract, {});
}

// Has the preferred plugin opened, else, when all who serve say that they cannot work here,
// another.
bool Bus::open_better(const Contract& contract, std::string_view target) const {
  if (target.empty()) {
    const std::string preferred = contract.preferred();
    if (!preferred.empty() && hooks_.open_lazy(contract.name, preferred)) return true;
    if (contract.suitable()) return false;
  }
  return hooks_.open_lazy(contract.name, target);
}

void Bus::settle(const Ref<Demand>& demand, const Contract& contract,
                 std::string_view reason) const {
  const std::string_view target = demand->target();
  if (const Ref<Provider> provider = contract.choose(target)) {
    hand_over(demand, provider);
  } else if (refused_for_kind(*demand, contract)) {
    return;
  } else if (reason.empty()) {
    demand->refuse(missing(contract, target));
  } else {
    demand->refuse({GANTRY_UNAVAILABLE, contract.name + " is not available: " + std::string(reason),
                    "{\"contract\":" + json_quote(contract.name) + "}"});
  }
}

void Bus::lazy_ended(std::string_view name, std::string_view reason) {
  Contract* contract = table_.find(fnv1a(name));
  if (contract == nullptr) return;
  for (const Ref<Demand>& demand : contract->take_waiting()) settle(demand, *contract, reason);
}

Failure Bus::missing(const Contract& contract, std::string_view target) const {
  Failure failure{GANTRY_UNAVAILABLE, contract.name + " is not available: ",
                  "{\"contract\":" + json_quote(contract.name)};
  std::string serving, candidates, candidates_json;
  for (const Ref<Provider>& provider : contract.providers()) {
    serving += (serving.empty() ? "" : ", ") + provider->host->name;
  }
  MissingProvider known;
  if (hooks_.missing_provider) known = hooks_.missing_provider(contract.name);
  for (const std::string& plugin : known.plugins) {
    candidates += (candidates.empty() ? "" : ", ") + plugin;
    candidates_json += (candidates_json.empty() ? "" : ",") + json_quote(plugin);
  }
  failure.message += target.empty() ? "no running plugin serves it"
                                    : "plugin '" + std::string(target) + "' does not serve it";
  if (!serving.empty()) failure.message += " (served by " + serving + ")";
  if (!candidates.empty()) failure.message += "; it could come from " + candidates;
  if (!known.advice.empty()) failure.message += "; " + known.advice;
  if (serving.empty() && candidates.empty() && known.advice.empty()) {
    failure.message += "; enable a plugin that provides it";
  }
  if (!target.empty()) failure.detail += ",\"target\":" + json_quote(target);
  failure.detail += ",\"plugins\":[" + candidates_json + "]";
  failure.detail += known.down ? ",\"down\":true}" : "}";
  return failure;
}

}  // namespace gantry::kernel
