// SPDX-License-Identifier: Apache-2.0
//
// SQLite with a write-ahead log: one file, its log beside it, and a lock file that keeps a second
// daemon away.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>

#include "backend.hpp"

namespace gantry::store {

enum class IntegrityCheck : std::uint8_t { automatic, always, never };

class SqliteBackend : public Backend {
 public:
  /// Looks through the whole database at prepare() when `check` says so; automatic: when it is not
  /// larger than 64 MiB.
  explicit SqliteBackend(std::filesystem::path file,
                         IntegrityCheck check = IntegrityCheck::automatic);
  ~SqliteBackend() override;

  Result<void> prepare() override;
  Result<Poco::Data::Session> open_writer() override;
  Result<Poco::Data::Session> open_reader() override;
  [[nodiscard]] bool is_there() const override;
  [[nodiscard]] std::unique_ptr<Prepared> statement(const Poco::Data::Session& session,
                                                    std::string_view sql) const override;
  [[nodiscard]] const std::vector<Migration>& migrations() const override;
  Result<void> sync() override;
  [[nodiscard]] Care wants_care() override;
  Result<void> care() override;
  [[nodiscard]] Error translate(const Poco::Exception& exception) const override;

 protected:
  /// Waits for the disk; false: errno says why not. Tests have disks that refuse.
  [[nodiscard]] virtual bool flush(int file);

 private:
  Result<void> lock();
  Result<void> check_integrity();
  Result<void> open_log();
  Result<void> checkpoint(int mode);
  void watch_log(const Poco::Data::Session& writer);

  std::filesystem::path file_;
  IntegrityCheck check_;
  int lock_ = -1;
  dev_t device_ = 0;  // of the file that was opened
  ino_t inode_ = 0;
  std::mutex syncing_;
  int log_ = -1;                   // the write-ahead log, once something was synced
  bool log_has_gap_ = false;       // the disk did not take some of it
  std::atomic<int> log_pages_{0};  // after the last commit
  int cared_pages_ = 0;            // when care() was last wanted
  std::mutex caring_;
};

}  // namespace gantry::store
