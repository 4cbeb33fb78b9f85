// SPDX-License-Identifier: Apache-2.0
// What is kept of cookies that were signed out, on a store of the test.
#include <gantry/contracts/store.hpp>
#include <gantry/testkit/fake_host.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "users.hpp"

namespace gantry::chat_aide {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNsPerMs = 1'000'000;

/// Documents of every collection, by key.
class FakeStore {
 public:
  explicit FakeStore(testkit::FakeHost& kit) {
    Bus& bus = kit.host("store").bus();
    REQUIRE(bus.serve<StoreGet>([this](const StoreGetRequest& request) -> Result<StoreDocuments> {
                 StoreDocuments out;
                 for (const std::string& key : request.keys) {
                   const auto found = documents_.find({request.collection, key});
                   if (found != documents_.end()) out.documents.push_back(found->second);
                 }
                 return out;
               })
                .ok());
    REQUIRE(
        bus.serve<StoreWrite>([this](const StoreWriteRequest& request) { return write(request); })
            .ok());
    REQUIRE(bus.serve<StoreList>([this](const StoreListRequest& request) { return list(request); })
                .ok());
  }

  [[nodiscard]] std::size_t signed_out() const {
    return static_cast<std::size_t>(
        std::count_if(documents_.begin(), documents_.end(),
                      [](const auto& entry) { return entry.second.key.starts_with("out"); }));
  }
  void sign_out(const std::string& collection, int number, std::int64_t expires_ms) {
    char key[16];
    std::snprintf(key, sizeof key, "out%06d", number);
    StoredDocument document;
    document.key = key;
    document.version = 1;
    document.body = Json(to_json(SignedOutRecord{expires_ms}));
    documents_[{collection, key}] = document;
  }

  std::string listed;  // the collection that was looked through
  std::int32_t longest_page = 0;
  int pages = 0;

 private:
  Result<StoreWritten> write(const StoreWriteRequest& request) {
    for (const StoreChange& change : request.changes) {
      if (!change.body) {
        documents_.erase({change.collection, change.key});
        continue;
      }
      StoredDocument document;
      document.key = change.key;
      document.version = 1;
      document.body = *change.body;
      documents_[{change.collection, change.key}] = document;
    }
    return StoreWritten{};
  }

  Result<StoreDocuments> list(const StoreListRequest& request) {
    listed = request.collection;
    longest_page = std::max(longest_page, request.limit);
    ++pages;
    StoreDocuments out;
    for (const auto& [at, document] : documents_) {
      if (at.first != request.collection || at.second <= request.after) continue;
      if (out.documents.size() == static_cast<std::size_t>(request.limit)) {
        out.more = true;
        break;
      }
      out.documents.push_back(document);
    }
    return out;
  }

  std::map<std::pair<std::string, std::string>, StoredDocument> documents_;
};

TEST_CASE("cookies that were signed out are forgotten once they have expired, however many") {
  constexpr int kMany = 1500;
  testkit::FakeHost kit;
  FakeStore store(kit);
  Users users(kit.host("aide"));
  users.load_key();
  kit.pump();
  REQUIRE_FALSE(store.listed.empty());  // it looks at once

  const std::int64_t now_ms = kit.host("aide").wall_ns() / kNsPerMs;
  for (int i = 0; i < kMany; ++i) {
    const bool soon = i % 3 != 0;
    store.sign_out(store.listed, i, now_ms + (soon ? 60'000 : 86'400'000));
  }
  kit.advance(30s);
  CHECK(store.signed_out() == kMany);
  store.pages = 0;
  kit.advance(1h);
  CHECK(store.signed_out() == kMany / 3);
  CHECK(store.longest_page <= 200);
  CHECK(store.pages >= kMany / 200);
  kit.advance(25h);
  CHECK(store.signed_out() == 0);
}

}  // namespace
}  // namespace gantry::chat_aide
