// SPDX-License-Identifier: Apache-2.0
// Runs the tables in talks/: raw frames in, frames out, against the real plugins with the scripted
// model.
#include "../support/talk_table.hpp"
#include "agent_server.hpp"
#include "talk.hpp"

namespace gantry::conformance {
namespace {

TEST_CASE("every talk goes as the tables say") {
  CHECK(TalkTables<AgentServer, Talk>::run_folder(GANTRY_AGENT_TALKS) >= 200);
}

}  // namespace
}  // namespace gantry::conformance
