// SPDX-License-Identifier: Apache-2.0
#include "raw_plugin.hpp"

#include <stdexcept>

namespace {
gantry_status create(const gantry_host_api*, gantry_plugin* out, gantry_error*) {
  *out = raw::empty_plugin();
  out->start = [](void*, gantry_error*) -> gantry_status {
    throw std::runtime_error("through the C boundary");
  };
  return GANTRY_OK;
}
}  // namespace

RAW_PLUGIN("throws_raw", &create);
