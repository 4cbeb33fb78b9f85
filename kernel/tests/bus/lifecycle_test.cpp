// SPDX-License-Identifier: Apache-2.0
//
// What happens when plugins come late, leave, or never come.
#include "bus_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>

using namespace gantry::kernel;
using namespace gantry::kernel::test;
using Catch::Matchers::Contains;

TEST_CASE("closing a provider answers its calls and the next call finds nobody") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Counter served, dropped, done;
  gantry_incoming* held = nullptr;
  b.serve(
      kAsk,
      [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
        held = call;
        served.add();
      },
      &dropped);
  Answer answer;
  a.call(kAsk, "1", [&](const Answer& got) {
    answer = got;
    done.add();
  });
  REQUIRE(served.reaches(1));
  const CloseReport report = bench.close(b);
  CHECK(report.clean);
  CHECK(report.calls_failed == 1);
  REQUIRE(done.reaches(1));
  CHECK(answer.status == GANTRY_UNAVAILABLE);
  CHECK_THAT(answer.message, Contains("b stopped"));
  CHECK(dropped.get() == 1);
  b.answer(held, "too late");
  CHECK(a.ask(kAsk, "1").status == GANTRY_UNAVAILABLE);
  CHECK(b.serve(kAsk, [](gantry_incoming*, const std::string&, const gantry_envelope&) {}) ==
        GANTRY_UNAVAILABLE);
  bench.finish();
}

TEST_CASE("closing a caller cancels its calls and still completes them") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Counter served, cancelled, done;
  gantry_incoming* held = nullptr;
  b.serve(kAsk, [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
    b.bus->incoming_on_cancel(call, closure([&] { cancelled.add(); }));
    held = call;
    served.add();
  });
  Answer answer;
  a.call(kAsk, "1", [&](const Answer& got) {
    answer = got;
    done.add();
  });
  REQUIRE(served.reaches(1));
  const CloseReport report = bench.close(a);
  CHECK(report.clean);
  CHECK(report.calls_cancelled == 1);
  CHECK(done.get() == 1);  // before close() returned
  CHECK(answer.status == GANTRY_CANCELLED);
  CHECK(cancelled.reaches(1));
  b.bus->incoming_release(held);
  const BodyRef body = make_json_body("1");
  CHECK(a.bus->call(a.host, fnv1a(kAsk), body.get(), nullptr, Plugin::on_completion, nullptr,
                    nullptr) == GANTRY_UNAVAILABLE);
  bench.finish();
}

TEST_CASE("closing ends subscriptions and timers, dropping each once") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin(HostOptions{"b", 3, false, false});
  Counter dropped;
  Journal journal;
  b.subscribe(
      "test.e/1", [&](const std::string& body, const gantry_envelope&) { journal.add(body); }, {},
      &dropped);
  b.exec->timer_start(
      b.host, kMs, kMs, 0,
      closure([guard = std::shared_ptr<void>(nullptr, [&](void*) { dropped.add(); })] {}));
  a.publish("test.e/1", "1");
  journal.after(1);
  CHECK(bench.close(b).clean);
  CHECK(dropped.get() == 2);
  CHECK(a.publish("test.e/1", "2") == GANTRY_OK);
  bench.clock.advance(10 * kMs);
  CHECK(journal.now().size() == 1);
  bench.finish();
}

TEST_CASE("a call to a lazy plugin opens it once and waits for it") {
  Counter done;
  Journal journal;
  std::atomic<int> opened{0};
  BusHooks hooks;
  hooks.open_lazy = [&](std::string_view contract, std::string_view) {
    if (contract != kAsk) return false;
    ++opened;
    return true;
  };
  Bench bench({}, hooks);
  Plugin a = bench.plugin("a");
  for (int i = 0; i < 3; ++i) {
    a.call(kAsk, std::to_string(i), [&](const Answer& got) {
      journal.add(got.body);
      done.add();
    });
  }
  CHECK(opened == 3);  // the hook decides what "once" means: it is told of every call
  CHECK(a.ask("test.other/1", "1").status == GANTRY_UNAVAILABLE);
  CHECK(done.get() == 0);

  SECTION("it comes: held calls run after release") {
    Plugin lazy = bench.plugin(HostOptions{"lazy", 1, false, true});
    Counter initialised;
    bench.runtime.run_on_strand(*lazy.host, [&] {
      lazy.serve_now(kAsk, [](const std::string& request) { return "[" + request + "]"; });
      initialised.add();
    });
    REQUIRE(initialised.reaches(1));
    CHECK(done.get() == 0);
    bench.runtime.release(*lazy.host);
    CHECK(journal.after(3) == std::vector<std::string>{"[0]", "[1]", "[2]"});
  }
  SECTION("it fails: the calls end with the reason") {
    bench.runtime.bus().lazy_ended(kAsk, "lazy could not start: no display");
    REQUIRE(done.reaches(3));
  }
  SECTION("it starts and fails: closing the held host answers") {
    Plugin lazy = bench.plugin(HostOptions{"lazy", 1, false, true});
    lazy.serve_now(kAsk, [](const std::string&) { return "never"; });
    CHECK(bench.close(lazy).clean);
    CHECK(journal.after(3) == std::vector<std::string>{"", "", ""});
  }
  SECTION("it never comes: the deadline holds") {
    bench.clock.advance(31'000 * kMs);
    REQUIRE(done.reaches(3));
    CHECK(journal.now() == std::vector<std::string>{"", "", ""});
  }
  bench.finish();
}

TEST_CASE("call_json finds a contract by name and converts by the server's type") {
  // A type whose JSON is a number and whose object is that number plus one.
  static constexpr auto kRetain = [](void*) {};
  struct Box {
    gantry_body body{};
    int value = 0;
  };
  static gantry_type type = [] {
    gantry_type t{};
    t.size = sizeof t;
    t.name = to_str("Number");
    t.layout_hash = 42;
    t.encode = [](const void* object, gantry_buf* out) {
      *out = make_buf(std::to_string(*static_cast<const int*>(object) - 1));
      return gantry_status{GANTRY_OK};
    };
    t.decode = [](gantry_str json, const gantry_body** out, gantry_error* error) {
      const std::string text(view(json));
      if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
        return Failure{GANTRY_INVALID_ARGUMENT, "/: expected a number", {}}.give(error);
      }
      auto* box = new Box;
      box->value = std::stoi(text) + 1;
      box->body.size = sizeof(gantry_body);
      box->body.type = &type;
      box->body.object = &box->value;
      box->body.owner = box;
      box->body.retain = kRetain;
      box->body.release = [](void* owner) { delete static_cast<Box*>(owner); };
      *out = &box->body;
      return gantry_status{GANTRY_OK};
    };
    return t;
  }();
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  gantry_contract typed = *contract(kAsk, GANTRY_CALL);
  typed.first = &type;
  REQUIRE(b.bus->register_contract(b.host, &typed, nullptr) == GANTRY_OK);
  std::atomic<int> object{0};
  REQUIRE(b.bus->serve(
              b.host, typed.id,
              [](void* user, gantry_incoming* call, const gantry_body* request,
                 const gantry_envelope*) {
                *static_cast<std::atomic<int>*>(user) = *static_cast<const int*>(request->object);
                kBusTable.complete(call, GANTRY_OK, make_json_body("\"done\"").get(), nullptr);
                kBusTable.incoming_release(call);
              },
              &object, nullptr, nullptr) == GANTRY_OK);
  const auto ask = [&](const std::string& name, const std::string& json) {
    Answer answer;
    Counter done;
    auto* completion = new Plugin::Completion([&](const Answer& got) {
      answer = got;
      done.add();
    });
    const gantry_status status = a.bus->call_json(a.host, to_str(name), to_str(json), nullptr,
                                                  Plugin::on_completion, completion, nullptr);
    if (status != GANTRY_OK) {
      delete completion;
      return Answer{status, {}, {}, {}};
    }
    REQUIRE(done.reaches(1));
    return answer;
  };
  const Answer good = ask(kAsk, "41");
  CHECK(good.status == GANTRY_OK);
  CHECK(good.body == "\"done\"");
  CHECK(object == 42);
  const Answer bad = ask(kAsk, "\"x\"");
  CHECK(bad.status == GANTRY_INVALID_ARGUMENT);
  CHECK(bad.message == "/: expected a number");
  const Answer missing = ask("test.nobody/1", "1");
  CHECK(missing.status == GANTRY_UNAVAILABLE);
  CHECK_THAT(missing.message, Contains("test.nobody/1"));
  a.know("test.event/1", GANTRY_EVENT);
  CHECK(ask("test.event/1", "1").status == GANTRY_INVALID_ARGUMENT);
  bench.finish();
}

TEST_CASE("the flight recorder keeps the newest deliveries") {
  RuntimeOptions options;
  options.recorder_size = 8;
  Bench bench(options);
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  b.serve_now(kAsk, [](const std::string& request) { return request; });
  for (int i = 0; i < 100; ++i) {
    a.ask(kAsk, "\"0123456789\"");
    bench.clock.advance(kMs);
  }
  a.ask("test.nobody/1", "1");
  const auto records = bench.runtime.bus().recorder().newest(3);
  REQUIRE(records.size() == 3);
  CHECK(std::any_of(records.begin(), records.end(), [&](const FlightRecord& r) {
    return r.contract == fnv1a("test.nobody/1") && r.status == GANTRY_UNAVAILABLE &&
           r.sender == a.host->index && r.receiver == kNoHost && r.kind == GANTRY_CALL;
  }));
  CHECK(std::any_of(records.begin(), records.end(), [&](const FlightRecord& r) {
    return r.contract == fnv1a(kAsk) && r.status == GANTRY_OK && r.receiver == b.host->index &&
           r.bytes == 12 && (r.trace_hi | r.trace_lo) != 0;
  }));
  bench.finish();
}

TEST_CASE("a flight record names the span that it came from") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Counter heard;
  a.know("test.event/1", GANTRY_EVENT);
  b.subscribe("test.event/1", [&](const std::string&, const gantry_envelope&) { heard.add(); });
  b.serve(kAsk, [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
    b.publish("test.event/1", "1");
    b.answer(call, "1");
  });
  CHECK(a.ask(kAsk, "1").status == GANTRY_OK);
  REQUIRE(heard.reaches(1));
  bench.finish();  // what was delivered is recorded
  FlightRecord call, event;
  for (const FlightRecord& record : bench.runtime.bus().recorder().newest(10)) {
    (record.kind == GANTRY_CALL ? call : event) = record;
  }
  CHECK(call.span != 0);
  CHECK(call.parent_span == 0);  // a was not handling anything
  CHECK(event.parent_span == call.span);
  CHECK(event.trace_lo == call.trace_lo);
}

TEST_CASE("a type that throws costs its message, not the daemon") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  static const int kObject = 7;
  static gantry_type type{};
  type.size = sizeof type;
  type.encode = [](const void*, gantry_buf*) -> gantry_status { throw std::runtime_error("no"); };
  type.weight = [](const void*) -> std::size_t { throw 1; };
  static gantry_body body{};
  body.size = sizeof body;
  body.type = &type;
  body.object = &kObject;
  body.retain = body.release = [](void*) {};
  gantry_buf json{};
  CHECK(kBusTable.body_to_json(&body, &json) == GANTRY_INTERNAL);
  CHECK(json.data == nullptr);
  CHECK(body_weight(&body) == sizeof(gantry_body));
  Counter heard;
  a.know("test.event/1", GANTRY_EVENT);
  b.subscribe("test.event/1", [&](const std::string& text, const gantry_envelope&) {
    CHECK(text.empty());
    heard.add();
  });
  const gantry_send_options options{sizeof options, GANTRY_LANE_INTERACTIVE, 0, 0};
  CHECK(a.bus->publish(a.host, fnv1a("test.event/1"), &body, &options) == GANTRY_OK);
  CHECK(heard.reaches(1));
  bench.finish();
}

TEST_CASE("who cannot work here or is not preferred is asked last, after what can be opened") {
  std::vector<std::string> opened;
  bool comes = true;
  BusHooks hooks;
  hooks.open_lazy = [&](std::string_view, std::string_view target) {
    opened.emplace_back(target);
    return comes;
  };
  Bench bench({}, hooks);
  Plugin a = bench.plugin("a"), poor = bench.plugin("poor"), lazy = bench.plugin("lazy");
  poor.serve_now(kAsk, [](const std::string&) { return "poor"; });
  Counter done;
  Journal journal;
  const auto ask = [&] {
    a.call(kAsk, "1", [&](const Answer& got) {
      journal.add(got.body);
      done.add();
    });
  };
  const auto lazy_serves = [&] { lazy.serve_now(kAsk, [](const std::string&) { return "lazy"; }); };

  SECTION("suitability 0 waits for the plugin that is opened") {
    bench.runtime.bus().set_suitability(*poor.host, 0, "no display");
    ask();
    CHECK(done.get() == 0);
    lazy_serves();
    CHECK(journal.after(1) == std::vector<std::string>{"lazy"});
  }
  SECTION("and answers when that one fails, does not serve it, or there is none") {
    bench.runtime.bus().set_suitability(*poor.host, 0, "no display");
    ask();
    bench.runtime.bus().lazy_ended(kAsk, "lazy could not start");
    REQUIRE(done.reaches(1));
    ask();
    bench.runtime.bus().lazy_ended(kAsk, "");
    REQUIRE(done.reaches(2));
    comes = false;
    ask();
    CHECK(journal.after(3) == std::vector<std::string>{"poor", "poor", "poor"});
  }
  SECTION("the preferred plugin is opened although another suits") {
    bench.runtime.bus().prefer(kAsk, "lazy");
    ask();
    CHECK(opened == std::vector<std::string>{"lazy"});
    lazy_serves();
    CHECK(journal.after(1) == std::vector<std::string>{"lazy"});
    ask();
    CHECK(journal.after(2).back() == "lazy");
    CHECK(opened.size() == 1);
  }
  SECTION("a preference for nobody costs nothing but the question") {
    comes = false;
    bench.runtime.bus().prefer(kAsk, "nobody");
    ask();
    CHECK(journal.after(1) == std::vector<std::string>{"poor"});
    CHECK(opened == std::vector<std::string>{"nobody"});
  }
  SECTION("who suits is asked at once") {
    ask();
    CHECK(journal.after(1) == std::vector<std::string>{"poor"});
    CHECK(opened.empty());
  }
  bench.finish();
}
