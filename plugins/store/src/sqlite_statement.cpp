// SPDX-License-Identifier: Apache-2.0
#include "sqlite_statement.hpp"

#include <Poco/Data/SQLite/SQLiteException.h>
#include <Poco/Data/SQLite/Utility.h>
#include <sqlite3.h>

namespace gantry::store {

using Poco::Data::SQLite::Utility;

SqliteStatement::SqliteStatement(const Poco::Data::Session& session, std::string_view sql)
    : database_(Utility::dbHandle(session)) {
  sqlite3_stmt* made = nullptr;
  check(sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &made, nullptr));
  statement_.reset(made);
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void SqliteStatement::check(int result) const {
  if (result != SQLITE_OK) Utility::throwException(database_, result);
}

void SqliteStatement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter, value));
}

void SqliteStatement::bind(int parameter, std::string_view value) {
  // An empty view may point nowhere, which would be NULL.
  check(sqlite3_bind_text64(statement_.get(), parameter, value.empty() ? "" : value.data(),
                            value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

bool SqliteStatement::step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) Utility::throwException(database_, result);
  return false;
}

std::int64_t SqliteStatement::number(int column) {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view SqliteStatement::text(int column) {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  // NULL, or no memory to answer with; a text without its checksum is found out.
  if (bytes == nullptr) return {};
  const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return {reinterpret_cast<const char*>(bytes), length};
}

void SqliteStatement::reset() noexcept {
  // Tells once more how the last step ended. The parameters stay until the next run gives others:
  // nothing looks at them before.
  sqlite3_reset(statement_.get());
}

}  // namespace gantry::store
