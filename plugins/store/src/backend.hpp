// SPDX-License-Identifier: Apache-2.0
//
// Backend: the database behind the store. What differs between SQLite and another database is
// here: how a session is opened, the tables' definitions, how a commit reaches the disk, and what
// its errors mean. All other statements are standard SQL with $1, $2, … and ON CONFLICT, which
// SQLite and PostgreSQL understand alike.
#pragma once

#include <gantry/result.hpp>

#include <Poco/Data/Session.h>
#include <Poco/Exception.h>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::store {

/// A statement that is prepared once and run often. Throws what Poco::Data throws. Run it through
/// Run.
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  virtual ~Prepared() = default;

  /// Parameters count from 1; texts must live until reset().
  virtual void bind(int parameter, std::int64_t value) = 0;
  virtual void bind(int parameter, std::string_view value) = 0;
  /// Goes to the next row; false: there is none.
  virtual bool step() = 0;
  /// Of the row that step() has come to; columns count from 0. Texts are good until the next step.
  [[nodiscard]] virtual std::int64_t number(int column) = 0;
  [[nodiscard]] virtual std::string_view text(int column) = 0;
  /// Ends the run.
  virtual void reset() noexcept = 0;
};

/// One run of a prepared statement; it ends with this object.
class Run {
 public:
  template <class... Values>
  explicit Run(Prepared& statement, const Values&... values) : statement_(statement) {
    int parameter = 0;
    (statement_.bind(++parameter, values), ...);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { statement_.reset(); }

  bool next() { return statement_.step(); }
  [[nodiscard]] std::int64_t number(int column) const { return statement_.number(column); }
  [[nodiscard]] std::string_view text(int column) const { return statement_.text(column); }

 private:
  Prepared& statement_;
};

/// Runs a statement that answers no rows.
template <class... Values>
void execute(Prepared& statement, const Values&... values) {
  Run(statement, values...).next();
}

/// The statements that lead from one version of the tables to the next. Never changed once it has
/// been released; a new one is added behind.
struct Migration {
  std::vector<std::string> statements;
};

/// One thread at a time, but for what says otherwise.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// Makes sure that nobody else writes, and that the database can be opened. Errors: unavailable
  /// (somebody else has it, no permission), data_loss (it is damaged).
  virtual Result<void> prepare() = 0;
  /// A session of its own for the one writer, or for a reader.
  virtual Result<Poco::Data::Session> open_writer() = 0;
  virtual Result<Poco::Data::Session> open_reader() = 0;
  /// Whether what open_writer() opened is still what the next session would open.
  [[nodiscard]] virtual bool is_there() const = 0;
  /// A statement of a session, to be destroyed before it. Throws what Poco::Data throws.
  [[nodiscard]] virtual std::unique_ptr<Prepared> statement(const Poco::Data::Session& session,
                                                            std::string_view sql) const = 0;
  /// From empty tables (version 0) upward.
  [[nodiscard]] virtual const std::vector<Migration>& migrations() const = 0;
  /// Waits until all that was committed before is on the disk; commits themselves do not wait for
  /// it. [thread: any]
  virtual Result<void> sync() = 0;
  /// Whether the database wants care() for what was committed since it had the last, and whether
  /// commits shall wait until it has had it.
  enum class Care : std::uint8_t { none, beside, before };
  [[nodiscard]] virtual Care wants_care() = 0;
  /// Regular work that takes long, beside the writer. [thread: any where waiting is allowed]
  virtual Result<void> care() = 0;
  /// What an exception of this database's sessions means to a caller. [thread: any]
  [[nodiscard]] virtual Error translate(const Poco::Exception& exception) const = 0;
};

/// Runs `work`, which may throw what Poco::Data throws, and answers its Result.
template <class F>
auto guarded(const Backend& backend, F&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const Poco::Exception& exception) {
    return backend.translate(exception);
  } catch (const std::exception& exception) {
    return internal_error(std::string("the store: ") + exception.what());
  }
}

}  // namespace gantry::store
