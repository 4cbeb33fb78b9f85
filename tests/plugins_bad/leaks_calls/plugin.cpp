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
}  // namespace

RAW_PLUGIN("leaks_calls", (&raw::create_serving<&g_api, &g_contract, &poke>));
