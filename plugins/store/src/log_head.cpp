// SPDX-License-Identifier: Apache-2.0
#include "log_head.hpp"

#include <Poco/Data/Statement.h>

#include <algorithm>

namespace gantry::store {

using namespace Poco::Data::Keywords;  // NOLINT(google-build-using-namespace): the words of Poco

LogHead read_log_head(Poco::Data::Session& session, const std::string& space,
                      const std::string& name) {
  Poco::Int64 id = 0;
  Poco::Int64 trimmed = 0;
  Poco::Int64 last = 0;
  session << "SELECT id, trimmed, (SELECT COALESCE(MAX(sequence), 0) FROM entries WHERE log = id) "
             "FROM logs WHERE space = $1 AND name = $2",
      into(id), into(trimmed), into(last), useRef(space), useRef(name), now;
  return {id, trimmed, std::max(trimmed, last)};
}

}  // namespace gantry::store
