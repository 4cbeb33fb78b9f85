// SPDX-License-Identifier: Apache-2.0
//
// The gateway beside a keeper of workspaces that fails, or takes its time.
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/workspace.hpp>
#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/net_client.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/listening_port.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;

constexpr auto kPatience = std::chrono::seconds(20);
const std::string kSession = "agent:default:ws:direct:~w1~k";

std::string configuration(const std::string& folder) {
  return "plugins:\n  transport: {}\n  identity: {}\n  llm_scripted: {}\n"
         "  agent_engine: {config: {model: scripted}}\n"
         "  store: {config: {path: " +
         folder + "/store.db}}\n  artifacts: {config: {folder: " + folder +
         "/artifacts}}\n"
         "  gateway_v3: {config: {port: 0, token: a-token-of-the-tests, rate_limit_rpm: 0, agents: "
         "[{key: default}, {key: builder, workspace: named}]}}\n";
}

/// A daemon whose workspaces the test keeps, with a session of ann's in the workspace w1.
class KeptWorld {
 public:
  using Answering = std::function<void(const WorkspaceRef&, Reply<WorkspaceGet>)>;

  explicit KeptWorld(Answering answer)
      : kernel_(testkit::KernelSetup{.config = configuration(folder_.path().string())}) {
    REQUIRE(kernel_.start().ok());
    const auto served = kernel_.host().bus().serve<WorkspaceGet>(
        [answer = std::move(answer)](const Ref<WorkspaceRef>& named, const CallInfo&,
                                     Reply<WorkspaceGet> reply) {
          answer(*named, std::move(reply));
        });
    REQUIRE(served.ok());
    SessionOpenRequest open;
    open.session = {"gateway:ann", "w1", "k"};
    const auto opened = kernel_.host().bus().call_wait<SessionOpen>(std::move(open));
    REQUIRE(opened.ok());
    port_ = listening_port(kernel_.host(), "gateway");
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  testkit::TempDir folder_;
  testkit::InProcessKernel kernel_;
  std::uint16_t port_ = 0;
};

class GatewaySocket {
 public:
  explicit GatewaySocket(const KeptWorld& world)
      : socket_("127.0.0.1", world.port(), "/ws", testkit::Headers{}, kPatience) {
    REQUIRE(call("connect", {{"token", "a-token-of-the-tests"}, {"user_id", "ann"}})
                .at("ok")
                .as_bool());
  }
  std::string request(const std::string& method, json::object params) {
    std::string id = std::to_string(++last_);
    socket_.send_text(json::serialize(json::object{
        {"type", "req"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
    return id;
  }
  json::object answer(const std::string& id) {
    for (;;) {
      json::object frame = json::parse(socket_.receive_message()).as_object();
      const json::value* named = frame.if_contains("id");
      if (named != nullptr && named->is_string() && named->get_string() == id) return frame;
    }
  }
  json::object call(const std::string& method, json::object params) {
    return answer(request(method, std::move(params)));
  }

 private:
  testkit::WebSocketClient socket_;
  int last_ = 0;
};

TEST_CASE("gateway: nothing runs while nobody knows what the session's workspace forbids") {
  const KeptWorld world([](const WorkspaceRef&, Reply<WorkspaceGet> reply) {
    reply.fail(unavailable("the disk sleeps"));
  });
  GatewaySocket ann(world);
  const json::object answer =
      ann.call("chat.send", {{"sessionKey", kSession}, {"message", "@script reply x"}});
  CHECK_FALSE(answer.at("ok").as_bool());
  CHECK(json::serialize(answer).find("the disk sleeps") != std::string::npos);
  const json::object history = ann.call("chat.history", {{"sessionKey", kSession}});
  CHECK(history.at("payload").at("messages").as_array().empty());
}

TEST_CASE("gateway: a session whose workspace is forgotten goes on") {
  const KeptWorld world(
      [](const WorkspaceRef&, Reply<WorkspaceGet> reply) { reply.fail(not_found("no such")); });
  GatewaySocket ann(world);
  const json::object answer =
      ann.call("chat.send", {{"sessionKey", kSession}, {"message", "@script reply x"}});
  CHECK(answer.at("payload").at("content") == "x");
}

TEST_CASE("gateway: the session's own workspace counts before the one that the agent names") {
  auto asked = std::make_shared<std::vector<std::string>>();
  const KeptWorld world([asked](const WorkspaceRef& named, Reply<WorkspaceGet> reply) {
    asked->push_back(named.workspace + (named.by_id ? " by id" : ""));
    Workspace found;
    found.id = named.workspace;
    found.model = "model-of-" + named.workspace;
    reply(std::move(found));
  });
  GatewaySocket ann(world);
  const json::object answer =
      ann.call("chat.send",
               {{"agentId", "builder"}, {"sessionKey", kSession}, {"message", "@script reply x"}});
  CHECK(json::serialize(answer).find("model-of-w1") != std::string::npos);
  CHECK(*asked == std::vector<std::string>{"w1 by id", "named"});
}

TEST_CASE("gateway: a run is stopped while its workspace is asked for") {
  auto asked = std::make_shared<std::optional<Reply<WorkspaceGet>>>();
  auto arrived = std::make_shared<std::atomic<bool>>(false);
  const KeptWorld world([asked, arrived](const WorkspaceRef&, Reply<WorkspaceGet> reply) {
    asked->emplace(std::move(reply));
    *arrived = true;
  });
  GatewaySocket sender(world);
  GatewaySocket stopper(world);
  const std::string sent =
      sender.request("chat.send", {{"sessionKey", kSession}, {"message", "@script reply x"}});
  REQUIRE(testkit::eventually([&] { return arrived->load(); }, kPatience));
  const json::object report = stopper.call("chat.abort", {{"sessionKey", kSession}});
  CHECK(report.at("payload").at("aborted").as_bool());
  CHECK_FALSE(report.at("payload").at("notFound").as_bool());
  CHECK(report.at("payload").at("runIds").as_array().size() == 1);
  (*asked)->fail(not_found("no such"));
  const json::object answer = sender.answer(sent);
  CHECK(answer.at("payload").as_object().contains("cancelled"));
  CHECK(json::serialize(answer).find("stopped before it began") != std::string::npos);
  const json::object history = stopper.call("chat.history", {{"sessionKey", kSession}});
  CHECK(history.at("payload").at("messages").as_array().empty());
}

TEST_CASE("gateway: what has not begun when its client goes is not done, what has is") {
  constexpr int kMore = 60;  // than the transport hands over while a request is under way
  auto asked = std::make_shared<std::optional<Reply<WorkspaceGet>>>();
  auto arrived = std::make_shared<std::atomic<bool>>(false);
  const KeptWorld world([asked, arrived](const WorkspaceRef&, Reply<WorkspaceGet> reply) {
    asked->emplace(std::move(reply));
    *arrived = true;
  });
  GatewaySocket stays(world);
  const auto sockets = [&stays] {
    return stays.call("health", {}).at("payload").at("clients").as_array().size();
  };
  {
    GatewaySocket goes(world);
    REQUIRE(sockets() == 2);
    goes.request("chat.send", {{"sessionKey", kSession}, {"message", "@script reply begun"}});
    REQUIRE(testkit::eventually([&] { return arrived->load(); }, kPatience));
    for (int i = 0; i < kMore; ++i) {
      goes.request("chat.inject", {{"sessionKey", kSession}, {"message", "not begun"}});
    }
  }
  REQUIRE(testkit::eventually([&] { return sockets() == 1; }, kPatience));
  (*asked)->fail(not_found("no such"));
  std::string history;
  REQUIRE(testkit::eventually(
      [&] {
        history = json::serialize(stays.call("chat.history", {{"sessionKey", kSession}}));
        return history.find("\"begun\"") != std::string::npos;
      },
      kPatience));
  CHECK(history.find("not begun") == std::string::npos);
}

}  // namespace
}  // namespace gantry::conformance
