// SPDX-License-Identifier: Apache-2.0
// Which of the tools that there are a client is shown.
#include <catch2/catch.hpp>

#include "messages.hpp"

namespace gantry::mcp {
namespace {

TEST_CASE("only the tools that the configuration names are listed, and the others can be called") {
  FakeEnvironment environment;
  const auto source = std::make_shared<FakeSource>();
  for (const char* name : {"get_a", "get_b", "set_a", "get"}) {
    ToolDescription tool;
    tool.name = name;
    source->tools.push_back(std::move(tool));
  }
  const auto listed = [&](std::vector<std::string> names) {
    Catalog catalog(
        environment, [&](const auto& done) { done(Sources{source}); }, std::move(names));
    catalog.tools().load([] {});
    std::string out;
    for (const Revision& revision : revisions()) {
      out.clear();
      for (const std::string& text : catalog.tool_texts(revision)) {
        out += text_at(json::parse(text), "/name") + " ";
      }
    }
    CHECK(catalog.tools().find("set_a") != nullptr);
    return out;
  };
  CHECK(listed({}) == "get_a get_b set_a get ");
  CHECK(listed({"get_*"}) == "get_a get_b ");
  CHECK(listed({"*"}) == "get_a get_b set_a get ");
  CHECK(listed({"set_a", "get"}) == "set_a get ");
  CHECK(environment.warnings.empty());
  CHECK(listed({"get_b", "no_*", "GET"}) == "get_b ");
  CHECK(environment.warnings.size() == 2);  // once for each name, whatever the revisions
}

}  // namespace
}  // namespace gantry::mcp
