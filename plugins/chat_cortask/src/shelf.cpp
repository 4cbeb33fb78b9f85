// SPDX-License-Identifier: Apache-2.0
#include "shelf.hpp"

#include <gantry/contracts/store.hpp>

namespace gantry::chat_cortask {
namespace {

constexpr std::int32_t kDocuments = 1000;

}  // namespace

Result<std::map<std::string, Json>> Shelf::read_all() {
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

void Shelf::write(std::vector<Change> changes, Done done) {
  StoreWriteRequest request;
  for (Change& change : changes) {
    StoreChange row;
    row.collection = collection_;
    row.key = std::move(change.first);
    row.body = std::move(change.second);
    request.changes.push_back(std::move(row));
  }
  host_.bus().call<StoreWrite>(std::move(request),
                               [done = std::move(done)](const Result<Ref<StoreWritten>>& written) {
                                 done(written.ok() ? Result<void>() : written.error());
                               });
}

}  // namespace gantry::chat_cortask
