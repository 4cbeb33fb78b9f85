// SPDX-License-Identifier: Apache-2.0
#pragma once
// One question to a model without tools and without a trace: a turn in a session that is deleted
// afterwards.

#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace gantry::chat_cortask {

struct OneAnswer {
  std::string text;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// `done` runs once, on the strand. Of `options` the model, its settings and keys count. Errors: of
/// starting a turn, and unavailable (the model failed: the text is what a client reads).
void ask_once(Host& host, const std::string& prompt, TurnOptions options,
              std::function<void(Result<OneAnswer>)> done);

}  // namespace gantry::chat_cortask
