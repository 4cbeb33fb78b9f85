// SPDX-License-Identifier: Apache-2.0
// Runs the tables in talks/: frames and requests in, frames and answers out, against the real
// plugins with the scripted model.
#include "../support/talk_table.hpp"
#include "cortask_server.hpp"
#include "cortask_talk.hpp"

namespace gantry::conformance {
namespace {

TEST_CASE("every talk with Cortask's chat goes as the tables say") {
  CHECK(TalkTables<CortaskServer, CortaskTalk>::run_folder(GANTRY_CORTASK_TALKS) >= 120);
}

}  // namespace
}  // namespace gantry::conformance
