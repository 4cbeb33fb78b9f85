// SPDX-License-Identifier: Apache-2.0
#include <gantry/tools/workspace.hpp>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

using namespace gantry;
using namespace gantry::tools;
namespace fs = std::filesystem;

namespace {

ToolCallRequest call_in(const fs::path& workspace, const char* principal = "ann") {
  ToolCallRequest request;
  request.principal = principal;
  request.workspace = workspace.string();
  return request;
}

}  // namespace

TEST_CASE("a folder holds what lies below it, and not what begins like it") {
  CHECK(lies_within("/top/job", "/top/job"));
  CHECK(lies_within("/top/job/x", "/top/job"));
  CHECK(lies_within("/top/job/x", "/top/job/"));
  CHECK(lies_within("/a", "/"));
  CHECK_FALSE(lies_within("/top/jobs", "/top/job"));
  CHECK_FALSE(lies_within("/top", "/top/job"));
  CHECK_FALSE(lies_within("a/work", "/"));
}

TEST_CASE("principals have folders of their own whatever they are called") {
  CHECK(principal_folder("") == "local");
  CHECK(principal_folder("ann-1_B") == "ann-1_B");
  CHECK(principal_folder("..") == ".2e.2e");
  CHECK(principal_folder("a/../b") == "a.2f.2e.2e.2fb");
  CHECK(principal_folder("a.2fb") != principal_folder("a/b"));
}

TEST_CASE("principal and home are filled in") {
  CHECK(expand_path("/w/{principal}/x", "a b", "/h/a") == "/w/a.20b/x");
  CHECK(expand_path("~/w", "a", "/h/a") == "/h/a/w");
  CHECK(expand_path("~", "a", "/h/a") == "/h/a");
  CHECK(expand_path("/~/w", "a", "/h/a") == "/~/w");
  CHECK(expand_path("~/w", "a", "") == "~/w");  // not a folder at the root
}

TEST_CASE("the home folder is known without HOME") {
  const char* before = std::getenv("HOME");
  const std::string kept = before == nullptr ? "" : before;
  const passwd* user = ::getpwuid(::getuid());
  REQUIRE(user != nullptr);
  ::setenv("HOME", "/from/environment", 1);
  CHECK(home_folder() == "/from/environment");
  ::setenv("HOME", "", 1);
  CHECK(home_folder() == user->pw_dir);
  ::unsetenv("HOME");
  CHECK(home_folder() == user->pw_dir);
  if (before != nullptr) ::setenv("HOME", kept.c_str(), 1);
}

TEST_CASE("the configured workspace is made for its owner alone") {
  testkit::TempDir folder;
  const WorkspaceSettings settings{(folder.path() / "deep/{principal}").string(), {}};
  const auto found = find_workspace(settings, call_in({}));
  REQUIRE(found.ok());
  CHECK(*found == fs::canonical(folder.path() / "deep/ann").string());
  struct stat facts {};
  REQUIRE(::stat(found->c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777U) == 0700);
}

TEST_CASE("a session works where its client says only when that is admitted") {
  testkit::TempDir folder;
  for (const char* name : {"projects/one", "projectsX", "own"}) {
    fs::create_directories(folder.path() / name);
  }
  fs::create_symlink(folder.path() / "projectsX", folder.path() / "projects/link");
  const WorkspaceSettings settings{(folder.path() / "own").string(),
                                   {(folder.path() / "projects").string()}};
  const auto place = [&](const fs::path& asked) {
    const auto found = find_workspace(settings, call_in(asked));
    REQUIRE(found.ok());
    return fs::path(*found).filename().string();
  };
  CHECK(place(folder.path() / "projects/one") == "one");
  CHECK(place(folder.path() / "projects") == "projects");
  CHECK(place(folder.path() / "projectsX") == "own");
  CHECK(place(folder.path() / "projects/../projectsX") == "own");
  CHECK(place(folder.path() / "projects/link") == "own");
  CHECK(place(folder.path() / "projects/none") == "own");
  CHECK(place("projects/one") == "own");
  CHECK(place("/") == "own");
}

TEST_CASE("what cannot be a workspace is told with its cure") {
  testkit::TempDir folder;
  const auto file = folder.write("file", "x");
  const auto of = [](const std::string& path) {
    return find_workspace({path, {}}, call_in({})).error();
  };
  CHECK(of(file.string()).code == Code::FailedPrecondition);
  CHECK(of((file / "below").string()).code == Code::Unavailable);
  CHECK(of("relative").message.find("set `workspace`") != std::string::npos);
}
