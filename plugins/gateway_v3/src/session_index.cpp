// SPDX-License-Identifier: Apache-2.0
#include "session_index.hpp"

#include <utility>

#include "documents.hpp"
#include "session_keys.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kSessionCollection = "sessions";

}  // namespace

Task<Result<void>> SessionIndex::load() {
  return load_all<SessionOwner>(host_, kSessionCollection,
                                [this](const std::string& key, SessionOwner o) {
                                  owners_.insert_or_assign(key, std::move(o));
                                });
}

const SessionOwner* SessionIndex::find(const std::string& key) const {
  const auto found = owners_.find(key);
  return found == owners_.end() ? nullptr : &found->second;
}

SessionAccess SessionIndex::access(const Identity& who, const std::string& key) const {
  SessionAccess out;
  const SessionOwner* owner = is_foreign(key) ? nullptr : find(key);
  out.known = owner != nullptr;
  const std::string& principal = owner != nullptr ? owner->principal : who.principal;
  out.user = owner != nullptr ? owner->user : who.user;
  out.allowed = owner == nullptr || who.at_least(Role::Admin) || principal == who.principal;
  out.session = engine_key(principal, key);
  return out;
}

Task<Result<void>> SessionIndex::own(std::string key, SessionOwner owner) {
  Json body(to_json(owner));
  owners_.insert_or_assign(key, std::move(owner));
  auto writing = write_document(host_, kSessionCollection, std::move(key), std::move(body), false);
  co_return co_await std::move(writing);
}

Task<Result<void>> SessionIndex::forget(std::string key) {
  owners_.erase(key);
  auto writing = write_document(host_, kSessionCollection, std::move(key), std::nullopt, false);
  co_return co_await std::move(writing);
}

std::set<std::string> SessionIndex::principals() const {
  std::set<std::string> out;
  for (const auto& [key, owner] : owners_) out.insert(owner.principal);
  return out;
}

}  // namespace gantry::gateway
