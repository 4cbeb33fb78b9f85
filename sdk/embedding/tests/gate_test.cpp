// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/gate.hpp>
#include <gantry/testkit/fake_host.hpp>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

namespace gantry::embedding {
namespace {

using namespace std::chrono_literals;

struct Line {
  testkit::FakeHost kit;
  Gate gate{kit.host()};
  std::vector<std::string> seen;

  Line() { gate.configure({2, 2, 5s}); }
  Gate::Place enter(const std::string& name) {
    return gate.enter({[this, name](Duration waited) {
                         seen.push_back(name + " after " + std::to_string(waited / 1ms));
                       },
                       [this, name](Gate::Refusal why) {
                         const char* words[] = {" full", " waited", " stopped"};
                         seen.push_back(name + words[static_cast<int>(why)]);
                       }});
  }
};

using Seen = std::vector<std::string>;

TEST_CASE("so many at a time, the others in their order") {
  Line line;
  for (const char* name : {"a", "b", "c", "d"}) line.enter(name);
  CHECK(line.seen == Seen{"a after 0", "b after 0"});
  line.kit.advance(20ms);
  line.gate.leave();
  CHECK(line.seen.back() == "c after 20");
  line.kit.advance(5ms);
  line.gate.leave();
  CHECK(line.seen.back() == "d after 25");
  CHECK(line.gate.under_way() == 2);
}

TEST_CASE("a full line refuses at once") {
  Line line;
  for (const char* name : {"a", "b", "c", "d", "e"}) line.enter(name);
  CHECK(line.seen == Seen{"a after 0", "b after 0", "e full"});
}

TEST_CASE("who has waited too long is refused, and only once") {
  Line line;
  for (const char* name : {"a", "b", "c"}) line.enter(name);
  line.kit.advance(5s - 1ns);
  CHECK(line.seen.size() == 2);
  line.kit.advance(1ns);
  CHECK(line.seen.back() == "c waited");
  line.gate.leave();
  line.kit.advance(10s);
  CHECK(line.seen.size() == 3);
}

TEST_CASE("who gives up leaves the line") {
  Line line;
  line.enter("a");
  line.enter("b");
  const auto place = line.enter("c");
  line.enter("d");
  line.gate.give_up(place);
  line.gate.leave();
  CHECK(line.seen.back() == "d after 0");
  line.gate.give_up(place);  // nothing happens
  CHECK(line.gate.waiting() == 0);
}

TEST_CASE("more room lets those in who wait, and a stop sends them away") {
  Line line;
  for (const char* name : {"a", "b", "c", "d"}) line.enter(name);
  line.gate.configure({3, 2, 5s});
  CHECK(line.seen.back() == "c after 0");
  line.gate.stop();
  CHECK(line.seen.back() == "d stopped");
  line.enter("e");
  CHECK(line.seen.back() == "e stopped");
}

}  // namespace
}  // namespace gantry::embedding
