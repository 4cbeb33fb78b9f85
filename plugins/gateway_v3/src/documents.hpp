// SPDX-License-Identifier: Apache-2.0
#pragma once
// Documents of this plugin in the store. Strand only.

#include <gantry/contract.hpp>
#include <gantry/contracts/store.hpp>
#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <optional>
#include <string>
#include <utility>

#include "ask.hpp"

namespace gantry::gateway {

/// All documents of a collection, one after the other.
template <class Body, class Use>
Task<Result<void>> load_all(Host& host, std::string collection, Use use) {
  std::string after;
  for (;;) {
    StoreListRequest request;
    request.collection = collection;
    request.limit = 1000;
    request.after = after;
    const auto page = co_await ask<StoreList>(host, std::move(request));
    if (!page.ok()) co_return page.error();
    for (const StoredDocument& document : (*page)->documents) {
      auto body = from_json<Body>(document.body.text);
      if (!body.ok()) co_return body.error();
      use(document.key, std::move(*body));
      after = document.key;
    }
    if (!(*page)->more || (*page)->documents.empty()) co_return Result<void>();
  }
}

/// Writes all changes or none, if there are any; with `sync` it answers when they have reached the
/// disk.
inline Task<Result<void>> write_documents(Host& host, StoreWriteRequest changes, bool sync) {
  if (changes.changes.empty()) co_return Result<void>();
  changes.sync = sync;
  // Kept here until the answer: where the store frees it, its thread and this one wait for each
  // other at malloc's lock.
  const auto kept = make_body<StoreWriteRequest>(std::move(changes));
  const auto written = co_await completion<Result<Ref<StoreWritten>>>(
      [&host, &kept](auto done) { host.bus().call_shared<StoreWrite>(kept, std::move(done)); });
  if (!written.ok()) co_return written.error();
  co_return Result<void>();
}

/// Writes a document, or with no body removes it.
inline Task<Result<void>> write_document(Host& host, std::string collection, std::string key,
                                         std::optional<Json> body, bool sync) {
  StoreWriteRequest request;
  StoreChange change;
  change.collection = std::move(collection);
  change.key = std::move(key);
  change.body = std::move(body);
  request.changes.push_back(std::move(change));
  auto writing = write_documents(host, std::move(request), sync);
  co_return co_await std::move(writing);
}

}  // namespace gantry::gateway
