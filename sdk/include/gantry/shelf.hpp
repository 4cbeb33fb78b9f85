// SPDX-License-Identifier: Apache-2.0
#pragma once
// One collection of the store: small, read as a whole at the start, written through. Strand only.

#include <gantry/contracts/store.hpp>
#include <gantry/host.hpp>
#include <gantry/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gantry {

class Shelf {
 public:
  using Done = std::function<void(Result<void>)>;
  using Change = std::pair<std::string, std::optional<Json>>;  // key and body; none: it goes

  Shelf(Host& host, std::string collection) : host_(host), collection_(std::move(collection)) {}

  /// Everything that is there, by key. Waits.
  [[nodiscard]] Result<std::map<std::string, Json>> read_all() {
    constexpr std::int32_t kDocuments = 1000;
    std::map<std::string, Json> out;
    StoreListRequest request;
    request.collection = collection_;
    request.limit = kDocuments;
    for (bool more = true; more;) {
      const auto page = host_.bus().call_wait<StoreList>(request);
      if (!page.ok()) return page.error();
      for (const StoredDocument& row : (*page)->documents) out.emplace(row.key, row.body);
      more = (*page)->more && !(*page)->documents.empty();
      if (more) request.after = (*page)->documents.back().key;
    }
    return out;
  }

  /// All changes, or none; on the disk when `done` is called, for they are rare, and whoever is
  /// answered relies on them.
  void write(std::vector<Change> changes, Done done) {
    StoreWriteRequest request;
    request.sync = true;
    for (Change& change : changes) {
      StoreChange row;
      row.collection = collection_;
      row.key = std::move(change.first);
      row.body = std::move(change.second);
      request.changes.push_back(std::move(row));
    }
    host_.bus().call<StoreWrite>(
        std::move(request), [done = std::move(done)](const Result<Ref<StoreWritten>>& written) {
          done(written.ok() ? Result<void>() : written.error());
        });
  }

 private:
  Host& host_;
  std::string collection_;
};

}  // namespace gantry
