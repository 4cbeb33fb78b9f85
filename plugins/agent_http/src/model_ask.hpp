// SPDX-License-Identifier: Apache-2.0
//
// One question to a language model, without a session. The built-in planner is no model: it is
// never asked. Strand only; completions run on it.
#pragma once

#include <gantry/contracts/llm.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <string>

namespace gantry::agent_http {

struct ModelWish {
  std::string model;     // an id, perhaps with "@@variant"; empty: the first that is available
  std::string provider;  // empty: any
};

struct ChosenModel {
  std::string plugin;
  LlmModel model;
};

/// Chooses among the models that are available now. Error: not_found (none is).
void choose_model(Host& host, const ModelWish& wish, std::function<void(Result<ChosenModel>)> then);

/// Asks, and answers the whole text. Errors: those of gantry.llm.chat/1. What it returns stops the
/// model; nothing is answered then.
std::function<void()> ask_model(Host& host, const ChosenModel& chosen, std::string prompt,
                                std::function<void(Result<std::string>)> then);

}  // namespace gantry::agent_http
