// SPDX-License-Identifier: Apache-2.0
//
// The store: what must outlive the daemon. Append-only logs with gapless sequence numbers, and
// JSON documents with versions. Everything belongs to the plugin that wrote it: each caller has
// logs and collections of its own, and sees no other's. No SQL, and nothing of the database behind
// it, shows here.
//
// What is answered has been written: a daemon that is killed loses none of it. With `sync` it has
// reached the disk as well, so that a machine that loses its power keeps it too. Writes of all
// callers are carried out in the order in which they arrive; one caller's reads see what was
// answered to it before.
//
// Errors of every contract here: invalid_argument (a name or a body that is too long, or is not
// what it should be; nothing was written), resource_exhausted (no room on the disk), data_loss (the
// database is damaged; nothing is guessed), unavailable (it cannot be opened, or it is locked).
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

// ---- logs ---------------------------------------------------------------------------------------

struct StoreEntry {
  std::string type;  // 1 to 128 bytes
  Json body{"{}"};
};
BOOST_DESCRIBE_STRUCT(StoreEntry, (), (type, body))

/// Entries for the end of one log. The log begins with its first entry.
struct StoreAppendRequest {
  std::string log;  // 1 to 256 bytes, such as a session's id
  std::vector<StoreEntry> entries;
  // The log's last sequence as the caller knows it (0: no entry yet); another one is `aborted`,
  // with detail {"log":"…","last":17}.
  std::optional<std::int64_t> expect_last;
  bool sync = false;
};
BOOST_DESCRIBE_STRUCT(StoreAppendRequest, (), (log, entries, expect_last, sync))

/// The sequences that the entries got: counted from 1, without a gap. Without entries `first` is
/// `last` + 1.
struct StoreAppended {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
BOOST_DESCRIBE_STRUCT(StoreAppended, (), (first, last))

/// All entries of one request, or none. Without entries and with `sync` it makes sure of all that
/// its caller has written before, documents too.
struct StoreAppend {
  static constexpr std::string_view kName = "gantry.store.append/1";
  static constexpr std::string_view kDoc = "Appends entries to a log.";
  using Request = StoreAppendRequest;
  using Response = StoreAppended;
};

struct StoreReadLogRequest {
  std::string log;
  std::int64_t after = 0;    // entries with a greater sequence
  std::int32_t limit = 200;  // 1 to 1000; fewer may come, but never none while there are some
  bool newest = false;       // the last `limit` entries after `after` instead of the first
};
BOOST_DESCRIBE_STRUCT(StoreReadLogRequest, (), (log, after, limit, newest))

struct StoredEntry {
  std::int64_t sequence = 0;
  std::string type;
  Json body;
  std::int64_t at_ms = 0;  // when it was appended, milliseconds since the epoch
};
BOOST_DESCRIBE_STRUCT(StoredEntry, (), (sequence, type, body, at_ms))

/// A log that nobody has appended to is empty: no entries, last 0.
struct StoreLogPage {
  std::vector<StoredEntry> entries;  // in order, also with `newest`
  std::int64_t first = 0;            // the oldest that is kept; 0: there is none
  std::int64_t last = 0;             // the log's last sequence, trimmed or not
  bool more = false;                 // there are further ones: read after the last of these
};
BOOST_DESCRIBE_STRUCT(StoreLogPage, (), (entries, first, last, more))

struct StoreReadLog {
  static constexpr std::string_view kName = "gantry.store.read_log/1";
  static constexpr std::string_view kDoc = "Reads a page of a log.";
  using Request = StoreReadLogRequest;
  using Response = StoreLogPage;
};

struct StoreTrimLogRequest {
  std::string log;
  std::int64_t through = 0;  // entries up to this sequence go; the numbers of the others stay
  bool forget = false;       // the whole log goes; entries that come later count from 1 again
};
BOOST_DESCRIBE_STRUCT(StoreTrimLogRequest, (), (log, through, forget))

struct StoreTrimmed {
  std::int64_t removed = 0;  // entries
};
BOOST_DESCRIBE_STRUCT(StoreTrimmed, (), (removed))

struct StoreTrimLog {
  static constexpr std::string_view kName = "gantry.store.trim_log/1";
  static constexpr std::string_view kDoc = "Removes the older entries of a log, or the log.";
  using Request = StoreTrimLogRequest;
  using Response = StoreTrimmed;
};

// ---- documents ----------------------------------------------------------------------------------

/// One change of one document.
struct StoreChange {
  std::string collection;    // 1 to 128 bytes
  std::string key;           // 1 to 512 bytes
  std::optional<Json> body;  // none: the document is removed; removing what is not there is fine
  // The version that it has (0: it does not exist); another one is `aborted`, with detail
  // {"collection":"…","key":"…","version":3}. Not given: whatever is there.
  std::optional<std::int64_t> expect_version;
};
BOOST_DESCRIBE_STRUCT(StoreChange, (), (collection, key, body, expect_version))

/// Changes and appends that happen together or not at all. `sync` of the appends is not looked at.
struct StoreWriteRequest {
  std::vector<StoreChange> changes;
  std::vector<StoreAppendRequest> appends;
  bool sync = false;
};
BOOST_DESCRIBE_STRUCT(StoreWriteRequest, (), (changes, appends, sync))

struct StoreWritten {
  std::vector<std::int64_t> versions;   // one for each change; 0: removed
  std::vector<StoreAppended> appended;  // one for each append
};
BOOST_DESCRIBE_STRUCT(StoreWritten, (), (versions, appended))

/// A version is greater than every earlier one of the same document, also when it was removed in
/// between.
struct StoreWrite {
  static constexpr std::string_view kName = "gantry.store.write/1";
  static constexpr std::string_view kDoc =
      "Puts and removes documents and appends to logs, as one.";
  using Request = StoreWriteRequest;
  using Response = StoreWritten;
};

struct StoreGetRequest {
  std::string collection;
  std::vector<std::string> keys;  // up to 1000
};
BOOST_DESCRIBE_STRUCT(StoreGetRequest, (), (collection, keys))

struct StoredDocument {
  std::string key;
  Json body;
  std::int64_t version = 0;
  std::int64_t changed_ms = 0;  // milliseconds since the epoch
};
BOOST_DESCRIBE_STRUCT(StoredDocument, (), (key, body, version, changed_ms))

struct StoreDocuments {
  std::vector<StoredDocument> documents;
  bool more = false;  // of a list: go on after the last key
};
BOOST_DESCRIBE_STRUCT(StoreDocuments, (), (documents, more))

/// The documents that exist, in the order of the keys asked for.
struct StoreGet {
  static constexpr std::string_view kName = "gantry.store.get/1";
  static constexpr std::string_view kDoc = "Reads documents by key.";
  using Request = StoreGetRequest;
  using Response = StoreDocuments;
};

struct StoreListRequest {
  std::string collection;
  std::string prefix;        // keys that begin with it
  std::string after;         // keys beyond it, in the direction of the list
  std::int32_t limit = 200;  // 1 to 1000; fewer may come, but never none while there are some
  bool descending = false;   // by the bytes of the keys
  bool bodies = true;        // false: the bodies are null
};
BOOST_DESCRIBE_STRUCT(StoreListRequest, (), (collection, prefix, after, limit, descending, bodies))

struct StoreList {
  static constexpr std::string_view kName = "gantry.store.list/1";
  static constexpr std::string_view kDoc = "Lists the documents of a collection by key.";
  using Request = StoreListRequest;
  using Response = StoreDocuments;
};

}  // namespace gantry
