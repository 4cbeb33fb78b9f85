// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the element verbs do once their element is found and may be acted on: the toolkit's own way
// first, the pointer and the keyboard second.

#include "act.hpp"

namespace gantry::observation {

Task<Outcome<Deed>> perform_click(Act& act);
Task<Outcome<Deed>> perform_right_click(Act& act);
Task<Outcome<Deed>> perform_double_click(Act& act);
Task<Outcome<Deed>> perform_focus(Act& act);
Task<Outcome<Deed>> perform_invoke(Act& act);
Task<Outcome<Deed>> perform_hover(Act& act);
Task<Outcome<Deed>> perform_key(Act& act);
Task<Outcome<Deed>> perform_set_value(Act& act);
Task<Outcome<Deed>> perform_clear_text(Act& act);
Task<Outcome<Deed>> perform_select(Act& act);

/// Chooses an option by name, or by its position.
Task<Outcome<Deed>> choose_option(Act& act, std::string name, std::optional<std::int64_t> index);

/// Sleeps on the engine's clock.
Task<bool> pause(Engine& engine, const Life& life, std::int64_t ms);

}  // namespace gantry::observation
