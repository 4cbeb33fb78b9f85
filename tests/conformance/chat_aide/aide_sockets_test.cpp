// SPDX-License-Identifier: Apache-2.0
//
// Sockets that come, go, and are several.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "aide_world.hpp"

namespace gantry::conformance {
namespace {

TEST_CASE("aide: whoever comes back receives the rest") {
  AideWorld world;
  const std::string cookie = world.cookie();
  {
    AideClient client(world, cookie);
    CHECK(text_in(client.next(), "type") == "models");
    client.say("@script chunks [\"a\", \"b\", \"c\"] every 200ms");
    CHECK(text_in(client.until("text").back(), "content") == "a");
  }
  AideClient again(world, cookie);
  CHECK(text_in(again.next(), "type") == "models");
  const auto frames = again.until("done");
  CHECK(text_in(frames.back(), "text") == "abc");
}

TEST_CASE("aide: who has gone confirms nothing") {
  AideWorld world;
  const std::string cookie = world.cookie();
  {
    AideClient client(world, cookie);
    client.say(kWrite);
    (void)client.until("confirmation_required");
    client.socket().send_close();
    CHECK(client.socket().receive().opcode == testkit::WsOpcodeRaw::Close);
  }
  AideClient again(world, cookie);
  const auto frames = again.until("done");
  bool denied = false;
  for (const auto& frame : frames) {
    denied = denied || text_in(frame, "result_summary") == "denied by user";
  }
  CHECK(denied);
  CHECK_FALSE(std::filesystem::exists(world.file("note.txt")));
}

TEST_CASE("aide: two sockets at one place see the same") {
  AideWorld world;
  AideClient first = greeted(world);
  AideClient second = greeted(world);
  first.say("@script reply For both.");
  CHECK(text_in(first.until("done").back(), "text") == "For both.");
  CHECK(text_in(second.until("done").back(), "text") == "For both.");
}

TEST_CASE("aide: what waits of a socket that goes is not run, also where another stays") {
  AideWorld world;
  AideClient stays = greeted(world);
  {
    AideClient goes = greeted(world);
    goes.say(kWrite);
    (void)goes.until("confirmation_required");
    goes.say("@script reply Not begun.");
    goes.socket().send_close();
    CHECK(goes.socket().receive().opcode == testkit::WsOpcodeRaw::Close);
  }
  const std::string call = text_in(stays.until("confirmation_required").back(), "call_id");
  stays.say("@script reply Mine.");
  stays.send(R"({"type":"confirm","call_id":")" + call + R"(","response":true})");
  CHECK(text_in(stays.until("done").back(), "text") == "Written.");
  CHECK(text_in(stays.until("done").back(), "text") == "Mine.");
}

TEST_CASE("aide: who comes while a question is open may answer it") {
  AideWorld world;
  AideClient first = greeted(world);
  first.say(kWrite);
  (void)first.until("confirmation_required");
  AideClient second = greeted(world);
  const std::string call = text_in(second.until("confirmation_required").back(), "call_id");
  second.send(R"({"type":"confirm","call_id":")" + call + R"(","response":true})");
  CHECK(first.until("done").front().at("confirmed").as_bool());
  CHECK(std::filesystem::exists(world.file("note.txt")));
}

}  // namespace
}  // namespace gantry::conformance
