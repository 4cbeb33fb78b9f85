// SPDX-License-Identifier: Apache-2.0
#pragma once
// What reached the model, as text: `@script show …` and `@script image?`. Pure functions.

#include <gantry/contracts/llm.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>

namespace gantry::scripted {

/// `what` is system, user, messages, results, tools, model or request (JSON without credentials).
[[nodiscard]] Result<std::string> show(const LlmChatRequest& request, std::string_view what);
/// "2 images: image/png 640 bytes, image/jpeg 1200 bytes", or "no image".
[[nodiscard]] std::string describe_images(const LlmChatRequest& request);
/// What the tools of this turn answered; empty when none did.
[[nodiscard]] std::string describe_results(const LlmChatRequest& request);

}  // namespace gantry::scripted
