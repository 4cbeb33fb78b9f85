// SPDX-License-Identifier: Apache-2.0
// The tools over the bus: configuration, workspaces, who may call, descriptions.
#include <gantry/contracts/tool.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include "files_plugin.hpp"
#include "support.hpp"

using namespace gantry;
using namespace gantry::files;
using namespace gantry::files::testing;

namespace {

struct Loaded {
  testkit::TempDir folder;
  fs::path top = fs::canonical(folder.path());
  testkit::FakeHost kit;

  Loaded() {
    fs::create_directories(top / "projects/one");
    fs::create_directories(top / "shared");
    put(top / "shared/note", "for all\n");
    const std::string config = R"({"callers":["agent_engine"],"workspace":")" + top.string() +
                               R"(/own/{principal}","workspaces":[")" + top.string() +
                               R"(/projects"],"roots":[")" + top.string() + R"(/shared",")" +
                               top.string() + R"(/none"]})";
    REQUIRE(kit.load<FilesPlugin>("tools_files", config).ok());
  }
  std::string call(const std::string& name, const std::string& arguments,
                   const std::string& principal = "ann", const std::string& workspace = "") {
    ToolCallRequest request;
    request.name = name;
    request.arguments = Json(arguments);
    request.principal = principal;
    request.workspace = workspace;
    testkit::StreamProbe<ToolRun> run(kit.host("agent_engine"), request);
    kit.pump();
    REQUIRE(run.ends().size() == 1);
    if (run.all().empty()) return run.ends().front().message;
    return text_of(run.all().front().result.value());
  }
};

}  // namespace

TEST_CASE("each principal has files of its own, and there are shared ones") {
  Loaded loaded;
  CHECK(loaded.call("write_file", R"({"file_path":"mine","content":"a"})").find("written") !=
        std::string::npos);
  CHECK(content_of(loaded.top / "own/ann/mine") == "a");
  CHECK(loaded.call("read_file", R"({"file_path":"mine"})") == "a");
  CHECK(loaded.call("read_file", R"({"file_path":"mine"})", "bob").find("not_found") == 0);
  const std::string other = R"({"file_path":")" + loaded.top.string() + R"(/own/ann/mine"})";
  CHECK(loaded.call("read_file", other, "bob").find("permission_denied") == 0);
  CHECK(
      loaded.call("read_file", R"({"file_path":"../ann/mine"})", "bob").find("permission_denied") ==
      0);
  CHECK(loaded.call("read_file", R"({"file_path":")" + loaded.top.string() + R"(/shared/note"})",
                    "bob") == "for all\n");
}

TEST_CASE("a session's own workspace counts where it is admitted") {
  Loaded loaded;
  put(loaded.top / "projects/one/file", "project\n");
  const std::string inside = (loaded.top / "projects/one").string();
  CHECK(loaded.call("read_file", R"({"file_path":"file"})", "ann", inside) == "project\n");
  CHECK(loaded.call("read_file", R"({"file_path":"file"})", "ann", "/").find("not_found") == 0);
  CHECK(loaded.call("read_file", R"({"file_path":"/etc/passwd"})", "ann", "/")
            .find("permission_denied") == 0);
}

TEST_CASE("what is hidden and not there yet is not made") {
  testkit::TempDir folder;
  const fs::path top = fs::canonical(folder.path());
  Settings settings;
  settings.workspace = top.string();
  settings.hidden = {(top / ".ssh").string(), (top / "deep/keys").string(), "", "relative"};
  const auto roots = roots_of(settings, {});
  REQUIRE(roots.ok());
  for (const char* path : {".ssh", ".ssh/authorized_keys", "deep/keys/id", "./.ssh/x/y"}) {
    INFO(path);
    const auto spot = roots->spot(path, true);
    REQUIRE_FALSE(spot.ok());
    CHECK(spot.error().code == Code::PermissionDenied);
  }
  CHECK_FALSE(fs::exists(top / ".ssh"));
  CHECK_FALSE(fs::exists(top / "deep/keys"));
  CHECK(roots->spot("deep/other", true).ok());
}

TEST_CASE("every tool works over the bus") {
  Loaded loaded;
  CHECK(loaded.call("apply_patch", R"({"patch":"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n"})")
            .find("/x made\n") != std::string::npos);
  CHECK(loaded
            .call("replace", R"({"file_path":"x","replacements":[{"old_text":"one",)"
                             R"("new_text":"two"}],"explanation":"why"})")
            .find("changed in 1 place") != std::string::npos);
  CHECK(loaded.call("search_files", R"({"pattern":"two"})") == "x:1: two\n");
  CHECK(loaded.call("list_directory", "{}") == "x  4 bytes\n");
}

TEST_CASE("arguments that do not fit are told") {
  Loaded loaded;
  CHECK(loaded.call("read_file", R"({"path":"x"})").find("unknown arguments: path") !=
        std::string::npos);
  CHECK(loaded.call("read_file", R"({"file_path":7})").find("invalid_argument") == 0);
  CHECK(loaded.call("read_file", "{}").find("invalid_argument") == 0);
  CHECK(loaded.call("replace", R"({"file_path":"x","replacements":[{"old_text":7}]})")
            .find("invalid_argument") == 0);
}

TEST_CASE("a new configuration counts at the next call") {
  Loaded loaded;
  const std::string path = R"({"file_path":")" + loaded.top.string() + R"(/shared/note"})";
  CHECK(loaded.call("read_file", path) == "for all\n");
  REQUIRE(
      loaded.kit.reconfigure("tools_files", R"({"workspace":")" + loaded.top.string() + R"(/own"})")
          .ok());
  CHECK(loaded.call("read_file", path).find("permission_denied") == 0);
}

TEST_CASE("the tools are described as what they are") {
  Loaded loaded;
  const auto list = loaded.kit.host("agent_engine").bus().call_wait<ToolList>({});
  REQUIRE(list.ok());
  std::string readers;
  for (const ToolDescription& tool : (*list)->tools) {
    CHECK_FALSE(tool.open_world);
    CHECK(tool.destructive != tool.read_only);
    CHECK(tool.input_schema.text.find(R"("additionalProperties":false)") != std::string::npos);
    if (tool.read_only) readers += tool.name + " ";
  }
  CHECK((*list)->tools.size() == 6);
  CHECK(readers == "read_file search_files list_directory ");
  CHECK((*loaded.kit.host("mcp").bus().call_wait<ToolList>({}))->tools.empty());
}
