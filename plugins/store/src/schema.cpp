// SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include <Poco/Data/Statement.h>

#include <cstddef>
#include <string>

namespace gantry::store {

using namespace Poco::Data::Keywords;  // NOLINT(google-build-using-namespace): the words of Poco

Result<int> schema_version(const Backend& backend, Poco::Data::Session& session) {
  return guarded(backend, [&session]() -> Result<int> {
    session << "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)", now;
    Poco::Int64 version = 0;
    session << "SELECT COALESCE(MAX(version), 0) FROM schema_version", into(version), now;
    return static_cast<int>(version);
  });
}

namespace {

Result<void> step(const Backend& backend, Poco::Data::Session& session, int version) {
  return guarded(backend, [&]() -> Result<void> {
    const Migration& migration = backend.migrations()[static_cast<std::size_t>(version) - 1];
    session.begin();
    try {
      // As they are: a % in them is no format.
      for (const std::string& statement : migration.statements) {
        Poco::Data::Statement prepared(session);
        prepared << statement, now;
      }
      session << "DELETE FROM schema_version", now;
      session << "INSERT INTO schema_version (version) VALUES ($1)", bind(Poco::Int64{version}),
          now;
      session.commit();
    } catch (...) {
      session.rollback();
      throw;
    }
    return {};
  });
}

}  // namespace

Result<void> migrate(const Backend& backend, Poco::Data::Session& session, int target) {
  GANTRY_ASSIGN(const int found, schema_version(backend, session));
  const int newest = static_cast<int>(backend.migrations().size());
  if (found > newest) {
    return failed_precondition("the store was written by a newer Gantry (tables of version " +
                               std::to_string(found) + ", this one knows up to " +
                               std::to_string(newest) + "); run that one, or set store.path");
  }
  for (int version = found + 1; version <= (target < 0 ? newest : target); ++version) {
    const Result<void> done = step(backend, session, version);
    if (!done.ok()) {
      return done.error().with_context("bringing the store's tables to version " +
                                       std::to_string(version));
    }
  }
  return {};
}

}  // namespace gantry::store
