// SPDX-License-Identifier: Apache-2.0
#include "raw_plugin.hpp"

namespace {
gantry_host_api g_api;
const gantry_contract g_contract = raw::call_contract("test.leaks_calls.poke/1");

// Neither answers nor releases, and asks itself once more for good measure.
void poke(void*, gantry_incoming*, const gantry_body* request, const gantry_envelope*) {
  gantry_call_options options{};
  options.size = sizeof options;
  gantry_handle call = 0;
  static int asked = 0;
  if (asked++ > 0) return;
  raw::bus_of(g_api)->call(
      g_api.host, g_contract.id, request, &options,
      [](void*, gantry_status, const gantry_body*, const gantry_error*) {}, nullptr, &call);
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

RAW_PLUGIN("leaks_calls", &create);
