// SPDX-License-Identifier: Apache-2.0
//
// Any bytes from an MCP client: reading never fails otherwise than by an error, every request gets
// at most one answer, and every answer is JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fake_world.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gantry::mcp;
  const std::string text(reinterpret_cast<const char*>(data), size);
  World world;
  if (size % 2 == 0) world.initialize("2025-11-25", R"({"elicitation":{}})");
  Parsed parsed = parse_messages(text);
  for (Message& message : parsed.messages) {
    auto outlet = std::make_shared<Recorder>();
    const bool request = message.kind == Message::Kind::Request;
    const auto fate = world.connection->handle(std::move(message), outlet, {});
    if (request && fate != Connection::Fate::Answers) std::abort();
    (void)outlet->answer();  // throws when it is no JSON
  }
  return 0;
}
