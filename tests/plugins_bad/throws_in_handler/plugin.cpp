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
}  // namespace

RAW_PLUGIN("throws_in_handler", (&raw::create_serving<&g_api, &g_contract, &poke>));
