// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a selector that found nothing may have meant: an error that names the nearest elements saves
// the caller a look at the whole tree.

#include <string_view>
#include <vector>

#include "json_object.hpp"
#include "selector.hpp"
#include "tree.hpp"

namespace gantry::observation {

/// How far two names are from each other, in any case: 0 for equal ones, 1 for strangers.
[[nodiscard]] double name_distance(std::string_view wanted, std::string_view found);

/// At most `limit` elements whose name and role resemble those of the selector's last step, the
/// most similar first. Only names and roles are compared, so it is cheap enough for every error.
[[nodiscard]] std::vector<const Node*> near_matches(const Node& root, const Selector& selector,
                                                    std::size_t limit = 5);

/// Array of {element_id, role, name, selector}, where the selector leads to exactly that element.
[[nodiscard]] RawJson near_matches_json(const Node& root, const std::vector<const Node*>& nodes);

/// Adds them to an error's context as `did_you_mean`, when there are any, and as `hint` what to do
/// where rules hide names: the search does not know these.
void add_near_matches(JsonObject& context, const Node& root, const Selector& selector);

}  // namespace gantry::observation
