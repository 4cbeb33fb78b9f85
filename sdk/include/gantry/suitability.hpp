// SPDX-License-Identifier: Apache-2.0
// What a plugin has found when it looked for what it needs (a program, model files, a key), told to
// health and to whoever chooses among plugins.
#pragma once

#include <gantry/cure.hpp>
#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <string_view>

namespace gantry {

/// Found: `component` is healthy, and the plugin fits by `score` because of `what`. Not found: it
/// does not fit, and the error says why and what helps. Strand only.
template <class T>
void tell_found(Host& host, std::string_view component, const Result<T>& found, int score,
                std::string_view what) {
  if (found.ok()) {
    host.healthy(component);
    host.bus().set_suitability(score, what);
    return;
  }
  const auto [reason, cure] = split_cure(found.error().message);
  host.degraded(component, reason, cure);
  host.bus().set_suitability(0, reason);
}

}  // namespace gantry
