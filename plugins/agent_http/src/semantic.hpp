// SPDX-License-Identifier: Apache-2.0
//
// What is asked of a model for summaries and titles, and what is read out of its answer. Pure
// functions; texts are UTF-8, lengths are characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_http {

/// What goes to the model. The conversations are marked as data: nothing in them is an instruction.
std::string summary_prompt(const std::vector<std::string>& conversations);

struct Summary {
  std::string summary;
  std::vector<std::string> facts;
};

/// Reads `SUMMARY:` and `FACTS:` (in any case, perhaps bold, perhaps in a code fence). Without a
/// summary it is the first 500 characters, without facts they are the bullet lines.
Summary read_summary(std::string_view reply);

/// Only the first 4000 characters of each message go along.
std::string title_prompt(std::string_view user_message, std::string_view assistant_message);

/// The first line that says something, without markup, at most 6 words and 48 characters; "New
/// chat" when nothing is left.
std::string read_title(std::string_view reply);

}  // namespace gantry::agent_http
