// SPDX-License-Identifier: Apache-2.0
// Runs the tables in talks/: raw frames in, frames out, against the real plugins with the scripted
// model.
#include <boost/json/value.hpp>

#include <regex>

#include "../support/talk_table.hpp"
#include "agent_server.hpp"
#include "talk.hpp"

namespace gantry::conformance {
namespace {

TEST_CASE("every talk goes as the tables say") {
  CHECK(TalkTables<AgentServer, Talk>::run_folder(GANTRY_AGENT_TALKS) >= 200);
}

/// What the refusal of an unknown type names.
std::set<std::string> message_types(Speaker& socket) {
  socket.say(R"({"id":"x","type":"no such","payload":{}})");
  const std::string refusal(socket.hear().at("payload").at("message").as_string());
  const std::string tags = refusal.substr(refusal.find("expected tags"));
  static const std::regex kQuoted("'([a-z-]+)'");
  std::set<std::string> out;
  for (auto tag = std::sregex_iterator(tags.begin(), tags.end(), kQuoted);
       tag != std::sregex_iterator(); ++tag) {
    out.insert((*tag)[1]);
  }
  return out;
}

TEST_CASE("every message is in the matrix of users, or is about nobody") {
  const testkit::TempDir folder;
  AgentServer server(folder.path(), {});
  Speaker socket(server.port(), {});
  socket.say(R"({"type":"handshake","user_id":"u"})");
  socket.hear();
  socket.hear();
  std::set<std::string> there = message_types(socket);
  CHECK(there.size() >= 10);
  there.insert("resume");                              // asked for in a handshake
  std::set<std::string> covered{"wakeword-detected"};  // is answered with a greeting
  for (const YAML::Node& row : YAML::LoadFile(GANTRY_AGENT_TALKS "/6_history.yaml")) {
    for (const YAML::Node& type : row["covers"]) covered.insert(type.as<std::string>());
  }
  CHECK(covered == there);
}

TEST_CASE("a handshake that is none is refused in the protocol's words") {
  const testkit::TempDir folder;
  const AgentServer server(folder.path(), {});
  const std::pair<const char*, const char*> rows[] = {{"13", "short"},
                                                      {"8", "dGhlIHNhbXBsZSBub25jZQ=="}};
  for (const auto& [version, key] : rows) {
    INFO(version);
    testkit::HttpClient client("127.0.0.1", server.port());
    const auto reply = client.get("/ws", {{"Connection", "Upgrade"},
                                          {"Upgrade", "websocket"},
                                          {"Sec-WebSocket-Version", version},
                                          {"Sec-WebSocket-Key", key}});
    CHECK(reply.status >= 400);
    CHECK(reply.body.starts_with(R"({"detail":")"));
  }
}

}  // namespace
}  // namespace gantry::conformance
