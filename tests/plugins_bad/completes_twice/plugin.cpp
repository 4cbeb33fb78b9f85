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
}  // namespace

RAW_PLUGIN("completes_twice", (&raw::create_serving<&g_api, &g_contract, &poke>));
