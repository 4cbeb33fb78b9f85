// SPDX-License-Identifier: Apache-2.0
#include "bus_fixture.hpp"

#include <catch2/catch.hpp>

#include <thread>

using namespace gantry::kernel;
using namespace gantry::kernel::test;

namespace {
const std::string kEvent = "test.changed/1";

/// Holds a plugin's strand until it goes.
class Hold {
 public:
  explicit Hold(Plugin& plugin) {
    plugin.exec->post(plugin.host, 0, GANTRY_LANE_CONTROL, closure([this] {
                        inside_.add();
                        leave_.reaches(1);
                        left_.add();
                      }));
    inside_.reaches(1);
  }
  ~Hold() { release(); }
  void release() {
    if (released_) return;
    released_ = true;
    leave_.add();
    left_.reaches(1);
  }

 private:
  bool released_ = false;
  Counter inside_, leave_, left_;
};
}  // namespace

TEST_CASE("an event reaches every subscriber with its sender, trace and body") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b"), c = bench.plugin("c");
  Journal journal;
  for (Plugin* p : {&b, &c}) {
    p->subscribe(kEvent, [&, p](const std::string& body, const gantry_envelope& e) {
      CHECK(e.contract == fnv1a(kEvent));
      CHECK((e.trace_hi | e.trace_lo) != 0);
      CHECK(e.deadline_ns == INT64_MAX);
      CHECK(e.key == 7);
      journal.add(p->host->name + " " + std::string(view(e.sender)) + " " + body);
    });
  }
  gantry_send_options options{sizeof options, GANTRY_LANE_INTERACTIVE, 0, 7};
  CHECK(a.publish(kEvent, "1", options) == GANTRY_OK);
  auto got = journal.after(2);
  std::sort(got.begin(), got.end());
  CHECK(got == std::vector<std::string>{"b a 1", "c a 1"});
  const auto counters = bench.counters(kEvent);
  CHECK(counters.published == 1);
  bench.finish();
}

TEST_CASE("events arrive in the order in which they were published, between contracts too") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  for (const char* name : {"test.x/1", "test.y/1"}) {
    b.subscribe(name, [&](const std::string& body, const gantry_envelope&) { journal.add(body); });
  }
  std::vector<std::string> expected;
  {
    Hold hold(b);
    for (int i = 0; i < 100; ++i) {
      expected.push_back(std::to_string(i));
      a.publish(i % 3 == 0 ? "test.x/1" : "test.y/1", expected.back());
    }
  }
  CHECK(journal.after(100) == expected);
  bench.finish();
}

TEST_CASE("the control lane does not wait for the events that came in one run") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  b.subscribe(kEvent, [&](const std::string& body, const gantry_envelope&) {
    journal.add(body);
    if (body != "1") return;
    b.exec->post(b.host, 0, GANTRY_LANE_CONTROL, closure([&] { journal.add("control"); }));
    b.exec->post(b.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { journal.add("last"); }));
  });
  {
    Hold hold(b);
    for (const char* body : {"1", "2", "3", "4"}) a.publish(kEvent, body);
  }
  CHECK(journal.after(6) == std::vector<std::string>{"1", "control", "2", "3", "4", "last"});
  bench.finish();
}

TEST_CASE("a full mailbox follows its policy") {
  struct Case {
    gantry_overflow policy;
    std::vector<std::pair<std::uint64_t, std::string>> sent;  // key, body
    std::vector<std::string> received;
    int dropped;
    bool closes;
  };
  const std::vector<Case> cases = {
      {GANTRY_OVERFLOW_REJECT, {{0, "1"}, {0, "2"}, {0, "3"}, {0, "4"}}, {"1", "2"}, 2, false},
      {GANTRY_OVERFLOW_DROP_OLDEST, {{0, "1"}, {0, "2"}, {0, "3"}, {0, "4"}}, {"3", "4"}, 2, false},
      {GANTRY_OVERFLOW_COALESCE, {{5, "1"}, {6, "2"}, {5, "3"}, {7, "4"}}, {"3", "2"}, 2, false},
      {GANTRY_OVERFLOW_COALESCE, {{0, "1"}, {0, "2"}, {0, "3"}}, {"1", "2"}, 1, false},
      {GANTRY_OVERFLOW_CLOSE, {{0, "1"}, {0, "2"}, {0, "3"}}, {}, 3, true},
  };
  for (const Case& c : cases) {
    INFO("policy " << c.policy);
    Bench bench;
    Plugin a = bench.plugin("a"), b = bench.plugin("b");
    Journal journal;
    Counter dropped;
    gantry_subscribe_options options{sizeof options, 2, static_cast<std::uint32_t>(c.policy), 0};
    b.subscribe(
        kEvent, [&](const std::string& body, const gantry_envelope&) { journal.add(body); },
        options, &dropped);
    {
      Hold hold(b);
      for (const auto& [key, body] : c.sent) {
        gantry_send_options send{sizeof send, GANTRY_LANE_INTERACTIVE, 0, key};
        CHECK(a.publish(kEvent, body, send) == GANTRY_OK);
      }
    }
    b.run([] {});
    CHECK(journal.now() == c.received);
    CHECK(bench.counters(kEvent).dropped == static_cast<std::uint64_t>(c.dropped));
    if (c.closes) {
      CHECK(dropped.reaches(1));
      CHECK(bench.runtime.bus().contracts().front().subscribers.empty());
    } else {
      CHECK(dropped.get() == 0);
    }
    bench.finish();
  }
}

TEST_CASE("a mailbox of one takes events while its handler takes the one before") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  constexpr std::uint64_t kSent = 300'000;
  std::atomic<std::uint64_t> received{0};
  const gantry_subscribe_options options{sizeof options, 1, GANTRY_OVERFLOW_DROP_OLDEST, 0};
  b.subscribe(
      kEvent, [&](const std::string&, const gantry_envelope&) { ++received; }, options);
  std::vector<std::thread> publishers;
  for (int i = 0; i < 3; ++i) {
    publishers.emplace_back([&] {
      for (std::uint64_t n = 0; n < kSent / 3; ++n) a.publish(kEvent, "x");
    });
  }
  for (auto& publisher : publishers) publisher.join();
  b.run([] {});
  CHECK(received + bench.counters(kEvent).dropped == kSent);
  bench.finish();
}

TEST_CASE("a mailbox may be bounded in bytes") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  gantry_subscribe_options options{sizeof options, 100, GANTRY_OVERFLOW_DROP_OLDEST, 10};
  b.subscribe(
      kEvent, [&](const std::string& body, const gantry_envelope&) { journal.add(body); }, options);
  {
    Hold hold(b);
    for (const char* body : {"aaaa", "bbbb", "cccccccc", "ddddddddddd"}) a.publish(kEvent, body);
  }
  b.run([] {});
  CHECK(journal.now() == std::vector<std::string>{"cccccccc"});
  CHECK(bench.counters(kEvent).dropped == 3);
  bench.finish();
}

TEST_CASE("after unsubscribe nothing more arrives and drop comes once") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  Counter dropped;
  const gantry_handle handle = b.subscribe(
      kEvent, [&](const std::string& body, const gantry_envelope&) { journal.add(body); }, {},
      &dropped);
  a.publish(kEvent, "1");
  journal.after(1);
  {
    Hold hold(b);
    a.publish(kEvent, "2");
    b.bus->unsubscribe(b.host, handle);
    b.bus->unsubscribe(b.host, handle);
    CHECK(dropped.get() == 0);
  }
  CHECK(dropped.reaches(1));
  a.publish(kEvent, "3");
  b.run([] {});
  CHECK(journal.now() == std::vector<std::string>{"1"});
  CHECK(dropped.get() == 1);
  bench.finish();
}

TEST_CASE("events on their way to a handler count against the bound of its mailbox") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  Counter inside, leave;
  gantry_subscribe_options options{sizeof options, 4, GANTRY_OVERFLOW_REJECT, 0};
  b.subscribe(
      kEvent,
      [&](const std::string& body, const gantry_envelope&) {
        journal.add(body);
        if (body != "1") return;
        inside.add();
        leave.reaches(1);
      },
      options);
  {
    Hold hold(b);
    for (const char* body : {"1", "2", "3", "4"}) a.publish(kEvent, body);
  }
  REQUIRE(inside.reaches(1));  // 2, 3 and 4 wait: there is room for one
  for (const char* body : {"5", "6"}) a.publish(kEvent, body);
  leave.add();
  CHECK(journal.after(5) == std::vector<std::string>{"1", "2", "3", "4", "5"});
  b.run([] {});
  CHECK(bench.counters(kEvent).dropped == 1);
  CHECK(bench.counters(kEvent).delivered == 5);
  bench.finish();
}

TEST_CASE("a handler that unsubscribes gets nothing of what was already on its way") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  Counter dropped;
  gantry_handle handle = 0;
  handle = b.subscribe(
      kEvent,
      [&](const std::string& body, const gantry_envelope&) {
        journal.add(body);
        b.bus->unsubscribe(b.host, handle);
      },
      {}, &dropped);
  {
    Hold hold(b);
    for (const char* body : {"1", "2", "3"}) a.publish(kEvent, body);
  }
  CHECK(dropped.reaches(1));
  b.run([] {});
  CHECK(journal.now() == std::vector<std::string>{"1"});
  CHECK(bench.counters(kEvent).dropped == 2);
  bench.finish();
}

TEST_CASE("registration refuses what does not fit together") {
  Bench bench;
  Plugin a = bench.plugin("a");
  a.know("test.x/1", GANTRY_EVENT);
  a.know("test.x/1", GANTRY_EVENT);
  gantry_error error{};
  CHECK(a.bus->register_contract(a.host, contract("test.x/1", GANTRY_CALL), &error) ==
        GANTRY_ALREADY_EXISTS);
  CHECK(std::string(view(error.message)).find("an event already") != std::string::npos);
  release_buf(error.message);
  gantry_contract wrong = *contract("test.z/1", GANTRY_CALL);
  wrong.id = 1;
  CHECK(a.bus->register_contract(a.host, &wrong, nullptr) == GANTRY_INVALID_ARGUMENT);
  const BodyRef body = make_json_body("1");
  CHECK(a.bus->publish(a.host, fnv1a("test.unknown/1"), body.get(), nullptr) == GANTRY_NOT_FOUND);
  a.know("test.c/1", GANTRY_CALL);
  CHECK(a.bus->publish(a.host, fnv1a("test.c/1"), body.get(), nullptr) == GANTRY_INVALID_ARGUMENT);
  bench.finish();
}

TEST_CASE("a failed subscribe still drops its user") {
  Bench bench;
  Plugin a = bench.plugin("a");
  Counter dropped;
  gantry_error error{};
  const auto drop = [](void* user) { static_cast<Counter*>(user)->add(); };
  CHECK(a.bus->subscribe(
            a.host, 1234, nullptr, [](void*, const gantry_body*, const gantry_envelope*) {},
            &dropped, drop, nullptr, &error) == GANTRY_NOT_FOUND);
  CHECK(dropped.get() == 1);
  release_buf(error.message);
  bench.finish();
}

TEST_CASE("strands: events with one key stay in order while keys run side by side") {
  Bench bench(RuntimeOptions{4});
  Plugin a = bench.plugin("a");
  Plugin b = bench.plugin(HostOptions{"b", 4, false, false});
  constexpr int kKeys = 8, kEach = 500;
  std::array<std::atomic<int>, kKeys> next{};
  std::atomic<int> wrong{0};
  Counter seen;
  b.subscribe(
      kEvent,
      [&](const std::string& body, const gantry_envelope& e) {
        if (next[e.key - 1].fetch_add(1) != std::stoi(body)) ++wrong;
        seen.add();
      },
      gantry_subscribe_options{sizeof(gantry_subscribe_options), 100000, 0, 0});
  for (int i = 0; i < kEach; ++i) {
    for (std::uint64_t key = 1; key <= kKeys; ++key) {
      a.publish(kEvent, std::to_string(i),
                gantry_send_options{sizeof(gantry_send_options), GANTRY_LANE_INTERACTIVE, 0, key});
    }
  }
  CHECK(seen.reaches(kKeys * kEach));
  CHECK(wrong == 0);
  bench.finish();
}

TEST_CASE("a handler that publishes passes its trace on") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b"), c = bench.plugin("c");
  Journal journal;
  const auto note = [&](const gantry_envelope& e) {
    journal.add(std::to_string(e.trace_hi) + ":" + std::to_string(e.trace_lo));
  };
  std::atomic<std::uint64_t> first_span{0};
  b.know("test.second/1", GANTRY_EVENT);
  b.subscribe(kEvent, [&](const std::string&, const gantry_envelope& e) {
    note(e);
    first_span = e.span;
    b.publish("test.second/1", "2");
  });
  c.subscribe("test.second/1", [&](const std::string&, const gantry_envelope& e) {
    CHECK(e.parent_span == first_span);
    CHECK(e.span != e.parent_span);
    note(e);
  });
  a.publish(kEvent, "1");
  const auto got = journal.after(2);
  CHECK(got[0] == got[1]);
  bench.finish();
}
