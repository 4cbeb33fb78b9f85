// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/store.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sqlite_backend.hpp"
#include "store_plugin.hpp"
#include "sync_queue.hpp"

namespace gantry::store {
namespace {

/// A disk that counts how often it is asked, and can refuse.
class Disk final : public SqliteBackend {
 public:
  Disk(const std::filesystem::path& file, int& asked, const bool& works)
      : SqliteBackend(file), asked_(asked), works_(works) {}
  Result<void> sync() override {
    ++asked_;
    return works_ ? SqliteBackend::sync() : unavailable("the disk is broken");
  }

 private:
  int& asked_;
  const bool& works_;
};

struct Bench {
  Bench() {
    auto opened =
        Store::open(std::make_unique<Disk>(folder.path() / "store.db", asked, disk_works));
    REQUIRE(opened.ok());
    store = std::move(*opened);
  }
  void add(int number) {
    queue->add(store, [this, number](const Result<void>& synced) {
      (synced.ok() ? done : failed).push_back(number);
    });
  }

  testkit::TempDir folder;
  testkit::FakeHost kit;
  int asked = 0;
  bool disk_works = true;
  std::shared_ptr<Store> store;
  std::shared_ptr<SyncQueue> queue = std::make_shared<SyncQueue>(kit.host());
  std::vector<int> done, failed;
};

TEST_CASE("who waits for the disk at the same time waits once, and not before it is asked") {
  Bench bench;
  for (const int number : {1, 2, 3}) bench.add(number);
  CHECK(bench.done.empty());
  bench.kit.pump();
  CHECK(bench.done == std::vector<int>{1, 2, 3});
  CHECK(bench.asked == 1);
  bench.add(4);
  bench.kit.pump();
  CHECK(bench.done.back() == 4);
  CHECK(bench.asked == 2);
}

TEST_CASE("who begins to wait while others are told waits for the disk anew") {
  Bench bench;
  bench.queue->add(bench.store, [&](const Result<void>&) { bench.add(2); });
  bench.kit.pump();
  CHECK(bench.done == std::vector<int>{2});
  CHECK(bench.asked == 2);
}

TEST_CASE("all that waited are told when the disk refuses, and later ones when it works again") {
  Bench bench;
  bench.disk_works = false;
  bench.add(1);
  bench.add(2);
  bench.kit.pump();
  CHECK(bench.failed == std::vector<int>{1, 2});
  bench.disk_works = true;
  bench.add(3);
  bench.kit.pump();
  CHECK(bench.done == std::vector<int>{3});
}

TEST_CASE("whoever stops sees to those that wait") {
  Bench bench;
  bench.add(1);
  bench.queue->finish();
  CHECK(bench.done == std::vector<int>{1});
  bench.kit.pump();
  CHECK(bench.asked == 1);
}

/// Nothing else takes the log's pages over while the store is open.
TEST_CASE("the write-ahead log is taken over into the database again and again") {
  const testkit::TempDir folder;
  testkit::FakeHost kit;
  const std::filesystem::path file = folder.path() / "store.db";
  REQUIRE(kit.load<StorePlugin>("store", R"({"path":")" + file.string() + "\"}").ok());
  const std::string body = '"' + std::string(40'000, 'x') + '"';
  constexpr int kEntries = 1'500;  // some 16,000 pages
  for (int i = 0; i < kEntries; ++i) {
    const auto answer = kit.host().bus().call_wait<StoreAppend>(
        {"s1", {{"note", Json(body)}}, std::nullopt, false});
    REQUIRE(answer.ok());
  }
  kit.pump();
  CHECK(std::filesystem::file_size(file) > std::uintmax_t{40'000} * kEntries / 2);
  CHECK(std::filesystem::file_size(file.string() + "-wal") < 24'000'000);
}

}  // namespace
}  // namespace gantry::store
