// SPDX-License-Identifier: Apache-2.0
//
// Small translations that every dialect needs. Pure functions.
#pragma once

#include <gantry/contracts/llm.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry::llm {

/// All text blocks of the system messages, one under the other.
[[nodiscard]] std::string system_text(const std::vector<LlmMessage>& messages);
/// All text blocks of one message, one under the other.
[[nodiscard]] std::string text_of(const LlmMessage& message);
/// What the user asked: the last <user_query> block where a client puts more around it, else all.
[[nodiscard]] std::string_view user_query(std::string_view text);
/// What stands for an image where a provider takes none.
[[nodiscard]] std::string omitted_image(const LlmImage& image);
/// The nearest effort that the model has, Default when it has none or Default was asked.
[[nodiscard]] LlmEffort nearest_effort(LlmEffort wanted, const LlmModel& model);
/// "none", "minimal", …; empty for Default.
[[nodiscard]] std::string_view effort_name(LlmEffort effort);
/// An image from base64, its type by its first bytes (`claimed` when they say nothing). Without
/// bytes when it is none.
[[nodiscard]] LlmImage image_of(std::string_view base64, std::string_view claimed);
/// An id for a call whose provider gave none.
[[nodiscard]] std::string make_call_id(std::string_view response_id, std::size_t index);

}  // namespace gantry::llm
