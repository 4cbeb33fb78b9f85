// SPDX-License-Identifier: Apache-2.0
// A workspace that is forgotten while a message of its session is read.
#include <gantry/contracts/document.hpp>
#include <gantry/contracts/workspace.hpp>
#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/net_client.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cortask_server.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;

constexpr auto kLongest = std::chrono::seconds(20);

TEST_CASE("Cortask: what a forgotten workspace forbade does not run without it") {
  testkit::TempDir folder;
  CortaskServer server(folder.path(), {{"document_poppler", "-"}});
  auto reading = std::make_shared<std::optional<Reply<DocumentText>>>();
  auto arrived = std::make_shared<std::atomic<bool>>(false);
  REQUIRE(server.kernel()
              .host()
              .bus()
              .serve<DocumentText>([reading, arrived](const Ref<DocumentTextRequest>&,
                                                      const CallInfo&, Reply<DocumentText> reply) {
                reading->emplace(std::move(reply));
                *arrived = true;
              })
              .ok());
  testkit::HttpClient http("127.0.0.1", server.port(), kLongest);
  const testkit::HttpReply made =
      http.request("POST", "/api/workspaces", {{"Content-Type", "application/json"}},
                   R"({"name":"Strict","approvals":{"act":"deny"}})");
  REQUIRE(made.status == 201);
  const std::string id(json::parse(made.body).at("id").as_string());
  testkit::WebSocketClient socket("127.0.0.1", server.port(), "/ws", testkit::Headers{}, kLongest);
  const json::array pdf{
      {{"mimeType", "application/pdf"}, {"base64", "JVBERi0xLjQK"}, {"name", "a.pdf"}}};
  socket.send_text(json::serialize(json::object{{"type", "chat"},
                                                {"sessionKey", "k"},
                                                {"workspaceId", id},
                                                {"message", "@script reply x"},
                                                {"attachments", pdf}}));
  REQUIRE(testkit::eventually([&] { return arrived->load(); }, kLongest));
  REQUIRE(http.request("DELETE", "/api/workspaces/" + id, {}, "").status == 204);
  (**reading)(DocumentTextAnswer{"words", false});
  json::object frame;
  do frame = json::parse(socket.receive_message()).as_object();
  while (frame.at("type") != "error" && frame.at("type") != "done");
  CHECK(json::serialize(frame).find("Workspace not found") != std::string::npos);
}

}  // namespace
}  // namespace gantry::conformance
