// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which reactions an input may set off: a click is a click_element however it came about, but
// focusing an element is no click (observer contract 2.13, with its list of verbs that carry no
// element corrected: all of them do).

#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/input.hpp>

#include <optional>

#include "scenario_world.hpp"

namespace gantry::mock {

/// The act behind a request. Moves the keyboard focus of `world` where the request does.
[[nodiscard]] Act act_of(ScenarioWorld& world, const PointerRequest& request);
[[nodiscard]] Act act_of(ScenarioWorld& world, const KeyRequest& request);
[[nodiscard]] Act act_of(ScenarioWorld& world, const TextRequest& request);
/// Nothing for verbs that only read.
[[nodiscard]] std::optional<Act> act_of(ScenarioWorld& world, const A11yActionRequest& request);

}  // namespace gantry::mock
