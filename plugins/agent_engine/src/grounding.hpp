// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a model points to in a client's screenshot: arguments that name a place by its text, by a
// candidate of an earlier answer or by a description become x and y in pixels of the client's
// desktop, before the client hears of the call. What text means is decided as on the OCR routes.
// Sources: agent contract 4 (grounding), 5 (rows, candidates, thresholds), 2.6 (capture_meta).
// Strand only.

#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/errand.hpp>
#include <gantry/result.hpp>
#include <gantry/task.hpp>

#include <optional>
#include <string>
#include <vector>

#include "history.hpp"

namespace gantry::agent {

struct Core;

struct GroundingWish {
  std::string principal;
  ImageRef picture;  // what the model has seen last; no artifact: nothing
  Json arguments{"{}"};
  std::vector<std::string> methods;  // manual, ocr, prediction; empty: all
};

struct GroundedArguments {
  Json arguments{"{}"};
  std::optional<ToolGrounding> grounding;  // none: they name no place
};

/// The newest picture of a conversation.
[[nodiscard]] ImageRef newest_picture(const History& history);

/// Errors have words for the model: which argument is wrong, what else may be meant, or what is
/// missing here.
[[nodiscard]] Task<Result<GroundedArguments>> ground(Core& core, ErrandPtr errand,
                                                     GroundingWish wish);

}  // namespace gantry::agent
