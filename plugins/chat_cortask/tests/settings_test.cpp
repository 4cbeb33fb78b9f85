// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "settings.hpp"
#include "titles.hpp"

namespace gantry::chat_cortask {
namespace {

Environment of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

TEST_CASE("the environment names of existing installations win") {
  const auto settings = read_settings(R"({"port":1,"host":"a","data_dir":"b","cors_origin":"c"})",
                                      of({{"CORTASK_PORT", "4000"},
                                          {"CORTASK_HOST", "127.0.0.2"},
                                          {"CORTASK_DATA_DIR", "/d"},
                                          {"CORTASK_SECRET", "s"},
                                          {"CORTASK_CORS_ORIGIN", "http://x"}}));
  REQUIRE(settings.ok());
  CHECK(settings->port == 4000);
  CHECK(settings->host == "127.0.0.2");
  CHECK(settings->data_dir == "/d");
  CHECK(settings->secret == "s");
  CHECK(settings->cors_origin == "http://x");
}

TEST_CASE("without them the configuration counts") {
  const auto settings = read_settings(R"({"port":1,"host":"a"})", of({}));
  REQUIRE(settings.ok());
  CHECK(settings->port == 1);
  CHECK(settings->host == "a");
}

TEST_CASE("a port that is none is refused by name") {
  for (const char* port : {"x", "70000", "-1", "80x", " 80"}) {
    const auto settings = read_settings("{}", of({{"CORTASK_PORT", port}}));
    REQUIRE_FALSE(settings.ok());
    CHECK(settings.error().message.find("CORTASK_PORT") != std::string::npos);
  }
}

TEST_CASE("tools ask as the configuration says") {
  Settings settings;
  settings.approvals = {"allow", "deny", "ask"};
  const ToolPolicy policy = tool_policy(settings);
  CHECK(policy.act == ApprovalMode::Allow);
  CHECK(policy.execute == ApprovalMode::Deny);
  CHECK(policy.network == ApprovalMode::Ask);
  CHECK(policy.approval_timeout_ms == 60'000);
  CHECK(policy.questionnaires);
}

TEST_CASE("a title is what was said first, cut to eighty characters") {
  CHECK(title_of("hello") == "hello");
  CHECK(title_of("") == "New Chat");
  std::string long_text;
  for (int i = 0; i < 81; ++i) long_text += "ä";
  CHECK(title_of(long_text) == long_text.substr(0, 160) + "…");
  CHECK(title_of(long_text.substr(0, 160)) == long_text.substr(0, 160));
}

}  // namespace
}  // namespace gantry::chat_cortask
