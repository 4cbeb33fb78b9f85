// SPDX-License-Identifier: Apache-2.0
// The least that a plugin by hand needs: tables with functions that do nothing. What is bad about
// each plugin stands alone in its own file.
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/abi/plugin.h>

#include <cstdint>
#include <string_view>

namespace raw {

inline const gantry_host_bus* bus_of(const gantry_host_api& api) {
  return static_cast<const gantry_host_bus*>(api.get_interface(api.host, GANTRY_HOST_BUS_1));
}

constexpr std::uint64_t id_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

// A message that is only JSON text "{}".
inline gantry_status encode(const void*, gantry_buf* out) {
  static const std::uint8_t kText[] = {'{', '}'};
  *out = {kText, sizeof kText, nullptr, nullptr, nullptr};
  return GANTRY_OK;
}
const gantry_type& empty_type();
inline const gantry_body& empty_body() {
  static const int kObject = 0;
  static const gantry_body kBody{sizeof(gantry_body), &empty_type(), &kObject,
                                 {nullptr, 0},        nullptr,       [](void*) {},
                                 [](void*) {}};
  return kBody;
}
inline gantry_status decode(gantry_str, const gantry_body** out, gantry_error*) {
  *out = &empty_body();
  return GANTRY_OK;
}
inline gantry_str schema() { return {"{}", 2}; }
inline std::size_t weight(const void*) { return 2; }
inline const gantry_type& empty_type() {
  static const gantry_type kType{
      sizeof(gantry_type), {"Empty", 5}, 4711, &encode, &decode, &schema, &weight};
  return kType;
}

inline gantry_contract call_contract(std::string_view name) {
  gantry_contract contract{};
  contract.size = sizeof contract;
  contract.kind = GANTRY_CALL;
  contract.name = {name.data(), name.size()};
  contract.id = id_of(name);
  contract.first = &empty_type();
  contract.second = &empty_type();
  return contract;
}

inline gantry_plugin empty_plugin() {
  gantry_plugin plugin{};
  plugin.size = sizeof plugin;
  plugin.init = [](void*, gantry_error*) -> gantry_status { return GANTRY_OK; };
  plugin.start = [](void*, gantry_error*) -> gantry_status { return GANTRY_OK; };
  plugin.reconfigure = [](void*, gantry_error*) -> gantry_status { return GANTRY_OK; };
  plugin.stop = [](void*, std::int64_t) {};
  plugin.destroy = [](void*) {};
  plugin.get_interface = [](void*, const char*) -> const void* { return nullptr; };
  return plugin;
}

// create() of a plugin that serves `contract` with `handler` and does nothing else.
template <gantry_host_api* api, const gantry_contract* contract, gantry_call_fn handler>
gantry_status create_serving(const gantry_host_api* given, gantry_plugin* out, gantry_error*) {
  *api = *given;
  *out = empty_plugin();
  out->init = [](void*, gantry_error* error) -> gantry_status {
    const auto* bus = bus_of(*api);
    const auto status = bus->register_contract(api->host, contract, error);
    if (status != GANTRY_OK) return status;
    return bus->serve(api->host, contract->id, handler, nullptr, nullptr, error);
  };
  return GANTRY_OK;
}

}  // namespace raw

#define RAW_PLUGIN(name, create)                                                                 \
  extern "C" __attribute__((visibility("default")))                                              \
  const gantry_plugin_entry_v1 gantry_plugin_entry;                                              \
  extern "C" const gantry_plugin_entry_v1 gantry_plugin_entry = {GANTRY_PLUGIN_MAGIC,            \
                                                                 sizeof(gantry_plugin_entry_v1), \
                                                                 GANTRY_ABI_MAJOR,               \
                                                                 GANTRY_ABI_MINOR,               \
                                                                 name,                           \
                                                                 "0.1.0",                        \
                                                                 "0.1.0",                        \
                                                                 "by hand",                      \
                                                                 create}
