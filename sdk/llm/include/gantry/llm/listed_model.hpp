// SPDX-License-Identifier: Apache-2.0
//
// A model as the list of a provider names it.
#pragma once

#include <gantry/llm/dialect.hpp>

#include <string_view>

namespace gantry::llm {

/// What is known of the model by its `id`; an empty `display_name` is the id.
inline LlmModel listed_model(const Dialect& dialect, const Endpoint& endpoint, std::string_view id,
                             std::string_view display_name) {
  LlmModel model;
  model.id = id;
  model.provider = endpoint.name;
  model.discovered = true;
  dialect.describe(model, endpoint);
  model.display_name = display_name.empty() ? id : display_name;
  return model;
}

}  // namespace gantry::llm
