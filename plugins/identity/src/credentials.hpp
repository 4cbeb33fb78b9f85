// SPDX-License-Identifier: Apache-2.0
//
// The credentials: on the store, with those that were used lately in memory. Strand only;
// completions run on it.
#pragma once

#include <gantry/host.hpp>

#include <functional>
#include <list>
#include <string>
#include <unordered_map>

#include "record.hpp"

namespace gantry::identity {

struct Known {
  Record record;
  std::int64_t version = 0;  // of the document
};

class Credentials {
 public:
  explicit Credentials(Host& host) : host_(host) {}

  template <class T>
  using Then = std::function<void(Result<T>)>;

  /// Writes a new one to the disk.
  void add(const Record& record, Then<void> then);
  /// The one with this hash that was used lately.
  const Known* remembered(const std::string& hash);
  /// The one with this hash, from memory or the store. Error: not_found.
  void find(const std::string& hash, const Then<Known>& then);
  /// It was used now; written down once a minute.
  void touch(Known known, std::int64_t now_ms);
  /// Makes it worthless. Error: not_found.
  void revoke(const std::string& credential_id, const Then<CredentialInfo>& then);
  void list(const CredentialsRequest& request, const Then<CredentialList>& then);

 private:
  struct Listing;

  void read(const std::string& hash, const Then<Known>& then);
  void write_revoked(Known known, const Then<CredentialInfo>& then);
  void list_more(const std::shared_ptr<Listing>& listing);
  void remember(Known known);
  void forget(const std::string& hash);

  Host& host_;
  std::list<Known> recent_;  // the newest in front
  std::unordered_map<std::string, std::list<Known>::iterator> by_hash_;
};

}  // namespace gantry::identity
