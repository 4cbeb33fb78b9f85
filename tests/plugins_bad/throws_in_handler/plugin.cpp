// SPDX-License-Identifier: Apache-2.0
#include "raw_plugin.hpp"

#include <stdexcept>

namespace {
gantry_host_api g_api;
const gantry_contract g_contract = raw::call_contract("test.throws_in_handler.poke/1");

void poke(void*, gantry_incoming* call, const gantry_body*, const gantry_envelope*) {
  raw::bus_of(g_api)->incoming_release(call);
  throw std::runtime_error("in a handler");
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

RAW_PLUGIN("throws_in_handler", &create);
