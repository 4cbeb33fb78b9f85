// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/llm.hpp>

GANTRY_INSTANTIATE(gantry::LlmChatRequest)
GANTRY_INSTANTIATE(gantry::LlmChunk)
GANTRY_INSTANTIATE(gantry::LlmErrorDetail)
GANTRY_INSTANTIATE(gantry::LlmModelsRequest)
GANTRY_INSTANTIATE(gantry::LlmModelList)
GANTRY_INSTANTIATE(gantry::LlmCountRequest)
GANTRY_INSTANTIATE(gantry::LlmTokenCount)
GANTRY_INSTANTIATE(gantry::LlmModelsChangedEvent)
