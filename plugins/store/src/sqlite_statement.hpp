// SPDX-License-Identifier: Apache-2.0
//
// SqliteStatement: a prepared statement of SQLite itself, on the connection of a Poco::Data
// session. Poco::Data's statements are prepared anew at every run, which takes ten times what a run
// takes.
#pragma once

#include <Poco/Data/Session.h>
#include <memory>
#include <string_view>

#include "backend.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace gantry::store {

class SqliteStatement final : public Prepared {
 public:
  /// Throws what Poco::Data throws. To be destroyed before the session.
  SqliteStatement(const Poco::Data::Session& session, std::string_view sql);

  void bind(int parameter, std::int64_t value) override;
  void bind(int parameter, std::string_view value) override;
  bool step() override;
  [[nodiscard]] std::int64_t number(int column) override;
  [[nodiscard]] std::string_view text(int column) override;
  void reset() noexcept override;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int result) const;

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace gantry::store
