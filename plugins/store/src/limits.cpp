// SPDX-License-Identifier: Apache-2.0
#include "limits.hpp"

#include <gantry/utf8.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::store {
namespace {

constexpr std::size_t kMaxLog = 256;
constexpr std::size_t kMaxCollection = 128;
constexpr std::size_t kMaxKey = 512;
constexpr std::size_t kMaxType = 128;
constexpr std::size_t kMaxItems = 1000;

/// UTF-8 without control characters.
bool is_plain(std::string_view name) {
  const auto is_plain_ascii = [](char c) { return static_cast<unsigned char>(c - 0x20) < 0x60; };
  const auto rest = std::find_if_not(name.begin(), name.end(), is_plain_ascii);
  name.remove_prefix(static_cast<std::size_t>(rest - name.begin()));
  if (name.empty()) return true;  // as nearly every name is
  if (name.find(kLastCharacter) != std::string_view::npos) return false;
  while (!name.empty()) {
    const std::size_t length = codec::utf8_length(name);
    if (length == 0 || static_cast<unsigned char>(name.front()) < 0x20) return false;
    name.remove_prefix(length);
  }
  return true;
}

Result<void> check_name(std::string_view what, std::string_view name, std::size_t most,
                        bool may_be_empty = false) {
  if (name.empty() && !may_be_empty) {
    return invalid_argument("the " + std::string(what) + " is empty; give it a name");
  }
  if (name.size() > most) {
    return invalid_argument("the " + std::string(what) + " has " + std::to_string(name.size()) +
                            " bytes; " + std::to_string(most) + " are allowed");
  }
  if (is_plain(name)) return {};
  return invalid_argument("the " + std::string(what) +
                          " holds control characters or is not UTF-8; use plain text");
}

Result<void> check_count(std::string_view what, std::size_t count) {
  if (count <= kMaxItems) return {};
  return invalid_argument(std::to_string(count) + " " + std::string(what) + " in one request; " +
                          std::to_string(kMaxItems) + " are allowed");
}

Result<void> check_body(std::string_view what, const Json& body, std::size_t most) {
  if (body.text.size() <= most && !body.text.empty()) return {};
  return invalid_argument("the body of " + std::string(what) + " has " +
                          std::to_string(body.text.size()) + " bytes; 1 to " +
                          std::to_string(most) + " are allowed (store.max_body)");
}

Result<void> check_limit(std::int32_t limit) {
  if (limit >= 1 && limit <= kMaxPage) return {};
  return invalid_argument("limit is " + std::to_string(limit) + "; 1 to " +
                          std::to_string(kMaxPage) + " are allowed");
}

/// The first of those that are there twice; none: nullptr. Nearly every request has very few.
template <class T>
const T* find_double(std::vector<T>& all) {
  if (all.size() < 2) return nullptr;
  std::sort(all.begin(), all.end());
  const auto found = std::adjacent_find(all.begin(), all.end());
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Result<void> check(const StoreAppendRequest& request, std::size_t max_body) {
  GANTRY_TRY(check_name("log", request.log, kMaxLog));
  GANTRY_TRY(check_count("entries", request.entries.size()));
  for (const StoreEntry& entry : request.entries) {
    GANTRY_TRY(check_name("type of an entry", entry.type, kMaxType));
    GANTRY_TRY(check_body("an entry", entry.body, max_body));
  }
  return {};
}

Result<void> check(const StoreWriteRequest& request, std::size_t max_body) {
  GANTRY_TRY(check_count("changes", request.changes.size()));
  GANTRY_TRY(check_count("appends", request.appends.size()));
  std::vector<std::pair<std::string_view, std::string_view>> documents;
  documents.reserve(request.changes.size());
  for (const StoreChange& change : request.changes) {
    GANTRY_TRY(check_name("collection", change.collection, kMaxCollection));
    GANTRY_TRY(check_name("key", change.key, kMaxKey));
    if (change.body) GANTRY_TRY(check_body("a document", *change.body, max_body));
    documents.emplace_back(change.collection, change.key);
  }
  if (const auto* twice = find_double(documents)) {
    return invalid_argument("two changes of the document " + std::string(twice->second) + " in " +
                            std::string(twice->first) + "; send one");
  }
  std::vector<std::string_view> logs;
  logs.reserve(request.appends.size());
  for (const StoreAppendRequest& append : request.appends) {
    GANTRY_TRY(check(append, max_body));
    logs.emplace_back(append.log);
  }
  if (const auto* twice = find_double(logs)) {
    return invalid_argument("two appends to the log " + std::string(*twice) + "; send one");
  }
  return {};
}

Result<void> check(const StoreReadLogRequest& request) {
  GANTRY_TRY(check_name("log", request.log, kMaxLog));
  return check_limit(request.limit);
}

Result<void> check(const StoreTrimLogRequest& request) {
  return check_name("log", request.log, kMaxLog);
}

Result<void> check(const StoreGetRequest& request) {
  GANTRY_TRY(check_name("collection", request.collection, kMaxCollection));
  GANTRY_TRY(check_count("keys", request.keys.size()));
  for (const std::string& key : request.keys) GANTRY_TRY(check_name("key", key, kMaxKey));
  return {};
}

Result<void> check(const StoreListRequest& request) {
  GANTRY_TRY(check_name("collection", request.collection, kMaxCollection));
  GANTRY_TRY(check_name("prefix", request.prefix, kMaxKey, true));
  GANTRY_TRY(check_name("after", request.after, kMaxKey, true));
  return check_limit(request.limit);
}

}  // namespace gantry::store
