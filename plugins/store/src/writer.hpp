// SPDX-License-Identifier: Apache-2.0
//
// Writer: carries out what callers want written, many of them in one transaction. Used on the
// store's own strand only.
#pragma once

#include <gantry/contracts/store.hpp>

#include <Poco/Data/Session.h>
#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend.hpp"
#include "entry_row.hpp"
#include "log_head.hpp"

namespace gantry::store {

struct WriteAnswer {
  StoreWritten written;
  std::int64_t trimmed = 0;  // entries
};

/// One caller's request.
struct WriteOperation {
  std::string space;
  std::span<const StoreChange> changes;
  std::span<const StoreAppendRequest> appends;
  const StoreTrimLogRequest* trim = nullptr;
  /// Keeps what it points at, and is let go before `done` runs: a caller that has it, too, then
  /// frees it on the thread that made it, and no two threads wait at malloc's lock for each other.
  std::any request;
  std::function<void(Result<WriteAnswer>)> done;
};

class Writer {
 public:
  /// `session` is the backend's writing one, with the newest tables.
  Writer(Backend& backend, Poco::Data::Session session);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Carries the operations out in order, in one transaction, and answers each. One whose
  /// expectations do not hold is answered `aborted` and changes nothing; when the database fails,
  /// all of them are answered with that, and none has happened.
  void commit(std::span<WriteOperation> operations, std::int64_t now_ms);

 private:
  struct Statements;

  Result<std::vector<Result<WriteAnswer>>> attempt(std::span<WriteOperation> operations,
                                                   std::int64_t now_ms);
  Result<WriteAnswer> carry_out(const WriteOperation& operation, std::int64_t now_ms);
  std::optional<Error> broken_expectation(const WriteOperation& operation);
  std::int64_t version_of(const std::string& space, const std::string& collection,
                          const std::string& key);
  StoreAppended append(const std::string& space, const StoreAppendRequest& request,
                       std::int64_t now_ms);
  void put_row(LogHead& log, std::int64_t now_ms);
  std::int64_t change(const std::string& space, const StoreChange& change, std::int64_t now_ms);
  std::int64_t trim(const std::string& space, const StoreTrimLogRequest& request);
  void cut_row(const LogHead& log, std::int64_t through);
  LogHead& head(const std::string& space, const std::string& name);
  void load_counters();
  void reserve();
  void forget();

  Backend& backend_;
  Poco::Data::Session session_;
  std::unique_ptr<Statements> statements_;
  std::unordered_map<std::string, LogHead> heads_;  // by space, a zero byte, and the log's name
  EntryPacker row_;
  std::int64_t last_log_ = 0;
  std::int64_t last_version_ = 0;
  std::int64_t reserved_log_ = 0;  // none of these has been used before the last open
  std::int64_t reserved_version_ = 0;
};

}  // namespace gantry::store
