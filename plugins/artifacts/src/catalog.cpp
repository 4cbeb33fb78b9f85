// SPDX-License-Identifier: Apache-2.0
#include "catalog.hpp"

#include <gantry/contracts/store.hpp>

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "blobs.hpp"

namespace gantry::artifacts {
namespace {

/// By id: all there is to know.
constexpr const char* kArtifacts = "artifacts";
/// By the owner's hash and the id: the size. A hash, because an owner's name may hold a slash.
constexpr const char* kByOwner = "by_owner";
/// By the time it was made and the id.
constexpr const char* kByAge = "by_age";
/// By the hash of the bytes and the id.
constexpr const char* kByContent = "by_content";

constexpr std::size_t kMaxOwners = 1000;  // whose use is known

std::string owner_prefix(const std::string& owner) { return sha256_hex(owner) + "/"; }
std::string age_prefix(std::int64_t at_ms) { return fmt::format("{:014}", at_ms); }

/// The part of a key behind its slash.
std::string id_of(const std::string& key) { return key.substr(key.find('/') + 1); }

/// One artifact in every collection; without bodies, to remove it.
std::vector<StoreChange> changes(const ArtifactInfo& info, bool put) {
  const auto body = [put](std::string json) {
    return put ? std::optional<Json>(std::in_place, std::move(json)) : std::nullopt;
  };
  const std::string& id = info.artifact_id;
  return {{kArtifacts, id, body(to_json(info)), std::nullopt},
          {kByOwner, owner_prefix(info.owner) + id, body(std::to_string(info.size_bytes)),
           std::nullopt},
          {kByAge, age_prefix(info.created_ms) + "/" + id, body("1"), std::nullopt},
          {kByContent, info.sha256 + "/" + id, body("1"), std::nullopt}};
}

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Error no_such_artifact() { return not_found("there is no such artifact of yours; upload it"); }

}  // namespace

void Catalog::add(const ArtifactInfo& info, Then<void> then) {
  StoreWriteRequest request{changes(info, true), {}, true};
  request.changes.front().expect_version = 0;
  host_.bus().call<StoreWrite>(std::move(request), [this, info, then = std::move(then)](
                                                       const Result<Ref<StoreWritten>>& done) {
    if (!done.ok()) return then(done.error());
    const auto known = used_.find(info.owner);
    if (known != used_.end()) known->second += info.size_bytes;
    then({});
  });
}

void Catalog::find(const ArtifactRequest& request, Then<ArtifactInfo> then) {
  host_.bus().call<StoreGet>(
      {kArtifacts, {request.artifact_id}},
      [owner = request.owner, then = std::move(then)](const Result<Ref<StoreDocuments>>& found) {
        if (!found.ok()) return then(found.error());
        if ((*found)->documents.empty()) return then(no_such_artifact());
        Result<ArtifactInfo> info = from_json<ArtifactInfo>((*found)->documents[0].body.text);
        if (info.ok() && info->owner != owner) return then(no_such_artifact());
        then(std::move(info));
      });
}

void Catalog::remove(const ArtifactInfo& info, Then<void> then) {
  host_.bus().call<StoreWrite>(
      {changes(info, false), {}, false},
      [this, info, then = std::move(then)](const Result<Ref<StoreWritten>>& done) {
        if (!done.ok()) return then(done.error());
        const auto known = used_.find(info.owner);
        if (known != used_.end()) known->second -= info.size_bytes;
        then({});
      });
}

void Catalog::list(const ArtifactListRequest& request, Then<ArtifactPage> then) {
  StoreListRequest keys{kByOwner, owner_prefix(request.owner), "", request.limit, false, false};
  if (!request.after.empty()) keys.after = keys.prefix + request.after;
  host_.bus().call<StoreList>(std::move(keys), [this, owner = request.owner,
                                                then](const Result<Ref<StoreDocuments>>& found) {
    if (!found.ok()) return then(found.error());
    std::vector<std::string> ids;
    for (const StoredDocument& document : (*found)->documents) ids.push_back(id_of(document.key));
    const bool more = (*found)->more;
    read(std::move(ids), [this, owner, more, then](Result<std::vector<ArtifactInfo>> infos) {
      if (!infos.ok()) return then(infos.error());
      used_by(owner, [more, then, infos = std::move(*infos)](const Result<std::int64_t>& used) {
        if (!used.ok()) return then(used.error());
        then(ArtifactPage{infos, more, *used});
      });
    });
  });
}

void Catalog::read(std::vector<std::string> ids, Then<std::vector<ArtifactInfo>> then) {
  host_.bus().call<StoreGet>({kArtifacts, std::move(ids)},
                             [then = std::move(then)](const Result<Ref<StoreDocuments>>& found) {
                               if (!found.ok()) return then(found.error());
                               std::vector<ArtifactInfo> infos;
                               for (const StoredDocument& document : (*found)->documents) {
                                 Result<ArtifactInfo> info =
                                     from_json<ArtifactInfo>(document.body.text);
                                 if (!info.ok()) return then(info.error());
                                 infos.push_back(std::move(*info));
                               }
                               then(std::move(infos));
                             });
}

struct Catalog::Sum {
  std::string owner;
  std::string after;
  std::int64_t bytes = 0;
  Then<std::int64_t> then;
};

void Catalog::used_by(const std::string& owner, const Then<std::int64_t>& then) {
  const auto known = used_.find(owner);
  if (known != used_.end()) return then(known->second + reserved(owner));
  auto sum = std::make_shared<Sum>();
  sum->owner = owner;
  sum->then = then;
  sum_up(sum);
}

void Catalog::sum_up(const std::shared_ptr<Sum>& sum) {
  host_.bus().call<StoreList>({kByOwner, owner_prefix(sum->owner), sum->after, 1000, false, true},
                              [this, sum](const Result<Ref<StoreDocuments>>& found) {
                                if (!found.ok()) return sum->then(found.error());
                                for (const StoredDocument& document : (*found)->documents) {
                                  sum->bytes += number(document.body.text);
                                  sum->after = document.key;
                                }
                                if ((*found)->more) return sum_up(sum);
                                if (used_.size() >= kMaxOwners) used_.clear();
                                used_[sum->owner] = sum->bytes;
                                sum->then(sum->bytes + reserved(sum->owner));
                              });
}

void Catalog::older_than(std::int64_t before_ms, Then<std::vector<ArtifactInfo>> then) {
  host_.bus().call<StoreList>(
      {kByAge, "", "", 200, false, false},
      [this, before_ms, then = std::move(then)](const Result<Ref<StoreDocuments>>& found) {
        if (!found.ok()) return then(found.error());
        const std::string end = age_prefix(before_ms);
        std::vector<std::string> ids;
        for (const StoredDocument& document : (*found)->documents) {
          if (document.key < end) ids.push_back(id_of(document.key));
        }
        read(std::move(ids), then);
      });
}

void Catalog::is_used(const std::string& sha256, Then<bool> then) {
  host_.bus().call<StoreList>({kByContent, sha256 + "/", "", 1, false, false},
                              [then = std::move(then)](const Result<Ref<StoreDocuments>>& found) {
                                if (!found.ok()) return then(found.error());
                                then(!(*found)->documents.empty());
                              });
}

std::int64_t Catalog::reserved(const std::string& owner) const {
  const auto found = reserved_.find(owner);
  return found == reserved_.end() ? 0 : found->second;
}

void Catalog::reserve(const std::string& owner, std::int64_t bytes) {
  const std::int64_t left = reserved_[owner] += bytes;
  if (left == 0) reserved_.erase(owner);
}

}  // namespace gantry::artifacts
