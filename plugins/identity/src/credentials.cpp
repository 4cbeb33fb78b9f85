// SPDX-License-Identifier: Apache-2.0
#include "credentials.hpp"

#include <gantry/contracts/store.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace gantry::identity {
namespace {

constexpr std::size_t kRemembered = 10'000;
constexpr std::int64_t kTouchMs = 60'000;

StoreChange put(const Record& record) {
  return {std::string(kRecords), record.hash, Json(to_json(record)), std::nullopt};
}

Error no_such_credential() { return not_found("there is no such credential; list them"); }

Result<Known> known_of(const StoredDocument& document) {
  GANTRY_ASSIGN(Record record, from_json<Record>(document.body.text));
  return Known{std::move(record), document.version};
}

}  // namespace

void Credentials::add(const Record& record, Then<void> then) {
  StoreWriteRequest request;
  request.changes.push_back(put(record));
  request.changes.back().expect_version = 0;
  request.changes.push_back(
      {std::string(kIndex), record.info.credential_id, Json(to_json(IndexEntry{record.hash})), 0});
  request.sync = true;
  host_.bus().call<StoreWrite>(std::move(request), [this, record, then = std::move(then)](
                                                       const Result<Ref<StoreWritten>>& done) {
    if (!done.ok()) return then(done.error());
    remember({record, (*done)->versions.front()});
    then({});
  });
}

const Known* Credentials::remembered(const std::string& hash) {
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return &recent_.front();
}

void Credentials::find(const std::string& hash, const Then<Known>& then) {
  if (const Known* known = remembered(hash)) return then(*known);
  read(hash, [this, then](Result<Known> known) {
    if (known.ok()) remember(*known);
    then(std::move(known));
  });
}

void Credentials::read(const std::string& hash, const Then<Known>& then) {
  host_.bus().call<StoreGet>({std::string(kRecords), {hash}},
                             [then](const Result<Ref<StoreDocuments>>& found) {
                               if (!found.ok()) return then(found.error());
                               if ((*found)->documents.empty()) return then(no_such_credential());
                               then(known_of((*found)->documents.front()));
                             });
}

void Credentials::touch(Known known, std::int64_t now_ms) {
  if (now_ms - known.record.info.last_seen_ms < kTouchMs) return;
  known.record.info.last_seen_ms = now_ms;
  StoreWriteRequest request;
  request.changes.push_back(put(known.record));
  request.changes.back().expect_version = known.version;
  remember(known);  // so that the next use does not write it again
  host_.bus().call<StoreWrite>(std::move(request),
                               [this, known](const Result<Ref<StoreWritten>>& done) mutable {
                                 // It was changed meanwhile, or could not be written: read it anew.
                                 if (!done.ok()) return forget(known.record.hash);
                                 const auto now = by_hash_.find(known.record.hash);
                                 if (now == by_hash_.end()) return;
                                 now->second->version = (*done)->versions.front();
                               });
}

void Credentials::revoke(const std::string& credential_id, const Then<CredentialInfo>& then) {
  host_.bus().call<StoreGet>({std::string(kIndex), {credential_id}},
                             [this, then](const Result<Ref<StoreDocuments>>& found) {
                               if (!found.ok()) return then(found.error());
                               if ((*found)->documents.empty()) return then(no_such_credential());
                               const auto entry =
                                   from_json<IndexEntry>((*found)->documents.front().body.text);
                               if (!entry.ok()) return then(entry.error());
                               read(entry->hash, [this, then](Result<Known> known) {
                                 if (!known.ok()) return then(known.error());
                                 write_revoked(std::move(*known), then);
                               });
                             });
}

void Credentials::write_revoked(Known known, const Then<CredentialInfo>& then) {
  known.record.info.revoked = true;
  StoreWriteRequest request;
  request.changes.push_back(put(known.record));
  request.sync = true;
  host_.bus().call<StoreWrite>(std::move(request),
                               [this, known, then](const Result<Ref<StoreWritten>>& done) {
                                 if (!done.ok()) return then(done.error());
                                 forget(known.record.hash);
                                 then(known.record.info);
                               });
}

struct Credentials::Listing {
  CredentialsRequest request;
  Then<CredentialList> then;
  CredentialList found;
};

void Credentials::list(const CredentialsRequest& request, const Then<CredentialList>& then) {
  auto listing = std::make_shared<Listing>();
  listing->request = request;
  listing->then = then;
  list_more(listing);
}

void Credentials::list_more(const std::shared_ptr<Listing>& listing) {
  StoreListRequest page;
  page.collection = kIndex;
  page.after = listing->request.after;
  host_.bus().call<StoreList>(
      std::move(page), [this, listing](const Result<Ref<StoreDocuments>>& index) {
        if (!index.ok()) return listing->then(index.error());
        StoreGetRequest records;
        records.collection = kRecords;
        for (const StoredDocument& document : (*index)->documents) {
          const auto entry = from_json<IndexEntry>(document.body.text);
          if (!entry.ok()) return listing->then(entry.error());
          records.keys.push_back(entry->hash);
        }
        const bool further = (*index)->more;
        host_.bus().call<StoreGet>(
            std::move(records), [this, listing, further](const Result<Ref<StoreDocuments>>& found) {
              if (!found.ok()) return listing->then(found.error());
              CredentialsRequest& wanted = listing->request;
              for (const StoredDocument& document : (*found)->documents) {
                const Result<Known> known = known_of(document);
                if (!known.ok()) return listing->then(known.error());
                const CredentialInfo& info = known->record.info;
                wanted.after = info.credential_id;
                if (wanted.kind && *wanted.kind != info.kind) continue;
                if (!wanted.subject.empty() && wanted.subject != info.subject) continue;
                if (std::cmp_equal(listing->found.credentials.size(), wanted.limit)) {
                  listing->found.more = true;
                  return listing->then(std::move(listing->found));
                }
                listing->found.credentials.push_back(info);
              }
              if (further) return list_more(listing);
              listing->then(std::move(listing->found));
            });
      });
}

void Credentials::remember(Known known) {
  forget(known.record.hash);
  if (recent_.size() >= kRemembered) {
    by_hash_.erase(recent_.back().record.hash);
    recent_.pop_back();
  }
  const std::string hash = known.record.hash;
  recent_.push_front(std::move(known));
  by_hash_[hash] = recent_.begin();
}

void Credentials::forget(const std::string& hash) {
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return;
  recent_.erase(found->second);
  by_hash_.erase(found);
}

}  // namespace gantry::identity
