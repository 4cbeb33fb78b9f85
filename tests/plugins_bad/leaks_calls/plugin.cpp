// SPDX-License-Identifier: Apache-2.0
#include "raw_plugin.hpp"

#include <array>
#include <cstddef>

namespace {
gantry_host_api g_api;
const gantry_contract g_contract = raw::call_contract("test.leaks_calls.poke/1");

// Calls that are kept for good: a leak of this plugin, of which nobody else may free anything,
// since it might still answer.
std::array<gantry_incoming*, 2> g_kept;

// Neither answers nor releases, and asks itself once more for good measure.
void poke(void*, gantry_incoming* incoming, const gantry_body* request, const gantry_envelope*) {
  gantry_call_options options{};
  options.size = sizeof options;
  gantry_handle call = 0;
  static std::size_t asked = 0;
  g_kept.at(asked) = incoming;
  if (asked++ > 0) return;
  raw::bus_of(g_api)->call(
      g_api.host, g_contract.id, request, &options,
      [](void*, gantry_status, const gantry_body*, const gantry_error*) {}, nullptr, &call);
}
}  // namespace

RAW_PLUGIN("leaks_calls", (&raw::create_serving<&g_api, &g_contract, &poke>));
