// SPDX-License-Identifier: Apache-2.0
// Servers that are programs, through the real kernel: a double in Python, and this daemon itself.
#include <catch2/catch.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

using namespace gantry;
using testkit::eventually;
using Run = testkit::StreamProbe<ToolRun>;

namespace {

constexpr auto kLimit = std::chrono::seconds(30);

std::string double_path() { return std::getenv("GANTRY_MCP_DOUBLE"); }

struct World {
  testkit::TempDir folder;
  testkit::InProcessKernel kernel;

  /// `servers` is YAML of tools_mcp.servers; %D stands for the double, %N for its file of notes.
  explicit World(std::string servers, const std::string& more = {})
      : kernel({"plugins: {tools_mcp: {config: {callers: ['*'], grace: 500ms, " + more +
                "servers: {" + filled(std::move(servers)) + "}}}}"}) {
    REQUIRE(kernel.start().ok());
  }
  std::string filled(std::string text) const {
    const auto put = [&text](const std::string& mark, const std::string& value) {
      for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
        text.replace(at, mark.size(), value);
      }
    };
    put("%D", double_path());
    put("%N", notes_path());
    return text;
  }
  [[nodiscard]] std::string notes_path() const { return (folder.path() / "notes").string(); }
  [[nodiscard]] std::string notes() const {
    std::ifstream file(notes_path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<ToolDescription> tools() {
    const auto list = kernel.host().bus().call_wait<ToolList>({});
    REQUIRE(list.ok());
    return (*list)->tools;
  }
  std::optional<ToolDescription> tool(const std::string& name) {
    for (const ToolDescription& one : tools()) {
      if (one.name == name) return one;
    }
    return std::nullopt;
  }
  Run begin(const std::string& name, const std::string& arguments = "{}") {
    ToolCallRequest request;
    request.name = name;
    request.arguments = Json(arguments);
    request.progress = true;
    return Run(kernel.host(), request);
  }
  ToolResult call(const std::string& name, const std::string& arguments = "{}") {
    const Run run = begin(name, arguments);
    REQUIRE(run.wait_for_end(kLimit));
    INFO(run.ends().front().message);
    REQUIRE_FALSE(run.all().empty());
    return run.all().back().result.value();
  }
};

constexpr const char* kDouble = "d: {command: python3, args: ['%D', 'notes=%N']}";

}  // namespace

TEST_CASE("the tools of a server are there once it is asked for them") {
  World world(kDouble);
  const auto tools = world.tools();
  REQUIRE(tools.size() == 9);  // three pages
  CHECK(tools[0].name == "d_echo");
  CHECK(tools[0].description == "A tool of the MCP server 'd'. It says: Does echo.");
  CHECK_FALSE(tools[0].read_only);  // whatever it says
  CHECK(tools[0].unavailable.empty());
}

TEST_CASE("results come back as they are") {
  World world(kDouble);
  (void)world.tools();
  const ToolResult echo = world.call("d_echo", R"({"text":"hello","more":1})");
  CHECK(echo.content.at(0).text == "hello");
  CHECK(echo.structured->text == R"({"text":"hello"})");
  CHECK_FALSE(echo.is_error);
  const ToolResult picture = world.call("d_picture");
  REQUIRE(picture.content.size() == 4);
  CHECK(picture.content[1].kind == ContentKind::Image);
  CHECK(picture.content[2].kind == ContentKind::Link);
  CHECK(picture.content[3].text.starts_with("[1 block was left out"));
  const ToolResult fails = world.call("d_fails");
  CHECK(fails.is_error);
  CHECK(fails.content.at(0).text == "it did not work");
  const ToolResult refused = world.call("d_refuses");
  CHECK(refused.is_error);
  CHECK(refused.content.at(0).text.starts_with("invalid_argument: the MCP server 'd' answered"));
}

TEST_CASE("a server gets the variables that it is given, and no others") {
  ::setenv("GANTRY_TEST_SECRET", "do-not-tell", 1);
  ::setenv("GANTRY_TEST_PASSED", "tell", 1);
  World world("d: {command: python3, args: ['%D'], pass: [GANTRY_TEST_PASSED], env: {OWN: v}}");
  (void)world.tools();
  const std::string text = world.call("d_environment").content.at(0).text;
  CHECK(text.find("do-not-tell") == std::string::npos);
  CHECK(text.find(R"("GANTRY_TEST_PASSED": "tell")") != std::string::npos);
  CHECK(text.find(R"("OWN": "v")") != std::string::npos);
}

TEST_CASE("progress of a call is passed on") {
  World world(kDouble);
  (void)world.tools();
  const Run run = world.begin("d_progress");
  REQUIRE(run.wait_for_end(kLimit));
  REQUIRE(run.all().size() == 2);
  CHECK(run.all()[0].progress->message == "half way");
}

TEST_CASE("a call that is given up is cancelled at the server, which goes on") {
  World world(kDouble);
  (void)world.tools();
  Run hangs = world.begin("d_hang");
  REQUIRE(eventually([&] { return world.notes().find("hangs") != std::string::npos; }));
  hangs.stream().close(Error{Code::Cancelled, "enough", {}});
  CHECK(
      eventually([&] { return world.notes().find("cancelled: the caller") != std::string::npos; }));
  CHECK(world.call("d_echo", R"({"text":"still here"})").content.at(0).text == "still here");
}

TEST_CASE("a call that takes too long is cancelled at the server and told by its kind") {
  World world("d: {command: python3, args: ['%D', 'notes=%N'], timeout: 300ms}");
  (void)world.tools();
  const ToolResult late = world.call("d_hang");
  CHECK(late.is_error);
  CHECK(late.content.at(0).text.starts_with("deadline_exceeded: the MCP server 'd'"));
  CHECK(eventually([&] { return world.notes().find("cancelled: it took") != std::string::npos; }));
}

TEST_CASE("a server that dies in a call is started again, and the others go on") {
  World world(std::string(kDouble) + ", other: {command: python3, args: ['%D']}");
  (void)world.tools();
  const Run crash = world.begin("d_crash");
  REQUIRE(crash.wait_for_end(kLimit));
  CHECK(crash.all().empty());
  CHECK(crash.ends().front().code == Code::Unavailable);
  CHECK(crash.ends().front().message.find("exit code 3") != std::string::npos);
  CHECK(world.call("other_echo", R"({"text":"here"})").content.at(0).text == "here");
  REQUIRE(eventually([&] { return world.tool("d_echo")->unavailable.empty(); }));
  CHECK(world.call("d_echo", R"({"text":"again"})").content.at(0).text == "again");
}

TEST_CASE("tools that come later are there") {
  World world(kDouble);
  (void)world.tools();
  CHECK_FALSE(world.tool("d_late"));
  (void)world.call("d_grow");
  CHECK(eventually([&] { return world.tool("d_late").has_value(); }));
}

TEST_CASE("tools that must not be taken are left out, and names do not collide") {
  World world("web: {command: python3, args: ['%D', bad-tools]}");
  const auto tools = world.tools();
  REQUIRE(tools.size() == 4);
  CHECK(tools[0].name == "web_a_b");
  CHECK(tools[1].name.starts_with("web_a_b_"));
  CHECK(tools[2].name.size() == 64);
  CHECK(tools[3].name.starts_with("web_search_"));
}

TEST_CASE("servers that cannot be used say why, and nobody waits for them for ever") {
  World world(
      "dies: {command: python3, args: ['%D', dies]}, "
      "missing: {command: /no/such/program}, "
      "silent: {command: python3, args: ['%D', silent], start_timeout: 300ms}, "
      "odd: {command: python3, args: ['%D', version=1999-01-01]}, "
      "old: {command: python3, args: ['%D', version=2024-11-05]}");
  CHECK(world.tools().size() == 9);
  CHECK(world.call("old_echo", R"({"text":"x"})").content.at(0).text == "x");
  std::string log;
  for (const std::string& line : world.kernel.log_lines()) log += line + "\n";
  for (const char* words : {"exit code 7", "/no/such/program cannot be run",
                            "did not answer within", "speaks the revision '1999-01-01'"}) {
    INFO(words);
    CHECK(log.find(words) != std::string::npos);
  }
}

TEST_CASE("an address where nobody answers is told with one cure, which names its key") {
  World world("away: {url: 'http://127.0.0.1:1/mcp'}");
  CHECK(world.tools().empty());
  std::string told;
  for (const std::string& line : world.kernel.log_lines()) {
    if (line.find("cannot be reached") != std::string::npos) told = line;
  }
  INFO(told);
  CHECK(told.find("cure=\"check tools_mcp.servers.away.url") != std::string::npos);
  CHECK(told.find("(cure: ") == std::string::npos);  // that of the connection
}

TEST_CASE("a server's end is orderly") {
  World world(kDouble);
  (void)world.tools();
  CHECK(world.kernel.stop());
  CHECK(world.notes() == "input ended\n");
}

TEST_CASE("a server is a command or an address") {
  testkit::InProcessKernel kernel({"plugins: {tools_mcp: {config: {servers: {x: {}}}}}"});
  REQUIRE(kernel.start().ok());
  CHECK(kernel.plugin_state("tools_mcp").find("servers.x needs") != std::string::npos);
}

TEST_CASE("this daemon as a server") {
  const char* build = std::getenv("GANTRY_BUILD_DIR");
  REQUIRE(build != nullptr);
  World world("self: {command: " + std::string(build) + "/bin/gantry, args: [mcp, --mock]}");
  REQUIRE(world.tool("self_list_windows"));
  const ToolResult windows = world.call("self_list_windows");
  CHECK_FALSE(windows.is_error);
}
