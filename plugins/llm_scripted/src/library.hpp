// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a script comes from: the prompt, a file of the prompt's choice, or the configured file.

#include "script.hpp"
#include "settings.hpp"

namespace gantry::scripted {

/// What the model does now: the script of the user's last message, at the place that the
/// assistant's messages after it have reached. When the script is over it tells what the tools
/// answered; a prompt without a script is told how to write one.
[[nodiscard]] Result<ScriptedAnswer> due_answer(const LlmChatRequest& request,
                                                const Settings& settings);

}  // namespace gantry::scripted
