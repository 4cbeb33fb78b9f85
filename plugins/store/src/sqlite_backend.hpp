// SPDX-License-Identifier: Apache-2.0
//
// SQLite with a write-ahead log: one file, its log beside it, and a lock file that keeps a second
// daemon away.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "backend.hpp"

namespace gantry::store {

enum class IntegrityCheck : std::uint8_t { automatic, always, never };

class SqliteBackend final : public Backend {
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
  void set_durable(Poco::Data::Session& writer, bool durable) override;
  [[nodiscard]] Error translate(const Poco::Exception& exception) const override;

 private:
  Result<void> lock();
  Result<void> check_integrity();

  std::filesystem::path file_;
  IntegrityCheck check_;
  int lock_ = -1;
  dev_t device_ = 0;  // of the file that was opened
  ino_t inode_ = 0;
};

}  // namespace gantry::store
