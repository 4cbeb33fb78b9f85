// SPDX-License-Identifier: Apache-2.0
#include <gantry/testkit/temp_dir.hpp>
#include <gantry/uuid.hpp>
#include <gantry/workspace_defaults.hpp>

#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "root_folder.hpp"
#include "workspace_files.hpp"

namespace gantry::workspaces {
namespace {

namespace fs = std::filesystem;

/// A workspace "w" with a neighbour whose name begins alike, and links out of it.
struct Place {
  testkit::TempDir folder;
  fs::path top = fs::canonical(folder.path());
  std::string root = (top / "w").string();

  Place() {
    fs::create_directories(fs::path(root) / "sub");
    fs::create_directories(top / "w-x");
    write(top / "w-x" / "secret.txt", "secret");
    write(fs::path(root) / "notes.txt", "two\nlines");
    write(fs::path(root) / ".hidden", "hidden");
    fs::create_symlink(top / "w-x" / "secret.txt", fs::path(root) / "out.txt");
    fs::create_symlink("notes.txt", fs::path(root) / "in.txt");
  }
  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  Code code_of(const std::string& path) const {
    const auto read = read_file(root, path, 1000);
    return read.ok() ? Code::Ok : read.error().code;
  }
};

TEST_CASE("nothing outside of a workspace is read") {
  const Place place;
  CHECK(read_file(place.root, "notes.txt", 1000)->text == "two\nlines");
  CHECK(place.code_of("in.txt") == Code::Ok);
  CHECK(place.code_of("out.txt") == Code::PermissionDenied);
  CHECK(place.code_of("../w-x/secret.txt") == Code::PermissionDenied);
  CHECK(place.code_of("/etc/passwd") == Code::PermissionDenied);
  CHECK(place.code_of(".hidden") == Code::NotFound);
  CHECK(place.code_of("missing") == Code::NotFound);
  CHECK(place.code_of("sub") == Code::NotFound);
  CHECK(place.code_of("") == Code::InvalidArgument);
  CHECK(place.code_of(std::string("a\0b", 3)) == Code::InvalidArgument);
  CHECK(read_file(place.root, "notes.txt", 3).error().code == Code::OutOfRange);
}

TEST_CASE("of two who write one file at once one has written all of it") {
  const Place place;
  constexpr std::size_t kSize = 1 << 20;
  for (int round = 0; round < 20; ++round) {
    Result<void> others;
    std::thread other(
        [&] { others = write_file(place.root, "both.txt", std::string(kSize, 'a')); });
    const Result<void> own = write_file(place.root, "both.txt", std::string(kSize, 'b'));
    other.join();
    REQUIRE(own.ok());
    REQUIRE(others.ok());
    const std::string text = read_file(place.root, "both.txt", kSize)->text;
    REQUIRE(text.size() == kSize);
    REQUIRE(text.find_first_not_of(text.front()) == std::string::npos);
  }
}

TEST_CASE("a file that is written goes through nothing that somebody has put there") {
  const Place place;
  const fs::path secret = place.top / "w-x" / "secret.txt";
  for (int i = 1; i <= 1000; ++i) {
    const std::string draft =
        ".gantry-" + std::to_string(::getpid()) + "-" + std::to_string(i) + "-notes.txt";
    fs::create_hard_link(secret, fs::path(place.root) / draft);
  }
  CHECK(write_file(place.root, "notes.txt", "mine").ok());
  CHECK(read_file((place.top / "w-x").string(), "secret.txt", 10)->text == "secret");
  CHECK(read_file(place.root, "notes.txt", 10)->text == "mine");
}

TEST_CASE("a file that is written stays as open to others as it was") {
  const Place place;
  const fs::path notes = fs::path(place.root) / "notes.txt";
  for (const auto mode : {fs::perms(0600), fs::perms(0775)}) {
    fs::permissions(notes, mode);
    CHECK(write_file(place.root, "notes.txt", "mine").ok());
    CHECK(fs::status(notes).permissions() == mode);
  }
}

TEST_CASE("files are written, moved and removed below the root only") {
  const Place place;
  CHECK(write_file(place.root, "a/b/c.txt", "x").ok());
  CHECK(read_file(place.root, "a/b/c.txt", 10)->text == "x");
  CHECK(write_file(place.root, "../w-x/new.txt", "x").error().code == Code::PermissionDenied);
  CHECK(write_file(place.root, "out.txt", "mine").ok());  // the link goes, what it named stays
  CHECK(read_file((place.top / "w-x").string(), "secret.txt", 10)->text == "secret");
  CHECK(rename_path(place.root, "a/b/c.txt", "d/e.txt").ok());
  CHECK(rename_path(place.root, "d/e.txt", "../w-x/e.txt").error().code == Code::PermissionDenied);
  CHECK(remove_path(place.root, "a").ok());
  CHECK_FALSE(fs::exists(fs::path(place.root) / "a"));
  CHECK(remove_path(place.root, "a").error().code == Code::NotFound);
  CHECK(remove_path(place.root, "../w-x").error().code == Code::PermissionDenied);
  CHECK(fs::exists(place.top / "w-x" / "secret.txt"));
}

TEST_CASE("a root that has become a link leads nowhere") {
  const Place place;
  const fs::path root = place.root;
  fs::rename(root, place.top / "moved");
  fs::create_directory_symlink(place.top / "w-x", root);
  CHECK(place.code_of("secret.txt") == Code::FailedPrecondition);
  CHECK(write_file(place.root, "new.txt", "x").error().code == Code::FailedPrecondition);
  CHECK(list_tree(place.root, 2).error().code == Code::FailedPrecondition);
  CHECK(newest_files(place.root, 2).error().code == Code::FailedPrecondition);
  CHECK(remove_path(place.root, "secret.txt").error().code == Code::FailedPrecondition);
  CHECK(fs::exists(place.top / "w-x" / "secret.txt"));
  CHECK_FALSE(fs::exists(place.top / "w-x" / "new.txt"));
}

TEST_CASE("the tree has folders first and hides what nobody wants to see") {
  const Place place;
  REQUIRE(write_file(place.root, "sub/deep/x.txt", "x").ok());
  REQUIRE(write_file(place.root, "node_modules/y.js", "y").ok());
  fs::create_directory_symlink(place.top / "w-x", fs::path(place.root) / "way");
  const auto tree = list_tree(place.root, 2);
  REQUIRE(tree.ok());
  std::string rows;
  for (const WorkspaceEntry& entry : *tree) rows += entry.path + (entry.folder ? "/ " : " ");
  CHECK(rows == "sub/ sub/deep/ notes.txt ");
  CHECK(list_tree(place.root, 3)->size() == 4);
}

TEST_CASE("a referenced file is read, or it is said why not") {
  const Place place;
  const auto outcome = [&](const std::string& path) {
    return read_reference(place.root, path, 50 * 1024).outcome;
  };
  CHECK(read_reference(place.root, "notes.txt", 100).text == "two\nlines");
  CHECK(outcome("notes.txt") == ReferenceOutcome::Text);
  CHECK(outcome("gone.txt") == ReferenceOutcome::Missing);
  CHECK(outcome("../w-x/secret.txt") == ReferenceOutcome::Outside);
  CHECK(outcome("out.txt") == ReferenceOutcome::Outside);
  Place::write(fs::path(place.root) / "big.txt", std::string(50 * 1024 + 1, 'x'));
  CHECK(outcome("big.txt") == ReferenceOutcome::TooLarge);
  Place::write(fs::path(place.root) / "bytes", "\xFF");
  CHECK(read_reference(place.root, "bytes", 100).text == "\xEF\xBF\xBD");
}

TEST_CASE("a workspace lies where the configuration allows it") {
  const Place place;
  const std::string parent = (place.top / "data/projects").string();
  const std::vector<std::string> folders{(place.top / "w").string()};
  const auto made = prepare_root(parent, folders, "");
  REQUIRE(made.ok());
  CHECK(fs::is_directory(*made));
  CHECK(prepare_root(parent, folders, place.root + "/sub").ok());
  CHECK(prepare_root(parent, folders, *made).ok());
  // All that is made for others lies there.
  CHECK_FALSE(prepare_root(parent, folders, parent).ok());
  CHECK_FALSE(prepare_root(parent, {place.top.string()}, (place.top / "data").string()).ok());
  const std::string hidden = (place.top / ".state/own").string();
  CHECK(prepare_root(hidden, {place.top.string()}, place.top.string()).ok());
  CHECK_FALSE(prepare_root(parent, folders, (place.top / "w-x").string()).ok());
  CHECK_FALSE(prepare_root(parent, folders, place.root + "/gone").ok());
  CHECK_FALSE(prepare_root(parent, folders, "/").ok());
  fs::create_directory_symlink(place.top / "w-x", fs::path(place.root) / "way");
  CHECK_FALSE(prepare_root(parent, folders, place.root + "/way").ok());
  fs::create_directories(fs::path(place.root) / ".git" / "x");
  CHECK_FALSE(prepare_root(parent, folders, place.root + "/.git/x").ok());
}

TEST_CASE("a workspace narrows what a turn may do, and widens nothing") {
  Workspace workspace;
  workspace.root = "/w";
  workspace.model = "usual";
  workspace.policy.act = ApprovalMode::Deny;
  workspace.policy.execute = ApprovalMode::Allow;
  workspace.policy.deny = {"web_*"};
  TurnOptions plain;
  plain.tools.execute = ApprovalMode::Ask;
  plain.tools.network = ApprovalMode::Allow;
  apply_workspace(workspace, plain);
  CHECK(plain.workspace_path == "/w");
  CHECK(plain.model == "usual");
  CHECK(plain.tools.act == ApprovalMode::Deny);
  CHECK(plain.tools.execute == ApprovalMode::Ask);
  CHECK(plain.tools.network == ApprovalMode::Allow);
  CHECK(plain.tools.deny == std::vector<std::string>{"web_*"});
  TurnOptions chosen;
  chosen.workspace_path = "/elsewhere";
  chosen.model = "other";
  apply_workspace(workspace, chosen);
  CHECK(chosen.workspace_path == "/elsewhere");
  CHECK(chosen.model == "other");
}

TEST_CASE("ids are random, of version 4") {
  const std::string id = random_uuid();
  CHECK(id.size() == 36);
  CHECK(id[14] == '4');
  CHECK(std::string("89ab").find(id[19]) != std::string::npos);
  CHECK(id != random_uuid());
}

}  // namespace
}  // namespace gantry::workspaces
