// SPDX-License-Identifier: Apache-2.0
//
// Who hears of what has changed, and how much of that one client may ask for.
#include <catch2/catch.hpp>

#include "messages.hpp"

namespace gantry::mcp {
namespace {

TEST_CASE("listeners hear what they asked for, and nothing else") {
  World world;
  const auto outlet = world.send(request(
      "\"s\"", "subscriptions/listen",
      modern(
          R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["fake://one"]})")));
  REQUIRE(outlet->sent.size() == 1);
  CHECK(text_at(json::parse(outlet->sent.at(0)), "/method") ==
        "notifications/subscriptions/acknowledged");
  world.core.hub.changed(Changed::Prompts);
  world.core.hub.resource("fake://two");
  CHECK(outlet->sent.size() == 1);
  world.core.hub.changed(Changed::Tools);
  world.core.hub.resource("fake://one");
  REQUIRE(outlet->sent.size() == 3);
  CHECK(text_at(json::parse(outlet->sent.at(2)),
                "/params/_meta/io.modelcontextprotocol~1subscriptionId") == "s");
  world.connection->hung_up("\"s\"");
  world.core.hub.changed(Changed::Tools);
  CHECK(outlet->sent.size() == 3);
}

TEST_CASE("a session hears of lists, and of the resources that it subscribed to") {
  World world;
  world.initialize("2025-06-18");
  world.send(request("1", "resources/subscribe", R"({"uri":"fake://one"})"));
  world.core.hub.resource("fake://two");
  world.core.hub.resource("fake://one");
  world.core.hub.changed(Changed::Resources);
  REQUIRE(world.aside->sent.size() == 2);
  CHECK(text_at(json::parse(world.aside->sent.at(0)), "/params/uri") == "fake://one");
}

TEST_CASE("a client has a bounded number of subscriptions") {
  const auto named = [](const std::string& name) { return R"({"uri":"fake://)" + name + "\"}"; };
  const auto subscribe = [](World& world, const std::string& params) {
    return text_at(world.send(request("1", "resources/subscribe", params))->answer(),
                   "/error/message");
  };
  const std::string kTaken = "(missing)";  // no error
  World world;
  world.initialize("2025-06-18");
  for (int i = 0; i < 256; ++i) CHECK(subscribe(world, named(std::to_string(i))) == kTaken);
  CHECK(subscribe(world, named("more")).find("256 resources") != std::string::npos);
  CHECK(subscribe(world, named("7")) == kTaken);
  world.send(request("1", "resources/unsubscribe", named("7")));
  CHECK(subscribe(world, named(std::string(2048, 'x'))).find("2048") != std::string::npos);
  CHECK(subscribe(world, named("more")) == kTaken);

  std::string many = "\"fake://0\"";
  for (int i = 1; i <= 256; ++i) many += ",\"fake://" + std::to_string(i) + "\"";
  const auto outlet =
      world.send(request("\"s\"", "subscriptions/listen",
                         modern(R"("notifications":{"resourceSubscriptions":[)" + many + "]}")));
  CHECK(text_at(outlet->answer(), "/error/code") == "-32602");
}

TEST_CASE("requests that listen share the bound on subscriptions with their client") {
  World world;
  const auto listen = [&world](const std::string& id, int from, int count) {
    std::string uris;
    for (int i = from; i < from + count; ++i) {
      uris += (uris.empty() ? "\"fake://" : ",\"fake://") + std::to_string(i) + "\"";
    }
    const auto outlet =
        world.send(request(quoted(id), "subscriptions/listen",
                           modern(R"("notifications":{"resourceSubscriptions":[)" + uris + "]}")));
    return text_at(outlet->answer(), "/error/message");
  };
  const std::string kTaken = "(missing)";  // no error: it goes on
  CHECK(listen("a", 0, 200) == kTaken);
  CHECK(listen("b", 200, 57).find("256 resources") != std::string::npos);
  CHECK(listen("b", 200, 56) == kTaken);
  CHECK(listen("c", 256, 1).find("256 resources") != std::string::npos);
  CHECK(listen("lists", 0, 0) == kTaken);
  world.connection->hung_up("\"b\"");
  CHECK(listen("c", 256, 55) == kTaken);
  CHECK(world.core.hub.wanted().size() == 255);

  world.initialize("2025-06-18");
  const auto subscribe = [&world](const std::string& uri) {
    const auto outlet =
        world.send(request("1", "resources/subscribe", R"({"uri":")" + uri + "\"}"));
    return text_at(outlet->answer(), "/error/message");
  };
  CHECK(subscribe("fake://x") == kTaken);
  CHECK(subscribe("fake://y").find("256 resources") != std::string::npos);
  CHECK(listen("d", 0, 1).find("256 resources") != std::string::npos);
}

}  // namespace
}  // namespace gantry::mcp
