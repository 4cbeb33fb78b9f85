// SPDX-License-Identifier: Apache-2.0
#include "semantic.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace gantry::agent_http {
namespace {

using Facts = std::vector<std::string>;

TEST_CASE("summary and facts are read in every form that models give them") {
  for (const char* reply : {
           "SUMMARY: Likes  tea.\nFACTS:\n- has a cat\n- lives in Bonn",
           "**Summary:** Likes tea.\n\n**Facts:**\n* has a cat\n* lives in Bonn",
           "**SUMMARY**: Likes\n tea.\n**FACTS**:\n1. has a cat\n2) lives in Bonn",
           "```\nsummary: Likes tea.\nfacts:\nfact 1: has a cat\nFact 2: lives in Bonn\n```",
           "```text\nSUMMARY: Likes tea.\nFACTS: has a cat\nlives in  Bonn\n```",
       }) {
    INFO(reply);
    const Summary found = read_summary(reply);
    CHECK(found.summary == "Likes tea.");
    CHECK(found.facts == Facts{"has a cat", "lives in Bonn"});
  }
}

TEST_CASE("a reply that says that there is nothing is taken as it is") {
  CHECK(read_summary("SUMMARY: none\nFACTS:\n- none").facts.empty());
  CHECK(read_summary("SUMMARY: None").summary == "None");
  CHECK(read_summary("SUMMARY: No durable memory.\nFACTS:").facts.empty());
}

TEST_CASE("a reply without labels gives what can be found in it") {
  const Summary found = read_summary("The user:\n- has a cat\n- x\n1. lives in Bonn");
  CHECK(found.summary == "The user:\n- has a cat\n- x\n1. lives in Bonn");
  CHECK(found.facts == Facts{"has a cat", "lives in Bonn"});
  std::string longer;
  for (int i = 0; i < 600; ++i) longer += "é";
  CHECK(read_summary(longer).summary.size() == 1000);
  CHECK(read_summary("").summary == "Summary extraction failed");
  CHECK(read_summary(" \n ").summary == "Summary extraction failed");
}

TEST_CASE("a title is short and plain") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Open the editor", "Open the editor"},
      {"\n\n# Open the editor\nmore", "Open the editor"},
      {"Title: \"Open the editor.\"", "Open the editor"},
      {"**Title:** Open the editor", "Open the editor"},
      {"- `Open the editor`!", "Open the editor"},
      {"1. “Open the editor”", "Open the editor"},
      {"one two three four five six seven", "one two three four five six"},
      {"extraordinarily complicated undertakings everywhere always",
       "extraordinarily complicated undertakings"},
      {std::string(60, 'x'), std::string(48, 'x')},
      {"", "New chat"},
      {" \n ?!\n", "New chat"},
      {"Was nun?", "Was nun"},
  };
  for (const auto& [reply, title] : cases) {
    INFO(reply);
    CHECK(read_title(reply) == title);
  }
}

TEST_CASE("what a model is asked has at most 4000 characters of each message") {
  std::string longer;
  for (int i = 0; i < 5000; ++i) longer += "é";
  const std::string prompt = title_prompt(longer, "b");
  std::string shorter;
  for (int i = 0; i < 4000; ++i) shorter += "é";
  CHECK(prompt.find("<user>\n" + shorter + "\n</user>") != std::string::npos);
  CHECK(summary_prompt({"one", "two"}).find("<conversation>\ntwo\n</conversation>") !=
        std::string::npos);
}

}  // namespace
}  // namespace gantry::agent_http
