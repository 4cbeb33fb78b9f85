// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/prompt.hpp>

GANTRY_INSTANTIATE(gantry::PromptDescriptions)
GANTRY_INSTANTIATE(gantry::PromptRequest)
GANTRY_INSTANTIATE(gantry::PromptUpdate)
GANTRY_INSTANTIATE(gantry::CompletionRequest)
GANTRY_INSTANTIATE(gantry::Completions)
GANTRY_INSTANTIATE(gantry::PromptsChangedEvent)
