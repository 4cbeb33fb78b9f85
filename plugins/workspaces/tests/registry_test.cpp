// SPDX-License-Identifier: Apache-2.0
//
// Changes that come before the ones before them have been written.
#include "registry.hpp"

#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gantry::workspaces {
namespace {

namespace fs = std::filesystem;

/// A registry on a store in memory, which answers when the test says so.
class Books {
 public:
  Books() {
    auto& bus = kit_.host("store").bus();
    REQUIRE(
        bus.serve<StoreWrite>([this](const StoreWriteRequest& request) { return write(request); })
            .ok());
    settings_.folder = (top() / "own").string();
    settings_.folders = {(top() / "shared").string()};
    settings_.most = 2;
    fs::create_directories(top() / "shared");
  }
  [[nodiscard]] fs::path top() const { return fs::canonical(folder_.path()); }
  void pump() { kit_.pump(); }

  Workspace make(const std::string& principal, const std::string& root = {}) {
    std::optional<Result<Workspace>> made;
    registry.create({principal, "w", root, {}, {}, {}}, [&](auto result) { made = result; });
    pump();
    REQUIRE(made.has_value());
    REQUIRE(made->ok());
    return **made;
  }
  /// Changes it, and does not wait for the answer.
  void change(const Workspace& which, std::optional<WorkspacePolicy> policy, bool opened) {
    WorkspaceChangeRequest request;
    request.principal = which.principal;
    request.workspace = which.id;
    request.policy = std::move(policy);
    request.opened = opened;
    registry.change(request, [this](const auto& result) { note(result); });
  }
  template <class T>
  void note(const Result<T>& result) {
    codes.push_back(result.ok() ? Code::Ok : result.error().code);
  }
  /// What was written, as it is now.
  [[nodiscard]] const std::map<std::string, std::string>& stored() const { return stored_; }

 private:
  Result<StoreWritten> write(const StoreWriteRequest& request) {
    synced = synced && request.sync;
    for (const StoreChange& change : request.changes) {
      stored_.erase(change.key);
      if (change.body) stored_[change.key] = change.body->text;
    }
    return StoreWritten{};
  }

  testkit::TempDir folder_;
  testkit::FakeHost kit_;
  Settings settings_;
  std::map<std::string, std::string> stored_;

 public:
  Registry registry{kit_.host("workspaces"), settings_};
  std::vector<Code> codes;  // of what was answered, in order
  bool synced = true;       // all writes until now
};

TEST_CASE("of two changes at once neither takes the other back") {
  Books books;
  const Workspace made = books.make("ann");
  books.change(made, WorkspacePolicy{ApprovalMode::Deny, {}, {}, {}}, false);
  books.change(made, {}, true);
  books.registry.sort({"ann", {made.id}}, [&](const auto& result) { books.note(result); });
  books.pump();
  CHECK(books.codes == std::vector<Code>(3, Code::Ok));
  const Workspace* kept = books.registry.find("ann", made.id);
  REQUIRE(kept != nullptr);
  CHECK(kept->policy.act == ApprovalMode::Deny);
  CHECK(kept->place == 1);
  const auto stored = from_json<Workspace>(books.stored().at(made.id));
  REQUIRE(stored.ok());
  CHECK(stored->policy.act == ApprovalMode::Deny);
  CHECK(stored->place == 1);
}

TEST_CASE("what is being forgotten does not come back") {
  Books books;
  const Workspace made = books.make("ann");
  books.registry.remove({"ann", made.id}, [&](const auto& result) { books.note(result); });
  books.change(made, {}, true);
  books.registry.sort({"ann", {made.id}}, [&](const auto& result) { books.note(result); });
  books.pump();
  CHECK(books.codes == std::vector<Code>{Code::Ok, Code::NotFound, Code::Ok});
  CHECK(books.registry.find("ann", made.id) == nullptr);
  CHECK(books.stored().empty());
}

TEST_CASE("what is answered has reached the disk") {
  Books books;
  books.change(books.make("ann"), {}, true);
  books.pump();
  CHECK(books.codes == std::vector<Code>{Code::Ok});
  CHECK(books.synced);
}

TEST_CASE("no more are made at once than are kept") {
  Books books;
  for (int i = 0; i < 4; ++i) {
    books.registry.create({"ann", "w", {}, {}, {}, {}},
                          [&](const auto& made) { books.note(made); });
  }
  books.pump();
  CHECK(std::count(books.codes.begin(), books.codes.end(), Code::Ok) == 2);
  CHECK(std::count(books.codes.begin(), books.codes.end(), Code::ResourceExhausted) == 2);
  CHECK(books.registry.list("ann").workspaces.size() == 2);
  CHECK(books.stored().size() == 2);
  const fs::directory_iterator folders(books.top() / "own");
  CHECK(std::distance(fs::begin(folders), fs::end(folders)) == 2);
}

TEST_CASE("nobody's root is another's, or holds it, or lies in it") {
  Books books;
  const fs::path shared = books.top() / "shared";
  fs::create_directories(shared / "ann/notes");
  fs::create_directories(shared / "bob");
  books.make("ann", (shared / "ann").string());
  const Workspace bobs = books.make("bob", (shared / "bob").string());
  for (const fs::path& root : {shared, shared / "ann", shared / "ann/notes"}) {
    INFO(root.string());
    books.codes.clear();
    books.registry.create({"bob", "w", root.string(), {}, {}, {}},
                          [&](const auto& made) { books.note(made); });
    WorkspaceChangeRequest change;
    change.principal = "bob";
    change.workspace = bobs.id;
    change.root = root.string();
    books.registry.change(change, [&](const auto& changed) { books.note(changed); });
    Workspace old;
    old.id = old.name = "old";
    old.root = root.string();
    books.registry.import({"bob", {}, {old}}, [&](const auto& rows) { books.note(rows); });
    books.pump();
    std::sort(books.codes.begin(), books.codes.end());
    CHECK(books.codes == std::vector<Code>{Code::Ok, Code::InvalidArgument, Code::InvalidArgument});
  }
  CHECK(books.registry.list("bob").workspaces.size() == 1);
  // Two of one's own may.
  books.make("ann", (shared / "ann/notes").string());
}

TEST_CASE("what is taken over twice at once is taken over once") {
  Books books;
  Workspace old;
  old.id = "old";
  old.name = "Old";
  old.root = (books.top() / "shared").string();
  Workspace other = old;
  other.name = "Other";
  for (const Workspace& one : {old, other}) {
    books.registry.import({"ann", {}, {one}}, [&](const auto& rows) { books.note(rows); });
  }
  books.pump();
  CHECK(books.codes == std::vector<Code>(2, Code::Ok));
  CHECK(books.registry.find("ann", "old")->name == "Old");
}

}  // namespace
}  // namespace gantry::workspaces
