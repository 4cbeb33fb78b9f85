// SPDX-License-Identifier: Apache-2.0
#include "raw_plugin.hpp"

namespace {
gantry_host_api g_api;
const gantry_contract g_contract = raw::call_contract("test.completes_twice.poke/1");

void poke(void*, gantry_incoming* call, const gantry_body*, const gantry_envelope*) {
  const auto* bus = raw::bus_of(g_api);
  bus->complete(call, GANTRY_OK, &raw::empty_body(), nullptr);
  bus->complete(call, GANTRY_INTERNAL, nullptr, nullptr);
  bus->incoming_release(call);
}

gantry_status create(const gantry_host_api* api, gantry_plugin* out, gantry_error*) {
  g_api = *api;
  *out = raw::empty_plugin();
  out->init = [](void*, gantry_error* error) -> gantry_status {
    const auto* bus = raw::bus_of(g_api);
    const auto status = bus->register_contract(g_api.host, &g_contract, error);
    if (status != GANTRY_OK) return status;
    return bus->serve(g_api.host, g_contract.id, &poke, nullptr, nullptr, error);
  };
  return GANTRY_OK;
}
}  // namespace

RAW_PLUGIN("completes_twice", &create);
