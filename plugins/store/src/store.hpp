// SPDX-License-Identifier: Apache-2.0
//
// Store: an opened database with its writer and readers. open(), commit() and wants_care() on one
// thread at a time; the readers may be handed to any.
#pragma once

#include <memory>
#include <span>

#include "backend.hpp"
#include "reader.hpp"
#include "writer.hpp"

namespace gantry::store {

class Store {
 public:
  /// Opens the database and brings its tables up to date. Errors: unavailable, data_loss,
  /// failed_precondition (a newer Gantry wrote it).
  static Result<std::unique_ptr<Store>> open(std::unique_ptr<Backend> backend);

  void commit(std::span<WriteOperation> operations, std::int64_t now_ms) {
    writer_.commit(operations, now_ms);
  }
  Readers& readers() { return readers_; }
  /// Those of the backend.
  Result<void> sync() { return backend_->sync(); }
  [[nodiscard]] Backend::Care wants_care() { return backend_->wants_care(); }
  Result<void> care() { return backend_->care(); }
  /// False: the database was taken away, and what is written to it is lost.
  [[nodiscard]] bool is_there() const { return backend_->is_there(); }

 private:
  Store(std::unique_ptr<Backend> backend, Poco::Data::Session writer);

  std::unique_ptr<Backend> backend_;
  Writer writer_;
  Readers readers_;
};

}  // namespace gantry::store
