// SPDX-License-Identifier: Apache-2.0
//
// What a broken expectation says to machines: Error::detail of `aborted`.
#pragma once

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>

namespace gantry::store {

struct LogConflict {
  std::string log;
  std::int64_t last = 0;
};
BOOST_DESCRIBE_STRUCT(LogConflict, (), (log, last))

struct DocumentConflict {
  std::string collection;
  std::string key;
  std::int64_t version = 0;
};
BOOST_DESCRIBE_STRUCT(DocumentConflict, (), (collection, key, version))

}  // namespace gantry::store
