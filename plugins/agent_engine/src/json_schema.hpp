// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks the arguments of a tool against its schema: the keywords of JSON Schema 2020-12 that
// tools use and that the agent's clients may send. Unknown keywords and formats say nothing, as the
// standard has it. Schemas come from clients and other programs, so work, depth and patterns are
// bounded. Pure functions. Source: json-schema.org/draft/2020-12.

#include <gantry/result.hpp>

#include <string_view>

namespace gantry::agent {

/// Ok when `arguments` (JSON text) fits `schema` (JSON text). Errors: invalid_argument, whose
/// message names the place ("$.points[2].x") and what was expected, for the model to read;
/// failed_precondition (the schema itself is not one, or it is too much work to check).
[[nodiscard]] Result<void> check_schema(std::string_view schema, std::string_view arguments);

}  // namespace gantry::agent
