// SPDX-License-Identifier: Apache-2.0
#include "cli/told.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <exception>

namespace gantry::cli {
namespace {

bool in_name(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_quote(char c) { return c == '`' || c == '\'' || c == '"'; }

}  // namespace

bool names_tool(std::string_view answer, std::string_view tool) {
  if (tool.empty()) return false;
  for (std::size_t at = answer.find(tool); at != std::string_view::npos;
       at = answer.find(tool, at + 1)) {
    const std::string_view before = answer.substr(0, at);
    const std::string_view after = answer.substr(at + tool.size());
    if ((!before.empty() && in_name(before.back())) || (!after.empty() && in_name(after.front()))) {
      continue;
    }
    const bool quoted =
        !before.empty() && !after.empty() && is_quote(before.back()) && is_quote(after.front());
    if (quoted || tool.find('_') != std::string_view::npos || before.ends_with("the tool ")) {
      return true;
    }
  }
  return false;
}

std::string failure_message(std::string_view output) {
  try {
    const boost::json::value answer = boost::json::parse({output.data(), output.size()});
    const auto* object = answer.if_object();
    const auto* error = object == nullptr ? nullptr : object->if_contains("error");
    if (error != nullptr && error->is_object()) error = error->get_object().if_contains("message");
    if (error != nullptr && error->is_string()) return std::string(error->get_string());
  } catch (const std::exception&) {  // no JSON: the tool's own words
  }
  return std::string(output);
}

Consent consent(std::string_view line) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  line.remove_suffix(line.size() - (line.find_last_not_of(kSpace) + 1));  // npos + 1 is 0
  std::string word;
  for (const char c : line) {
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (word == "y" || word == "yes") return Consent::Yes;
  if (word == "a" || word == "always") return Consent::Always;
  return word.empty() || word == "n" || word == "no" ? Consent::No : Consent::Unclear;
}

std::string_view command_of(std::string_view line) {
  if (!line.starts_with('/')) return {};
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  const std::string_view name = word.substr(1);
  const bool plain =
      std::all_of(name.begin(), name.end(), [](char c) { return c == '-' || in_name(c); });
  return plain && !name.empty() ? word : std::string_view{};
}

std::string words_for_nothing(const TurnFinishedBody& end, std::string_view stop_reason) {
  if (!end.reason.empty()) return end.reason;  // no model was asked
  std::string words;
  if (stop_reason == "length") {
    words = "The model reached its limit of tokens before it said a word.";
  } else if (stop_reason == "filter") {
    words = "The model refused to answer, or its provider withheld the answer.";
  } else if (end.tool_calls == 0) {
    words = "The model answered without a word.";
  }
  if (end.tool_calls == 0) return words;
  return words + (words.empty() ? "" : "\n") + end.final_text;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // not the rest of a character
  }));
}

}  // namespace gantry::cli
