// SPDX-License-Identifier: Apache-2.0
#include "store.hpp"

#include <utility>

#include "schema.hpp"

namespace gantry::store {

Store::Store(std::unique_ptr<Backend> backend, Poco::Data::Session writer)
    : backend_(std::move(backend)), writer_(*backend_, std::move(writer)), readers_(*backend_) {}

Result<std::unique_ptr<Store>> Store::open(std::unique_ptr<Backend> backend) {
  GANTRY_TRY(backend->prepare());
  GANTRY_ASSIGN(Poco::Data::Session writer, backend->open_writer());
  GANTRY_TRY(migrate(*backend, writer));
  return std::unique_ptr<Store>(new Store(std::move(backend), std::move(writer)));
}

}  // namespace gantry::store
