// SPDX-License-Identifier: Apache-2.0
//
// Asking by name for what is something else, or nothing at all.
#include "bus_fixture.hpp"

#include <catch2/catch.hpp>

using namespace gantry::kernel;
using namespace gantry::kernel::test;
using Catch::Matchers::Contains;

namespace {
const std::string kPipe = "test.pipe/1";

void begin_json(Plugin& plugin, const std::string& name, Plugin::Completion completion,
                std::string_view target = {}) {
  gantry_call_options options{};
  options.size = sizeof options;
  options.lane = GANTRY_LANE_INTERACTIVE;
  options.target = {target.data(), target.size()};
  auto* user = new Plugin::Completion(std::move(completion));
  REQUIRE(plugin.bus->call_json(plugin.host, to_str(name), to_str("{}"), &options,
                                Plugin::on_completion, user, nullptr) == GANTRY_OK);
}

Answer ask_json(Plugin& plugin, const std::string& name) {
  Answer answer;
  Counter done;
  begin_json(plugin, name, [&](const Answer& got) {
    answer = got;
    done.add();
  });
  REQUIRE(done.reaches(1));
  return answer;
}

void serve_pipe(Plugin& plugin) {
  plugin.know(kPipe, GANTRY_STREAM);
  REQUIRE(plugin.bus->serve_stream(
              plugin.host, fnv1a(kPipe),
              [](void*, gantry_stream* stream, const gantry_body*, const gantry_envelope*) {
                kBusTable.stream_release(stream);
              },
              nullptr, nullptr, nullptr) == GANTRY_OK);
}

bool listed(Bench& bench, const std::string& name) {
  for (const ContractInfo& info : bench.runtime.bus().contracts()) {
    if (info.name == name) return true;
  }
  return false;
}
}  // namespace

TEST_CASE("a call by name of a stream or an event is told what it is") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  serve_pipe(b);
  a.know("test.event/1", GANTRY_EVENT);
  const Answer stream = ask_json(a, kPipe);
  CHECK(stream.status == GANTRY_INVALID_ARGUMENT);
  CHECK(stream.message == "test.pipe/1 is a stream, not a call");
  const Answer event = ask_json(a, "test.event/1");
  CHECK(event.status == GANTRY_INVALID_ARGUMENT);
  CHECK(event.message == "test.event/1 is an event, not a call");
  bench.finish();
}

TEST_CASE("a call that waited for a plugin is told when it serves a stream instead") {
  BusHooks hooks;
  hooks.open_lazy = [](std::string_view, std::string_view) { return true; };
  Bench bench({}, hooks);
  Plugin a = bench.plugin("a"), lazy = bench.plugin("lazy");
  Answer answer;
  Counter done;
  const std::string target = GENERATE("", "lazy");
  begin_json(
      a, kPipe,
      [&](const Answer& got) {
        answer = got;
        done.add();
      },
      target);
  CHECK(done.get() == 0);
  const bool serves = GENERATE(true, false);
  if (serves) {
    serve_pipe(lazy);
  } else {  // it declares the contract alone
    lazy.know(kPipe, GANTRY_STREAM);
    bench.runtime.bus().lazy_ended(kPipe, {});
  }
  REQUIRE(done.reaches(1));
  CHECK(answer.status == GANTRY_INVALID_ARGUMENT);
  CHECK(answer.message == "test.pipe/1 is a stream, not a call");
  bench.finish();
}

TEST_CASE("a stream is not opened to who serves calls, and nobody serves without a handler") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  b.serve_now(kAsk, [](const std::string& request) { return request; });
  const BodyRef opening = make_json_body("1");
  gantry_stream_events events{};
  events.size = sizeof events;
  gantry_stream* stream = nullptr;
  gantry_error error{};
  CHECK(a.bus->open_stream(a.host, fnv1a(kAsk), opening.get(), nullptr, &events, nullptr, &stream,
                           &error) == GANTRY_INVALID_ARGUMENT);
  CHECK(view(error.message) == "test.ask/1 is a call, not a stream");
  release_buf(error.message);

  b.know(kPipe, GANTRY_STREAM);
  CHECK(b.bus->serve_stream(b.host, fnv1a(kPipe), nullptr, nullptr, nullptr, nullptr) ==
        GANTRY_INVALID_ARGUMENT);
  CHECK(b.bus->serve(b.host, fnv1a(kPipe), nullptr, nullptr, nullptr, nullptr) ==
        GANTRY_INVALID_ARGUMENT);
  bench.finish();
}

TEST_CASE("a name that no plugin could serve leaves nothing behind") {
  BusHooks hooks;
  hooks.missing_provider = [](std::string_view contract) {
    MissingProvider missing;
    if (contract == kAsk) missing.plugins = {"mock"};
    return missing;
  };
  const bool lazy = GENERATE(true, false);  // whether plugins are opened when somebody asks
  if (lazy) hooks.open_lazy = [](std::string_view, std::string_view) { return false; };
  Bench bench({}, hooks);
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  const Answer answer = ask_json(a, "test.invented/1");
  CHECK(answer.status == GANTRY_UNAVAILABLE);
  CHECK_THAT(answer.message, Contains("test.invented/1"));
  CHECK_FALSE(listed(bench, "test.invented/1"));
  CHECK(ask_json(a, kAsk).status == GANTRY_UNAVAILABLE);
  CHECK(listed(bench, kAsk) == lazy);
  // Who serves it later is found.
  b.serve_now("test.invented/1", [](const std::string&) { return "\"here\""; });
  CHECK(ask_json(a, "test.invented/1").body == "\"here\"");
  CHECK(bench.counters("test.invented/1").calls == 1);
  bench.finish();
}
