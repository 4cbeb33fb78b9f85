// SPDX-License-Identifier: Apache-2.0
// The tools through the real kernel. Without a sandbox: none of this is about it.
#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <filesystem>
#include <optional>
#include <string>

#include "exec/clock.hpp"
#include "support.hpp"

using namespace gantry;
using namespace gantry::shell::testing;
using Run = testkit::StreamProbe<ToolRun>;

namespace {

struct World {
  testkit::TempDir folder;
  testkit::InProcessKernel kernel;

  explicit World(const std::string& more = "sandbox: none", kernel::Clock* clock = nullptr)
      : kernel({.config = "plugins: {tools_shell: {config: {callers: ['*'], workspace: '" +
                          folder.path().string() + "/{principal}', " + more + "}}}",
                .clock = clock}) {
    REQUIRE(kernel.start().ok());
  }
  static ToolCallRequest request(const std::string& tool, const std::string& arguments,
                                 const std::string& principal, const std::string& session) {
    ToolCallRequest out;
    out.name = tool;
    out.arguments = Json(arguments);
    out.principal = principal;
    out.session = session;
    return out;
  }
  Run begin(const std::string& tool, const std::string& arguments,
            const std::string& principal = "ann", const std::string& session = "s") {
    return Run(kernel.host(), request(tool, arguments, principal, session));
  }
  ToolResult call(const std::string& tool, const std::string& arguments,
                  const std::string& principal = "ann", const std::string& session = "s") {
    INFO(arguments);
    return result_of(begin(tool, arguments, principal, session));
  }
  static ToolResult result_of(const Run& run) {
    REQUIRE(run.wait_for_end(kLimit));
    INFO(run.ends().front().message);
    REQUIRE(run.all().size() == 1);
    return run.all().front().result.value();
  }
  ToolResult shell(const std::string& arguments) { return call("run_shell_command", arguments); }
  std::string process(const std::string& arguments, const std::string& principal = "ann",
                      const std::string& session = "s") {
    return text(call("process", arguments, principal, session));
  }
  static std::string text(const ToolResult& result) { return result.content.at(0).text; }
  /// The error that the run ended with.
  Error failure(const std::string& arguments) {
    const Run run = begin("run_shell_command", arguments);
    REQUIRE(run.wait_for_end(kLimit));
    CHECK(run.all().empty());
    return run.ends().front();
  }
};

}  // namespace

TEST_CASE("a command's output, exit code and facts") {
  World world;
  const auto good = world.shell(R"({"command":"echo hello"})");
  CHECK(World::text(good) == "hello\n[exit code 0]");
  CHECK_FALSE(good.is_error);
  REQUIRE(good.structured);
  CHECK(good.structured->text.find(R"("state":"exited","exit_code":0)") != std::string::npos);
  const auto bad = world.shell(R"({"command":"printf none >&2; exit 4","explanation":"why"})");
  CHECK(World::text(bad) == "none\n[exit code 4]");
  CHECK_FALSE(bad.is_error);  // grep finds nothing with 1: the tool did what it was asked
}

TEST_CASE("each principal has a workspace that no other user reads") {
  World world;
  const auto where = [&](const char* principal) {
    return World::text(world.call("run_shell_command", R"({"command":"pwd; umask"})", principal));
  };
  CHECK(where("ann").find("/ann\n") != std::string::npos);
  CHECK(where("bob").find("/bob\n") != std::string::npos);
  CHECK(where("../x").find("/.2e.2e.2fx\n") != std::string::npos);
}

TEST_CASE("a session's own workspace counts where it is admitted") {
  testkit::TempDir place;
  std::filesystem::create_directories(place.path() / "project");
  World world("sandbox: none, workspaces: ['" + place.path().string() + "']");
  auto request = World::request("run_shell_command", R"({"command":"pwd"})", "ann", "s");
  const auto where = [&](const std::string& workspace) {
    request.workspace = workspace;
    const Run run(world.kernel.host(), request);
    REQUIRE(run.wait_for_end(kLimit));
    return run.all().at(0).result->content.at(0).text;
  };
  CHECK(where((place.path() / "project").string()).find("/project\n") != std::string::npos);
  CHECK(where("/").find("/ann\n") != std::string::npos);
}

TEST_CASE("a command that takes too long is ended and its output is kept") {
  kernel::ManualClock clock;
  World world("sandbox: none", &clock);
  const Run run = world.begin(
      "run_shell_command",
      R"({"command":"echo begun; touch said; exec sleep 1000","terminate_after_seconds":30})");
  REQUIRE(eventually([&] { return exists(world.folder.path() / "ann" / "said"); }));
  clock.advance(30'000'000'000);
  const ToolResult late = World::result_of(run);
  CHECK(late.is_error);
  CHECK(World::text(late).starts_with("begun\n[ended after 30"));
  CHECK(World::text(late).find("because its time was over") != std::string::npos);
  CHECK(late.structured->text.find(R"("state":"timed_out")") != std::string::npos);
}

TEST_CASE("nobody may ask for more time than is configured") {
  World world("sandbox: none, limits: {max_timeout: 200ms, grace: 50ms}");
  const auto late =
      world.shell(R"({"command":"trap '' TERM; sleep 1000","terminate_after_seconds":800})");
  CHECK(World::text(late).find("its time was over") != std::string::npos);
}

TEST_CASE("cancelling a call ends its command and what that started") {
  World world("sandbox: none, limits: {grace: 50ms}");
  Run run = world.begin("run_shell_command",
                        R"({"command":"echo $$ > pid; trap '' TERM; sh -c 'echo $$ > child; )"
                        R"(sleep 1000; sleep 1000' & wait; sleep 1000"})");
  const auto pid_in = [&](const char* name) {
    std::ifstream file(world.folder.path() / "ann" / name);
    int pid = 0;
    file >> pid;
    return pid;
  };
  REQUIRE(eventually([&] { return pid_in("child") > 0; }));
  const pid_t own = pid_in("pid");
  const pid_t child = pid_in("child");
  run.stream().close(Error{Code::Cancelled, "enough", {}});
  CHECK(goes_away(own));
  CHECK(goes_away(child));
  CHECK(run.all().empty());
}

TEST_CASE("stopping the plugin leaves no command behind") {
  auto world = std::make_unique<World>("sandbox: none, limits: {grace: 50ms}");
  CHECK(world
            ->shell(R"({"command":"trap '' TERM; sleep 173205; sleep 173205",)"
                    R"("run_in_background":true})")
            .content.size() == 1);
  const Run run = world->begin("run_shell_command", R"({"command":"sleep 173206"})");
  REQUIRE(eventually([] { return processes_with("sleep 173206") > 0; }));
  world->kernel.stop();
  CHECK(eventually([] { return processes_with("17320") == 0; }));  // killed, and so about to go
}

TEST_CASE("a background command: start, poll, write, end") {
  World world;
  CHECK(World::text(
            world.shell(R"({"command":"echo ready; read line; echo got $line; exit 3","wait":20,)"
                        R"("run_in_background":true})"))
            .starts_with("ready\n[bg1: running for"));
  CHECK(world.process(R"({"action":"poll","session_id":"bg1"})").starts_with("[bg1: running"));
  CHECK(world.process(R"({"action":"list"})").find("bg1  running for") == 0);
  CHECK(world.process(R"({"action":"submit","session_id":"bg1","data":"word"})") ==
        "5 bytes written");
  std::string rest;
  REQUIRE(eventually([&] {
    rest += world.process(R"({"action":"poll","session_id":"bg1","wait":5})");
    return rest.find("exit code 3") != std::string::npos;
  }));
  CHECK(rest.find("got word\n") != std::string::npos);
  CHECK(rest.find("ready") == std::string::npos);  // poll tells what is new
  CHECK(world.process(R"({"action":"log","session_id":"bg1"})") ==
        "ready\ngot word\n[bg1: exit code 3]");
  CHECK(world.process(R"({"action":"log","session_id":"bg1","offset":1,"limit":1})")
            .starts_with("got word\n["));
  CHECK(world.process(R"({"action":"clear"})") == "1 ended commands cleared");
  CHECK(world.process(R"({"action":"list"})") == "This session has no background commands.");
}

TEST_CASE("keys interrupt and end a background command") {
  World world;
  const auto start = [&](const char* command) {
    return world.shell(std::string(R"({"run_in_background":true,"wait":20,"command":")") + command +
                       "\"}");
  };
  start("trap 'echo stop; exit 5' INT; echo go; while :; do sleep 0.01; done");
  CHECK(world.process(R"({"action":"send-keys","session_id":"bg1","keys":["C-c"]})") ==
        "1 key sent");
  REQUIRE(eventually([&] {
    return world.process(R"({"action":"log","session_id":"bg1"})") ==
           "go\nstop\n[bg1: exit code 5]";
  }));
  start("echo go; cat; echo end");
  CHECK(world.process(R"({"action":"send-keys","session_id":"bg2","keys":["a","enter","C-d"]})") ==
        "2 bytes written, standard input closed");
  REQUIRE(eventually([&] {
    return world.process(R"({"action":"log","session_id":"bg2"})") ==
           "go\na\nend\n[bg2: exit code 0]";
  }));
}

TEST_CASE("killing and removing") {
  World world("sandbox: none, limits: {grace: 50ms}");
  world.shell(R"({"command":"trap '' TERM; echo ready; sleep 223606; sleep 223606","wait":20,)"
              R"("run_in_background":true})");
  CHECK(world.process(R"({"action":"kill","session_id":"bg1"})") ==
        "[bg1: killed; signal 9 (KILL)]");
  CHECK(world.process(R"({"action":"remove","session_id":"bg1"})").find("bg1: killed") !=
        std::string::npos);
  world.shell(R"({"command":"sleep 223606","run_in_background":true})");
  world.process(R"({"action":"remove","session_id":"bg2"})");
  CHECK(eventually([] { return processes_with("sleep 223606") == 0; }));
  CHECK(world.process(R"({"action":"list"})") == "This session has no background commands.");
}

TEST_CASE("nobody sees, reads, writes or kills what is another's") {
  World world;
  world.shell(R"({"command":"echo secret; cat","run_in_background":true,"wait":20})");
  for (const auto& [principal, session] :
       {std::pair("bob", "s"), std::pair("ann", "other"), std::pair("", "s")}) {
    INFO(principal << "/" << session);
    CHECK(world.process(R"({"action":"list"})", principal, session) ==
          "This session has no background commands.");
    for (const char* action : {"poll", "log", "write", "submit", "paste", "kill", "remove"}) {
      const auto result =
          world.call("process", R"({"action":")" + std::string(action) + R"(","session_id":"bg1"})",
                     principal, session);
      CHECK(result.is_error);
      CHECK(World::text(result).find("not_found") == 0);
    }
    CHECK(world.process(R"({"action":"clear"})", principal, session) == "0 ended commands cleared");
  }
  CHECK(world.process(R"({"action":"list"})").find("bg1  running") == 0);
  // Names that would look alike if they were only put together.
  CHECK(world.process(R"({"action":"list"})", "ann/s", "").find("failed_precondition") == 0);
  CHECK(world.process(R"({"action":"list"})", "a", "nn/s") ==
        "This session has no background commands.");
}

TEST_CASE("commands are bounded in number") {
  World world("sandbox: none, limits: {running: 3, background: 2}");
  const auto start = [&](const char* session) {
    return world.call("run_shell_command",
                      R"({"command":"exec sleep 1000","run_in_background":true})", "ann", session);
  };
  CHECK_FALSE(start("s").is_error);
  CHECK_FALSE(start("s").is_error);
  CHECK(World::text(start("s")).find("resource_exhausted: 2 commands run in the background") == 0);
  // The one that was refused is gone again, and so there is room for another session's.
  REQUIRE(eventually([&] { return !start("t").is_error; }));
  CHECK(World::text(start("u")).find("resource_exhausted: 3 commands run already") == 0);
  CHECK(World::text(world.shell(R"({"command":"true"})")).find("resource_exhausted") == 0);
  world.process(R"({"action":"kill","session_id":"bg1"})");
  CHECK_FALSE(world.shell(R"({"command":"true"})").is_error);
}

TEST_CASE("without a session nothing goes on in the background") {
  World world;
  const auto result =
      world.call("run_shell_command", R"({"command":"true","run_in_background":true})", "ann", "");
  CHECK(World::text(result).find("failed_precondition") == 0);
  CHECK_FALSE(world.call("run_shell_command", R"({"command":"true"})", "ann", "").is_error);
}

TEST_CASE("arguments that do not fit are told") {
  World world;
  CHECK(World::text(world.shell(R"({"command":"ls","cwd":"/"})")).find("unknown arguments: cwd") !=
        std::string::npos);
  CHECK(World::text(world.shell(R"({"command":7})")).find("invalid_argument") == 0);
  CHECK(world.process(R"({"action":"dance"})").find("there is no action 'dance'") !=
        std::string::npos);
  CHECK(world.process(R"({"action":"poll","session_id":"bg9"})").find("there are none") !=
        std::string::npos);
  CHECK(World::text(world.shell(R"({"command":"pwd","working_directory":"none"})"))
            .find("not_found: working_directory 'none'") == 0);
}

TEST_CASE("a sandbox that is not there is told with its cure, and shows in the health") {
  World world("bubblewrap: /nonexistent/bwrap");
  const Error error = world.failure(R"({"command":"true"})");
  CHECK(error.code == Code::Unavailable);
  CHECK(error.message.find("/nonexistent/bwrap cannot be run") != std::string::npos);
  CHECK(error.message.find("install the package bubblewrap") != std::string::npos);
}

TEST_CASE("a tool that needs a sandbox is listed as unavailable until it is there") {
  testkit::TempDir folder;
  const std::string program = (folder.path() / "bwrap").string();
  World world("bubblewrap: '" + program + "'");
  const auto listed = [&] {
    const auto list = world.kernel.host().bus().call_wait<ToolList>({});
    REQUIRE(list.ok());
    REQUIRE((*list)->tools.size() == 2);
    CHECK((*list)->tools[1].name == "process");
    CHECK((*list)->tools[1].unavailable.empty());
    CHECK((*list)->tools[0].name == "run_shell_command");
    return (*list)->tools[0].unavailable;
  };
  CHECK(listed().find(program + " cannot be run") != std::string::npos);
  CHECK(listed().find("install the package bubblewrap") != std::string::npos);
  const auto installed = folder.write("bwrap", "#!/bin/sh\n");
  REQUIRE(::chmod(installed.c_str(), 0700) == 0);
  CHECK(listed().empty());
}

TEST_CASE("a sandbox that cannot be made is told with the reason, in the background too") {
  testkit::TempDir folder;
  const auto fake = folder.write(
      "bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n");
  REQUIRE(::chmod(fake.c_str(), 0700) == 0);
  World world("bubblewrap: '" + fake.string() + "'");
  for (const char* arguments :
       {R"({"command":"true"})", R"({"command":"true","run_in_background":true})"}) {
    const Error error = world.failure(arguments);
    CHECK(error.code == Code::Unavailable);
    CHECK(error.message.find("No permissions to create new namespace") != std::string::npos);
    CHECK(error.message.find("user namespaces") != std::string::npos);
  }
}

TEST_CASE("only named plugins may run commands; the engine alone unless configured") {
  testkit::InProcessKernel kernel({"plugins: {tools_shell: {config: {sandbox: none}}}"});
  REQUIRE(kernel.start().ok());
  CHECK((*kernel.host().bus().call_wait<ToolList>({}))->tools.empty());
  const Run run(kernel.host(),
                World::request("run_shell_command", R"({"command":"true"})", "ann", "s"));
  REQUIRE(run.wait_for_end(kLimit));
  CHECK(run.ends().front().code == Code::NotFound);
}

TEST_CASE("the tools are described as what they are") {
  World world;
  const auto list = world.kernel.host().bus().call_wait<ToolList>({});
  REQUIRE(list.ok());
  REQUIRE((*list)->tools.size() == 2);
  for (const ToolDescription& tool : (*list)->tools) {
    CHECK_FALSE(tool.read_only);
    CHECK(tool.destructive);
    CHECK(tool.input_schema.text.find(R"("additionalProperties":false)") != std::string::npos);
  }
}
