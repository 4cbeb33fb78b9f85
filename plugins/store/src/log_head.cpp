// SPDX-License-Identifier: Apache-2.0
#include "log_head.hpp"

#include <algorithm>

namespace gantry::store {

LogHead read_log_head(Prepared& statement, const std::string& space, const std::string& name) {
  Run run(statement, space, name);
  if (!run.next()) return {};
  LogHead head{run.number(0), run.number(1), run.number(2)};
  head.last = std::max(head.trimmed, head.last);
  return head;
}

}  // namespace gantry::store
