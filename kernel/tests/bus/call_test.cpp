// SPDX-License-Identifier: Apache-2.0
#include "bus_fixture.hpp"

#include <catch2/catch.hpp>

using namespace gantry::kernel;
using namespace gantry::kernel::test;
using Catch::Matchers::Contains;

namespace {

gantry_call_options with_timeout(std::int64_t ns) {
  gantry_call_options options{};
  options.size = sizeof options;
  options.lane = GANTRY_LANE_INTERACTIVE;
  options.timeout_ns = ns;
  return options;
}
}  // namespace

TEST_CASE("a call is answered once, on the caller's strand") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  b.serve_now(kAsk, [](const std::string& request) { return request + request; });
  const Answer answer = a.ask(kAsk, "12");
  CHECK(answer.status == GANTRY_OK);
  CHECK(answer.body == "1212");
  const auto counters = bench.counters(kAsk);
  CHECK(counters.calls == 1);
  CHECK(counters.finished == 1);
  CHECK(counters.errors == 0);
  bench.finish();
}

TEST_CASE("a call that nobody serves names the contract and who could") {
  BusHooks hooks;
  hooks.missing_provider = [](std::string_view) {
    return MissingProvider{{"linux_x11", "mock"}, "add one of them to plugins.enabled"};
  };
  Bench bench({}, hooks);
  Plugin a = bench.plugin("a");
  const Answer answer = a.ask(kAsk, "1");
  CHECK(answer.status == GANTRY_UNAVAILABLE);
  CHECK_THAT(answer.message,
             Contains(kAsk) && Contains("linux_x11, mock") && Contains("plugins.enabled"));
  CHECK(answer.detail == R"({"contract":"test.ask/1","plugins":["linux_x11","mock"]})");
  bench.finish();
}

TEST_CASE("a call says when a plugin that is enabled should serve it and does not run") {
  BusHooks hooks;
  hooks.missing_provider = [](std::string_view) {
    return MissingProvider{{"mock"}, "plugin mock is failed", true};
  };
  Bench bench({}, hooks);
  Plugin a = bench.plugin("a");
  CHECK(a.ask(kAsk, "1").detail == R"({"contract":"test.ask/1","plugins":["mock"],"down":true})");
  bench.finish();
}

TEST_CASE("the deadline completes the call, tells the server and comes once") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  gantry_incoming* held = nullptr;
  Counter served, cancelled, dropped, completed;
  b.serve(kAsk, [&](gantry_incoming* call, const std::string&, const gantry_envelope& e) {
    CHECK(e.deadline_ns == bench.clock.monotonic_ns() + 50 * kMs);
    held = call;
    b.bus->incoming_on_cancel(call, closure([&, guard = std::shared_ptr<void>(nullptr, [&](void*) {
                                                  dropped.add();
                                                })] { cancelled.add(); }));
    served.add();
  });
  Answer answer;
  a.call(
      kAsk, "1",
      [&](const Answer& got) {
        answer = got;
        completed.add();
      },
      with_timeout(50 * kMs));
  REQUIRE(served.reaches(1));
  bench.clock.advance(49 * kMs);
  CHECK(b.bus->incoming_cancelled(held) == 0);
  CHECK(completed.get() == 0);
  bench.clock.advance(1 * kMs);
  REQUIRE(completed.reaches(1));
  CHECK(answer.status == GANTRY_DEADLINE_EXCEEDED);
  CHECK_THAT(answer.message, Contains(kAsk) && Contains("b") && Contains("50 ms"));
  CHECK(cancelled.reaches(1));
  CHECK(dropped.reaches(1));
  CHECK(b.bus->incoming_cancelled(held) == 1);
  b.answer(held, "too late");
  a.run([] {});
  CHECK(completed.get() == 1);
  CHECK(bench.runtime.bus().counters(*b.host).double_completions == 0);
  bench.finish();
}

TEST_CASE("cancel completes at once and reaches the server") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Counter served, cancelled, completed;
  gantry_incoming* held = nullptr;
  b.serve(kAsk, [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
    held = call;
    served.add();
  });
  Answer answer;
  const gantry_handle handle = a.call(kAsk, "1", [&](const Answer& got) {
    answer = got;
    completed.add();
  });
  REQUIRE(served.reaches(1));
  a.bus->cancel(a.host, handle);
  a.bus->cancel(a.host, handle);
  REQUIRE(completed.reaches(1));
  CHECK(answer.status == GANTRY_CANCELLED);
  // Asking after the fact runs the closure at once.
  b.bus->incoming_on_cancel(held, closure([&] { cancelled.add(); }));
  CHECK(cancelled.reaches(1));
  b.bus->incoming_release(held);
  a.run([] {});
  CHECK(completed.get() == 1);
  bench.finish();
}

TEST_CASE("a nested call inherits trace and deadline and is cancelled with its parent") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b"), c = bench.plugin("c");
  Counter deep, done, inner_done;
  gantry_incoming *outer = nullptr, *inner = nullptr;
  gantry_envelope outer_envelope{}, inner_envelope{};
  Answer inner_answer;
  c.serve("test.inner/1", [&](gantry_incoming* call, const std::string&, const gantry_envelope& e) {
    inner = call;
    inner_envelope = e;
    deep.add();
  });
  b.serve(kAsk, [&](gantry_incoming* call, const std::string&, const gantry_envelope& e) {
    outer = call;
    outer_envelope = e;
    b.call(
        "test.inner/1", "2",
        [&](const Answer& got) {
          inner_answer = got;
          inner_done.add();
        },
        with_timeout(3600'000 * kMs));
  });
  const gantry_handle handle = a.call(
      kAsk, "1", [&](const Answer&) { done.add(); }, with_timeout(80 * kMs));
  REQUIRE(deep.reaches(1));
  CHECK(inner_envelope.deadline_ns == outer_envelope.deadline_ns);
  CHECK(inner_envelope.trace_hi == outer_envelope.trace_hi);
  CHECK(inner_envelope.trace_lo == outer_envelope.trace_lo);
  CHECK(inner_envelope.parent_span == outer_envelope.span);
  a.bus->cancel(a.host, handle);
  REQUIRE(done.reaches(1));
  REQUIRE(inner_done.reaches(1));
  CHECK(inner_answer.status == GANTRY_CANCELLED);
  CHECK(c.bus->incoming_cancelled(inner) == 1);
  c.bus->incoming_release(inner);
  b.bus->incoming_release(outer);
  bench.finish();
}

TEST_CASE("posts and blocking work carry the context of the handler") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Counter checked;
  b.serve(kAsk, [&](gantry_incoming* call, const std::string&, const gantry_envelope& e) {
    const auto check = [&, e] {
      gantry_context* context = b.exec->context_current(b.host);
      std::uint64_t hi = 0, lo = 0, span = 0;
      b.exec->context_trace(context, &hi, &lo, &span);
      CHECK(hi == e.trace_hi);
      CHECK(lo == e.trace_lo);
      CHECK(span == e.span);
      CHECK(b.exec->context_deadline_ns(context) == e.deadline_ns);
      b.exec->context_release(context);
      checked.add();
    };
    CHECK(b.exec->may_block(b.host) == 0);
    b.exec->post(b.host, 0, GANTRY_LANE_INTERACTIVE, closure(check));
    b.exec->blocking(b.host, closure([&, check, call] {
                       CHECK(b.exec->may_block(b.host) == 1);
                       check();
                       b.answer(call, "ok");
                     }));
  });
  CHECK(a.ask(kAsk, "1", with_timeout(100 * kMs)).body == "ok");
  CHECK(checked.reaches(2));
  bench.finish();
}

TEST_CASE("a second answer is ignored, counted and reported") {
  Journal warnings;
  BusHooks hooks;
  hooks.warn = [&](gantry_host& host, std::string_view message) {
    warnings.add(host.name + ": " + std::string(message));
  };
  Bench bench({}, hooks);
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  b.serve(kAsk, [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
    const BodyRef one = make_json_body("1"), two = make_json_body("2");
    b.bus->complete(call, GANTRY_OK, one.get(), nullptr);
    b.bus->complete(call, GANTRY_OK, two.get(), nullptr);
    b.bus->incoming_release(call);
  });
  CHECK(a.ask(kAsk, "x").body == "1");
  CHECK_THAT(warnings.after(1)[0], Contains("b: ") && Contains("answered twice"));
  CHECK(bench.runtime.bus().counters(*b.host).double_completions == 1);
  bench.finish();
}

TEST_CASE("an answer without a provider's word, and an exception, are errors") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  b.serve("test.drop/1", [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
    b.bus->incoming_release(call);
  });
  gantry_incoming* abandoned = nullptr;
  b.serve("test.throw/1", [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
    abandoned = call;
    throw std::runtime_error("oops");
  });
  const Answer dropped = a.ask("test.drop/1", "1");
  CHECK(dropped.status == GANTRY_INTERNAL);
  CHECK_THAT(dropped.message, Contains("dropped"));
  const Answer thrown = a.ask("test.throw/1", "1");
  CHECK(thrown.status == GANTRY_INTERNAL);
  b.bus->incoming_release(abandoned);
  CHECK(bench.runtime.bus().counters(*b.host).faults == 1);
  bench.finish();
}

TEST_CASE("the inline flag completes on the answering thread") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  std::thread::id answering, completing;
  b.serve(kAsk, [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
    answering = std::this_thread::get_id();
    b.answer(call, "1");
  });
  auto options = with_timeout(0);
  options.flags = GANTRY_CALL_COMPLETE_INLINE;
  Counter done;
  a.call(
      kAsk, "1",
      [&](const Answer&) {
        completing = std::this_thread::get_id();
        done.add();
      },
      options);
  REQUIRE(done.reaches(1));
  CHECK(answering == completing);
  bench.finish();
}

TEST_CASE("providers are chosen by target, preference, suitability, load order") {
  Bench bench;
  Plugin caller = bench.plugin("caller");
  Plugin first = bench.plugin("first"), second = bench.plugin("second");
  first.serve_now(kAsk, [](const std::string&) { return "first"; });
  second.serve_now(kAsk, [](const std::string&) { return "second"; });
  CHECK(caller.ask(kAsk, "1").body == "first");
  second.bus->set_suitability(second.host, 90, to_str("a display was found"));
  CHECK(caller.ask(kAsk, "1").body == "second");
  bench.runtime.bus().prefer(kAsk, "first");
  CHECK(caller.ask(kAsk, "1").body == "first");
  auto options = with_timeout(0);
  options.target = to_str("second");
  CHECK(caller.ask(kAsk, "1", options).body == "second");
  options.target = to_str("third");
  const Answer none = caller.ask(kAsk, "1", options);
  CHECK(none.status == GANTRY_UNAVAILABLE);
  CHECK_THAT(none.message, Contains("'third'") && Contains("first, second"));
  const auto info = bench.runtime.bus().contracts().front();
  REQUIRE(info.providers.size() == 2);
  CHECK(info.providers[0].plugin == "first");
  CHECK(info.providers[1].suitability == 90);
  CHECK(info.providers[1].reason == "a display was found");
  bench.finish();
}
