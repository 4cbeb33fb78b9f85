// SPDX-License-Identifier: Apache-2.0
// Between the adapter's own values and the contract structs.
#pragma once

#include "client.hpp"

#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/platform.hpp>

namespace gantry::atspi {

/// What the adapter tells the bus of itself while the accessibility bus is up, of 100.
inline constexpr std::int32_t kSuitability = 90;

WindowHint to_hint(const A11yTreeRequest& request);
A11yTree to_contract(const Tree& tree, const A11yTreeRequest& request);
A11yChangedEvent to_contract(const Change& change);
A11yActionResult to_contract(const Acted& acted);
ProbeReport to_report(const BusStatus& status);

/// The call of Actions that a request asks for; invalid_argument when it cannot be one.
Result<Client::Act> to_act(const A11yActionRequest& request, std::size_t max_text);

}  // namespace gantry::atspi
