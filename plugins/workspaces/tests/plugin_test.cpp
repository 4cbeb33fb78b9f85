// SPDX-License-Identifier: Apache-2.0
//
// The plugin in a real kernel: what its contracts keep, and that none of them leads out of a root,
// also while somebody moves folders.
#include <gantry/contracts/workspace.hpp>
#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gantry {
namespace {

namespace fs = std::filesystem;
using testkit::eventually;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A daemon with one workspace of ann's, "work", beside a folder that nobody may see.
class World {
 public:
  World() {
    fs::create_directories(top() / "work/real");
    fs::create_directories(top() / "outside");
    std::ofstream(top() / "work/real/key") << "inside";
    std::ofstream(top() / "outside/key") << "secret";
    start();
    WorkspaceCreateRequest request;
    request.principal = "ann";
    request.name = "work";
    request.root = (top() / "work").string();
    work = call<WorkspaceCreate>(request)->id;
  }
  void start() {
    kernel_.emplace(testkit::KernelSetup{
        .config = "plugins:\n  store: {config: {path: " + (top() / "store.db").string() +
                  "}}\n  workspaces: {config: {most: 3, folder: \"" + (top() / "own").string() +
                  "\", folders: [\"" + (top() / "work").string() + "\"]}}\n"});
    REQUIRE(kernel_->start().ok());
  }
  void restart() {
    kernel_.reset();
    start();
  }
  [[nodiscard]] fs::path top() const { return fs::canonical(folder_.path()); }
  Host& host() { return kernel_->host(); }

  template <class C>
  Result<typename C::Response> call(typename C::Request request) {
    auto answer = host().bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }
  template <class C>
  Code code_of(typename C::Request request) {
    const auto answer = call<C>(std::move(request));
    return answer.ok() ? Code::Ok : answer.error().code;
  }
  Result<std::string> read(const std::string& path) {
    GANTRY_ASSIGN(const WorkspaceFile file, call<WorkspaceRead>({"ann", work, path}));
    return std::string(file.content.text());
  }
  Code write(const std::string& path) {
    return code_of<WorkspaceWrite>({"ann", work, path, Buffer::copy("written")});
  }
  std::vector<std::string> outside() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(top() / "outside")) {
      out.push_back(entry.path().filename().string());
    }
    return out;
  }

  std::string work;

 private:
  testkit::TempDir folder_;
  std::optional<testkit::InProcessKernel> kernel_;
};

TEST_CASE("no path of any contract leads out of the root") {
  World world;
  const fs::path work = world.top() / "work";
  fs::create_directory_symlink("../outside", work / "relative");
  fs::create_directory_symlink(world.top() / "outside", work / "absolute");
  fs::create_symlink("../outside/key", work / "file");
  fs::create_symlink("relative/key", work / "chain");
  fs::create_directory_symlink("/proc/self/root", work / "magic");
  fs::create_symlink("../outside/fresh", work / "dangling");
  const std::string out_and_in = "../" + work.filename().string() + "/real/key";
  for (const std::string& path : std::vector<std::string>{
           "../outside/key", "real/../../outside/key", "relative/key", "absolute/key", "file",
           "chain", "magic/etc/passwd", "/etc/passwd", "..", "real/..", out_and_in}) {
    INFO(path);
    CHECK(world.read(path).error().code == Code::PermissionDenied);
    WorkspaceReferencesRequest reference{"ann", world.work, {path}};
    CHECK(world.call<WorkspaceReferences>(reference)->references.front().outcome ==
          ReferenceOutcome::Outside);
  }
  CHECK(world.read((work / "real/key").string()).error().code == Code::PermissionDenied);
  for (const std::string path : {"../outside/new", "relative/new", "absolute/new/deep/er",
                                 "magic/tmp/new", "/tmp/new", "real/../../outside/new"}) {
    INFO(path);
    CHECK(world.write(path) == Code::PermissionDenied);
    CHECK(world.code_of<WorkspaceMove>({"ann", world.work, "real/key", path}) ==
          Code::PermissionDenied);
    CHECK(world.code_of<WorkspaceMove>({"ann", world.work, path, "real/taken"}) ==
          Code::PermissionDenied);
    CHECK(world.code_of<WorkspaceRemove>({"ann", world.work, path}) == Code::PermissionDenied);
  }
  // A link itself is the workspace's: it goes, and what it named stays.
  CHECK(world.write("dangling") == Code::Ok);
  CHECK(world.code_of<WorkspaceRemove>({"ann", world.work, "absolute"}) == Code::Ok);
  CHECK(world.outside() == std::vector<std::string>{"key"});
  CHECK(content_of(world.top() / "outside/key") == "secret");
  const auto tree = world.call<WorkspaceTree>({"ann", world.work, 5});
  REQUIRE(tree.ok());
  for (const WorkspaceEntry& entry : tree->entries) {
    CHECK((entry.path == "real" || entry.path == "real/key" || entry.path == "dangling"));
  }
}

TEST_CASE("hidden names are not there") {
  World world;
  std::ofstream(world.top() / "work/.env") << "TOKEN=1";
  fs::create_directories(world.top() / "work/.git");
  std::ofstream(world.top() / "work/.git/config") << "x";
  for (const std::string path : {".env", ".git/config", "real/../.env", "./.env"}) {
    INFO(path);
    CHECK_FALSE(world.read(path).ok());
  }
  CHECK(world.read("./real//key").ok());
}

/// "door" is in turn the workspace's own folder and a link to what lies outside.
class Swapper {
 public:
  explicit Swapper(const fs::path& work) : work_(work) {
    fs::create_directories(work / "room");
    std::ofstream(work / "room/key") << "inside";
    fs::create_directory_symlink("../outside", work / "trap");
    thread_ = std::thread([this] {
      while (!over_) {
        swap("room");
        swap("trap");
      }
    });
  }
  ~Swapper() {
    over_ = true;
    thread_.join();
  }

 private:
  void swap(const char* what) {
    std::error_code ignored;
    fs::rename(work_ / what, work_ / "door", ignored);
    std::this_thread::yield();
    fs::rename(work_ / "door", work_ / what, ignored);
  }
  fs::path work_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST_CASE("nobody who moves folders meanwhile gets anything out, or in") {
  World world;
  std::atomic<int> inside = 0;
  std::atomic<int> refused = 0;
  {
    const Swapper swapper(world.top() / "work");
    // Until both were met often enough: the folder as it is, and the link in its place.
    const bool met = eventually([&] {
      for (int i = 0; i < 20; ++i) {
        const auto read = world.read("door/key");
        if (read.ok()) {
          CHECK(*read == "inside");
          ++inside;
        } else if (read.error().code == Code::PermissionDenied) {
          ++refused;
        }
        (void)world.write("door/new");
        (void)world.call<WorkspaceMove>({"ann", world.work, "real/key", "door/moved"});
        (void)world.call<WorkspaceMove>({"ann", world.work, "door/moved", "real/key"});
        (void)world.call<WorkspaceRemove>({"ann", world.work, "door/new"});
      }
      return inside >= 20 && refused >= 20;
    });
    CHECK(met);
  }
  CHECK(world.outside() == std::vector<std::string>{"key"});
  CHECK(content_of(world.top() / "outside/key") == "secret");
}

TEST_CASE("a principal sees its own workspaces only") {
  World world;
  CHECK(world.call<WorkspaceList>({"bob"})->workspaces.empty());
  CHECK(world.code_of<WorkspaceGet>({"bob", world.work}) == Code::NotFound);
  CHECK(world.code_of<WorkspaceRead>({"bob", world.work, "real/key"}) == Code::NotFound);
  CHECK(world.code_of<WorkspaceDelete>({"bob", world.work}) == Code::Ok);
  WorkspaceChangeRequest change;
  change.principal = "bob";
  change.workspace = world.work;
  change.name = "mine";
  CHECK(world.code_of<WorkspaceChange>(change) == Code::NotFound);
  CHECK(world.call<WorkspaceList>({"ann"})->workspaces.size() == 1);
}

TEST_CASE("workspaces outlive the daemon, with model and policy") {
  World world;
  WorkspaceChangeRequest change;
  change.principal = "ann";
  change.workspace = world.work;
  change.name = " Play ";
  change.model = "llm_scripted/other";
  change.policy = WorkspacePolicy{ApprovalMode::Deny, {}, {}, {"web_*"}};
  {
    testkit::EventProbe<WorkspaceChanged> changes(world.host());
    REQUIRE(world.code_of<WorkspaceChange>(change) == Code::Ok);
    CHECK(changes.wait(1));
  }
  world.restart();
  const auto kept = world.call<WorkspaceGet>({"ann", "Play"});
  REQUIRE(kept.ok());
  CHECK(kept->id == world.work);
  CHECK(kept->model == "llm_scripted/other");
  CHECK(kept->policy.act == ApprovalMode::Deny);
  CHECK_FALSE(kept->policy.execute);
  CHECK(kept->policy.deny == std::vector<std::string>{"web_*"});
  CHECK(kept->root == (world.top() / "work").string());
}

TEST_CASE("workspaces are made, sorted, limited and forgotten") {
  World world;
  const auto made = world.call<WorkspaceCreate>({"ann", "Second", {}, {}, {}, {}});
  REQUIRE(made.ok());
  CHECK(fs::is_directory(made->root));
  CHECK(made->root.starts_with((world.top() / "own").string() + "/"));
  CHECK(world.code_of<WorkspaceCreate>({"ann", " ", {}, {}, {}, {}}) == Code::InvalidArgument);
  const auto out =
      world.call<WorkspaceCreate>({"ann", "Out", (world.top() / "outside").string(), {}, {}, {}});
  REQUIRE_FALSE(out.ok());
  CHECK(out.error().message.starts_with("root must lie in"));
  REQUIRE(world.call<WorkspaceCreate>({"ann", "Third", {}, {}, {}, {}}).ok());
  CHECK(world.code_of<WorkspaceCreate>({"ann", "Fourth", {}, {}, {}, {}}) ==
        Code::ResourceExhausted);
  const auto sorted =
      world.call<WorkspaceSort>({"ann", {made->id, world.work, "unknown", made->id}});
  REQUIRE(sorted.ok());
  CHECK(sorted->workspaces.at(0).id == made->id);
  CHECK(sorted->workspaces.at(1).id == world.work);
  CHECK(world.code_of<WorkspaceDelete>({"ann", made->id}) == Code::Ok);
  CHECK(world.code_of<WorkspaceDelete>({"ann", made->id}) == Code::Ok);
  CHECK(world.call<WorkspaceList>({"ann"})->workspaces.size() == 2);
  CHECK(fs::is_directory(made->root));
}

TEST_CASE("workspaces that were kept elsewhere are taken over once, where they may be") {
  World world;
  Workspace old;
  old.id = "old";
  old.name = "Old";
  old.root = (world.top() / "work/real").string();
  Workspace bad = old;
  bad.id = "bad";
  bad.root = (world.top() / "outside").string();
  Workspace known = old;
  known.id = world.work;
  known.name = "changed";
  const auto rows = world.call<WorkspaceImport>({"ann", {}, {old, bad, known}});
  REQUIRE(rows.ok());
  CHECK(rows->workspaces.size() == 2);
  CHECK(world.call<WorkspaceGet>({"ann", "old"})->name == "Old");
  CHECK(world.call<WorkspaceGet>({"ann", world.work})->name == "work");
  CHECK(world.code_of<WorkspaceGet>({"ann", "bad"}) == Code::NotFound);
}

}  // namespace
}  // namespace gantry
