// SPDX-License-Identifier: Apache-2.0
// What clients may have the server keep: of messages, of requests under way, of batches, and of
// answers for who comes back.
#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

#include "http_outlet.hpp"
#include "http_session.hpp"
#include "messages.hpp"

using namespace gantry;
using namespace gantry::mcp;

namespace {

std::string times(std::size_t count, std::string_view what) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += what;
  return out;
}

std::string call(const std::string& id, const std::string& arguments) {
  return request(id, "tools/call", R"({"name":"echo","arguments":)" + arguments + "}");
}

}  // namespace

TEST_CASE("a message of too many values is refused before it is read") {
  World world;
  world.initialize("2025-11-25");
  const std::string most = times(99'000, "1,") + "1";
  CHECK(text_at(world.send(request("1", "ping", R"({"a":[)" + most + "]}"))->answer(), "/result") ==
        "{}");
  const std::string more = most + times(1'100, ",{}");
  const auto refused = world.send(request("2", "ping", R"({"a":[)" + more + "]}"));
  CHECK(text_at(refused->answer(), "/error/code") == "-32600");
  CHECK(text_at(refused->answer(), "/error/data/limit") == "100000");
  CHECK(text_at(refused->answer(), "/error/data/code") == "resource_exhausted");
  // Commas and brackets within strings are text.
  const std::string text = times(60'000, R"(,[{\"\\)");
  CHECK(text_at(world.send(request("3", "ping", R"({"a":")" + text + R"("})"))->answer(),
                "/result") == "{}");
}

TEST_CASE("requests of all clients that are under way have a limit, and each client a part of it") {
  World world;
  world.initialize("2025-11-25");
  const std::string big = R"({"a":")" + std::string(9U << 20U, 'x') + R"("})";
  for (const char* id : {"1", "2", "3"}) CHECK(world.send(call(id, big))->response.empty());
  const auto refused = world.send(call("4", big));
  CHECK(text_at(refused->answer(), "/error/code") == "-32000");
  CHECK(text_at(refused->answer(), "/error/data/code") == "resource_exhausted");
  CHECK(text_at(refused->answer(), "/error/data/retry") == "true");
  CHECK(world.source->runs.size() == 3);
  CHECK(world.send(call("5", "{}"))->response.empty());

  const auto first = world.connection;
  Peer peer;
  peer.principal = "somebody else";
  world.connect(peer);
  world.initialize("2025-11-25");
  CHECK(world.send(call("6", big))->response.empty());
  CHECK(text_at(world.send(call("7", big))->answer(), "/error/data/code") == "resource_exhausted");

  first->close();
  world.source->runs.clear();
  CHECK(world.send(call("8", big))->response.empty());
  CHECK(world.source->runs.size() == 1);
}

TEST_CASE("one request may be larger than what is allowed together, and small ones always pass") {
  const auto all = std::make_shared<FairBudget>(Load::kMost);
  Load load(all);
  auto whole = load.take(Load::kMost + 1);
  CHECK(whole);
  CHECK_FALSE(load.take(Load::kSmall));
  for (int i = 0; i < 10'000; ++i) CHECK(load.take(Load::kSmall - 1));
  whole.reset();
  CHECK(load.take(Load::kMost));
}

TEST_CASE("one client's large requests leave others their part") {
  const auto all = std::make_shared<FairBudget>(Load::kMost);
  Load greedy(all);
  Load modest(all);
  std::vector<std::shared_ptr<void>> held;
  for (int i = 0; i < 8; ++i) held.push_back(greedy.take(Load::kMost / 8));
  CHECK_FALSE(greedy.take(Load::kSmall));
  auto half = modest.take(Load::kMost / 2);
  CHECK(half);
  CHECK_FALSE(modest.take(Load::kSmall));
  held.clear();
  CHECK(greedy.take(Load::kMost / 2));
}

TEST_CASE("a batch whose answers are long enough begins nothing more") {
  World world;
  world.initialize("2025-03-26");
  world.source->tools.front().description = std::string(1U << 20U, 'd');
  const auto outlet = std::make_shared<Recorder>();
  const auto answers = std::make_shared<BatchAnswers>(outlet);
  std::string text = "[";
  for (int i = 1; i <= 6; ++i) text += request(std::to_string(i), "tools/list", "{}") + ",";
  text += R"({"jsonrpc":"2.0","method":"notifications/initialized"}])";
  const auto ids = hand_over_batch(*world.connection, parse_messages(text).messages, answers, {});
  CHECK_FALSE(answers->seal());
  const json::value all = outlet->answer();
  REQUIRE(all.as_array().size() == 6);
  CHECK(ids.size() == 4);
  CHECK(text_at(all, "/3/result/tools/0/name") == "echo");
  CHECK(text_at(all, "/4/id") == "5");
  CHECK(text_at(all, "/4/error/code") == "-32000");
  CHECK(text_at(all, "/5/error/data/retry") == "true");
}

TEST_CASE("what does not fit into a batch's answer any more says that it was done") {
  const auto outlet = std::make_shared<Recorder>();
  const auto answers = std::make_shared<BatchAnswers>(outlet);
  for (int i = 0; i < 2; ++i) answers->expect();
  answers->add("1", '"' + std::string(BatchAnswers::kMost, 'x') + '"');
  answers->add("2", R"({"jsonrpc":"2.0","id":2,"result":{}})");
  CHECK_FALSE(answers->seal());
  CHECK(text_at(outlet->answer(), "/1/id") == "2");
  CHECK(text_at(outlet->answer(), "/1/error/data/code") == "resource_exhausted");
  CHECK(text_at(outlet->answer(), "/1/error/data/retry") == "(missing)");
}

TEST_CASE("finished streams of a session keep together what one may") {
  HttpSession session("secret", "local", {256, 1000});
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 4; ++i) {
    const auto stream = session.open_stream();
    numbers.push_back(stream->number());
    stream->push(std::string(600, 'x'));
    if (i != 1) stream->finish();
  }
  (void)session.open_stream();
  CHECK_FALSE(session.streams.contains(numbers[0]));
  CHECK(session.streams.contains(numbers[1]));  // under way
  CHECK_FALSE(session.streams.contains(numbers[2]));
  CHECK(session.streams.contains(numbers[3]));
  CHECK(session.streams.contains(session.aside->number()));
}

TEST_CASE("answers to requests that were open at once are kept within the limit as well") {
  const auto session = std::make_shared<HttpSession>("id", "local", ReplayLimits{256, 1000});
  std::vector<std::shared_ptr<HttpOutlet>> outlets;
  OutletOptions options;
  options.may_stream = true;
  for (int i = 0; i < 10; ++i) {
    auto writer = std::make_shared<PartWriter>(Stream<HttpPart>());
    outlets.push_back(std::make_shared<HttpOutlet>(std::move(writer), session, options));
    outlets.back()->keep_alive();  // long ones have begun to be answered
  }
  for (const auto& outlet : outlets) outlet->respond(std::string(400, 'x'), 200);
  std::size_t kept = 0;
  for (const auto& [number, stream] : session->streams) kept += stream->kept_bytes();
  CHECK(kept >= 400);
  CHECK(kept <= 1000);
}
