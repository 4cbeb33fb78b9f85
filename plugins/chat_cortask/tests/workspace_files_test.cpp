// SPDX-License-Identifier: Apache-2.0
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "records.hpp"
#include "seal.hpp"
#include "turn_input.hpp"
#include "workspace_files.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

namespace fs = std::filesystem;

/// A workspace "w" with a neighbour whose name begins alike, and links out of it.
struct Place {
  testkit::TempDir folder;
  std::string root = (folder.path() / "w").string();

  Place() {
    fs::create_directories(fs::path(root) / "sub");
    fs::create_directories(folder.path() / "w-x");
    write(folder.path() / "w-x" / "secret.txt", "secret");
    write(fs::path(root) / "notes.txt", "two\nlines");
    write(fs::path(root) / ".hidden", "hidden");
    fs::create_symlink(folder.path() / "w-x" / "secret.txt", fs::path(root) / "out.txt");
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
  CHECK(*read_file(place.root, "notes.txt", 1000) == "two\nlines");
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
    const std::string text = *read_file(place.root, "both.txt", kSize);
    REQUIRE(text.size() == kSize);
    REQUIRE(text.find_first_not_of(text.front()) == std::string::npos);
  }
}

TEST_CASE("files are written, moved and removed below the root only") {
  const Place place;
  CHECK(write_file(place.root, "a/b/c.txt", "x").ok());
  CHECK(*read_file(place.root, "a/b/c.txt", 10) == "x");
  CHECK(write_file(place.root, "../w-x/new.txt", "x").error().code == Code::PermissionDenied);
  CHECK(write_file(place.root, "out.txt", "mine").ok());  // the link goes, what it named stays
  CHECK(*read_file(place.folder.path().string() + "/w-x", "secret.txt", 10) == "secret");
  CHECK(rename_path(place.root, "a/b/c.txt", "d/e.txt").ok());
  CHECK(rename_path(place.root, "d/e.txt", "../w-x/e.txt").error().code == Code::PermissionDenied);
  CHECK(remove_path(place.root, "a").ok());
  CHECK_FALSE(fs::exists(fs::path(place.root) / "a"));
  CHECK(remove_path(place.root, "a").error().code == Code::NotFound);
  CHECK(remove_path(place.root, "../w-x").error().code == Code::PermissionDenied);
  CHECK(fs::exists(place.folder.path() / "w-x" / "secret.txt"));
}

TEST_CASE("the tree has folders first and hides what nobody wants to see") {
  const Place place;
  REQUIRE(write_file(place.root, "sub/deep/x.txt", "x").ok());
  REQUIRE(write_file(place.root, "node_modules/y.js", "y").ok());
  const auto tree = list_tree(place.root, 2);
  REQUIRE(tree.ok());
  std::string rows;
  for (const TreeEntry& entry : *tree) rows += entry.path + ' ';
  CHECK(rows == "sub sub/deep notes.txt ");
  CHECK(list_tree(place.root, 3)->size() == 4);
}

TEST_CASE("a referenced file is shown, or why it is not") {
  const Place place;
  CHECK(referenced_file(place.root, "notes.txt") == "[File: notes.txt]\n```\ntwo\nlines\n```");
  CHECK(referenced_file(place.root, "gone.txt") ==
        "[File: gone.txt]\n(File not found or unreadable)");
  CHECK(referenced_file(place.root, "../w-x/secret.txt").empty());
  Place::write(fs::path(place.root) / "big.txt", std::string(50 * 1024 + 1, 'x'));
  CHECK(referenced_file(place.root, "big.txt") ==
        "[File: big.txt]\n(Skipped — file exceeds 50KB limit)");
  Place::write(fs::path(place.root) / "fence.md", "```\ncode\n```\n");
  CHECK(referenced_file(place.root, "fence.md") == "[File: fence.md]\n````\n```\ncode\n```\n````");
}

TEST_CASE("a workspace lies where the configuration allows it") {
  const Place place;
  const std::string data = (place.folder.path() / "data").string();
  const std::vector<std::string> folders{(place.folder.path() / "w").string()};
  const auto made = prepare_root(data, folders, "");
  REQUIRE(made.ok());
  CHECK(fs::is_directory(*made));
  CHECK(prepare_root(data, folders, place.root + "/sub").ok());
  CHECK(prepare_root(data, folders, *made).ok());
  CHECK_FALSE(prepare_root(data, folders, (place.folder.path() / "w-x").string()).ok());
  CHECK_FALSE(prepare_root(data, folders, place.root + "/gone").ok());
  CHECK_FALSE(prepare_root(data, folders, "/").ok());
  fs::create_directories(fs::path(place.root) / ".git" / "x");
  CHECK_FALSE(prepare_root(data, folders, place.root + "/.git/x").ok());
}

TEST_CASE("credentials open with their key and their name only") {
  const testkit::TempDir folder;
  const auto seal = Seal::make("secret", folder.path().string());
  REQUIRE(seal.ok());
  const auto sealed = seal->close("provider.openai.apiKey", "sk-1");
  REQUIRE(sealed.ok());
  CHECK(sealed->find("sk-1") == std::string::npos);
  CHECK(*seal->open("provider.openai.apiKey", *sealed) == "sk-1");
  CHECK(seal->open("provider.google.apiKey", *sealed).error().code == Code::DataLoss);
  CHECK_FALSE(
      Seal::make("other", folder.path().string())->open("provider.openai.apiKey", *sealed).ok());
  const auto own = Seal::make("", folder.path().string());
  REQUIRE(own.ok());
  const auto again = Seal::make("", folder.path().string());
  CHECK(again->open("a", *own->close("a", ""))->empty());
  const auto mode = fs::status(folder.path() / "credentials.key").permissions();
  CHECK(mode == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("periods begin where a calendar has them") {
  constexpr std::int64_t kMarch3 = 1'772'553'600'000;  // 2026-03-03T16:00:00Z
  CHECK(first_day("daily", kMarch3) == "2026-03-03");
  CHECK(first_day("weekly", kMarch3) == "2026-02-25");
  CHECK(first_day("monthly", kMarch3) == "2026-03-01");
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1819) == "1,819");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-100) == "-100");
}

TEST_CASE("ids are random, of version 4") {
  const std::string id = random_uuid();
  CHECK(id.size() == 36);
  CHECK(id[14] == '4');
  CHECK(std::string("89ab").find(id[19]) != std::string::npos);
  CHECK(id != random_uuid());
}

}  // namespace
}  // namespace gantry::chat_cortask
