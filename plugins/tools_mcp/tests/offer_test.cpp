// SPDX-License-Identifier: Apache-2.0
// Names of tools, and what servers say of them.
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "names.hpp"
#include "offer.hpp"

using namespace gantry;
using namespace gantry::tools_mcp;

namespace {

Offer offer_of(const std::string& tools, const ServerSettings& settings = {},
               const LimitSettings& limits = {}) {
  return read_offer(boost::json::parse(R"({"tools":)" + tools + "}"), "srv", settings, limits);
}

ToolResult result_of(const std::string& result, const LimitSettings& limits = {}) {
  return read_result(boost::json::parse(result), limits);
}

}  // namespace

TEST_CASE("names are legal, short and different") {
  const auto names = tool_names({{"git", "status"},
                                 {"git", "a.b"},
                                 {"git", "a_b"},
                                 {"git", "a b"},
                                 {"web", "search"},
                                 {"run", "shell_command"},
                                 {"git", std::string(100, 'x')},
                                 {"git", std::string(101, 'x')},
                                 {"b\xC3\xA4", "t"}});
  CHECK(names[0] == "git_status");
  CHECK(names[1] == "git_a_b");
  CHECK(names[2].starts_with("git_a_b_"));
  CHECK(names[4].starts_with("web_search_"));
  CHECK(names[5].starts_with("run_shell_command_"));
  CHECK(names[8] == "b___t");
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const std::string& name : names) {
    INFO(name);
    CHECK(name.size() <= kLongestName);
    CHECK(name.find_first_not_of(
              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
          std::string::npos);
    CHECK_FALSE(is_own_name(name));
  }
  // The digits depend on server and tool, not on the others.
  CHECK(tool_names({{"web", "search"}}) == std::vector<std::string>{names[4]});
}

TEST_CASE("a description is bounded text of somebody else") {
  LimitSettings limits;
  limits.description = 10;
  const Offer offer = offer_of(
      R"([{"name":"t","description":"abc\u202e\u0007\u200bdefghijklmnop","inputSchema":{"type":"object",)"
      R"("properties":{"a":{"type":"string","description":"x\u202ey"}}}}])",
      {}, limits);
  REQUIRE(offer.tools.size() == 1);
  CHECK(offer.tools[0].description.description ==
        "A tool of the MCP server 'srv'. It says: abcdefghij\xE2\x80\xA6");
  CHECK(offer.tools[0].description.input_schema.text.find("\"xy\"") != std::string::npos);
}

TEST_CASE("annotations count only where they are trusted") {
  const std::string tool =
      R"([{"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,)"
      R"("destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}])";
  const ToolDescription doubted = offer_of(tool).tools.at(0).description;
  CHECK_FALSE(doubted.read_only);
  CHECK(doubted.destructive);
  CHECK_FALSE(doubted.idempotent);
  CHECK(doubted.open_world);
  ServerSettings trusting;
  trusting.trust_annotations = true;
  const ToolDescription trusted = offer_of(tool, trusting).tools.at(0).description;
  CHECK(trusted.read_only);
  CHECK_FALSE(trusted.destructive);
  CHECK(trusted.idempotent);
  CHECK_FALSE(trusted.open_world);
  const ToolDescription silent =
      offer_of(R"([{"name":"t","inputSchema":{}}])", trusting).tools.at(0).description;
  CHECK_FALSE(silent.read_only);
  CHECK(silent.destructive);
  CHECK(silent.open_world);
}

TEST_CASE("tools are chosen by their own names") {
  ServerSettings settings;
  settings.allow = {"read_*"};
  settings.deny = {"*_all"};
  const Offer offer = offer_of(R"([{"name":"read_one","inputSchema":{}},)"
                               R"({"name":"read_all","inputSchema":{}},)"
                               R"({"name":"write","inputSchema":{}}])",
                               settings);
  REQUIRE(offer.tools.size() == 1);
  CHECK(offer.tools[0].name == "read_one");
}

TEST_CASE("what cannot be taken is named") {
  for (const char* tools :
       {R"([{"inputSchema":{}}])", R"([{"name":"x"}])", R"([{"name":"x","inputSchema":[]}])",
        R"([5])", R"([{"name":5,"inputSchema":{}}])"}) {
    INFO(tools);
    CHECK(offer_of(tools).tools.empty());
    CHECK(offer_of(tools).left_out.size() == 1);
  }
  CHECK(read_offer(boost::json::parse("[]"), "s", {}, {}).tools.empty());
  CHECK(read_offer(boost::json::parse(R"({"tools":5})"), "s", {}, {}).tools.empty());
}

TEST_CASE("results keep what they bring") {
  const ToolResult result = result_of(
      R"({"content":[{"type":"text","text":"a"},{"type":"image","data":"AQI=","mimeType":"image/png"},)"
      R"({"type":"audio","data":"AQI=","mimeType":"audio/wav"},)"
      R"({"type":"resource_link","uri":"u:1","name":"n","title":"t"},)"
      R"({"type":"resource","resource":{"uri":"u:2","mimeType":"text/plain","text":"r"}},)"
      R"({"type":"resource","resource":{"uri":"u:3","blob":"AQI="}}],)"
      R"("structuredContent":{"k":1},"isError":true})");
  REQUIRE(result.content.size() == 6);
  CHECK(result.content[0].text == "a");
  CHECK(result.content[1].kind == ContentKind::Image);
  CHECK(result.content[1].data.text() == "\x01\x02");
  CHECK(result.content[1].media_type == "image/png");
  CHECK(result.content[2].kind == ContentKind::Audio);
  CHECK(result.content[3].kind == ContentKind::Link);
  CHECK(result.content[3].uri == "u:1");
  CHECK(result.content[4].kind == ContentKind::Resource);
  CHECK(result.content[4].text == "r");
  CHECK(result.content[5].data.text() == "\x01\x02");
  REQUIRE(result.structured);
  CHECK(result.structured->text == R"({"k":1})");
  CHECK(result.is_error);
}

TEST_CASE("results are bounded, and say what they lack") {
  LimitSettings limits;
  limits.text = 10;
  limits.pictures = 1;
  const ToolResult longer = result_of(
      R"({"content":[{"type":"text","text":"123456789\u00e4bc"},{"type":"text","text":"more"}]})",
      limits);
  CHECK(longer.content[0].text == "123456789\n[the result is longer than 10 bytes]");
  const ToolResult odd =
      result_of(R"({"content":[{"type":"image","data":"AQI="},{"type":"image","data":"AQI="},)"
                R"({"type":"image","data":"!!"},{"type":"hologram"},5,{}]})",
                limits);
  REQUIRE(odd.content.size() == 2);
  CHECK(odd.content[1].text.starts_with("[4 blocks were left out"));
  CHECK(result_of("5").content.at(0).text == "[no content]");
  CHECK(result_of(R"({"structuredContent":{"a":1}})").content.at(0).text == R"({"a":1})");
}

TEST_CASE("errors of the protocol have codes") {
  CHECK(read_failure({-32602, "x", ""}, "s").code == Code::InvalidArgument);
  CHECK(read_failure({-32601, "x", ""}, "s").code == Code::NotFound);
  CHECK(read_failure({-1, "x\u202ey", ""}, "s").code == Code::Internal);
  CHECK(read_failure({-1, "x\u202ey", ""}, "s").message.ends_with("error -1: xy"));
}
