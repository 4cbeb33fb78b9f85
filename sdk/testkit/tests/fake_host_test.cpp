// SPDX-License-Identifier: Apache-2.0
//
// FakeHost, and through it the C++ layer of the SDK over the C tables.
#include <catch2/catch.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include "sample_plugin.hpp"

namespace gantry::testkit {
namespace {

using samples::Ask;
using samples::EchoStream;
using samples::Go;
using samples::Later;
using samples::Needed;
using samples::Repeat;
using samples::SamplePlugin;
using samples::Text;
using samples::Tick;
using std::chrono::milliseconds;
using std::chrono::seconds;

template <class T>
std::string text_of(const Result<Ref<T>>& result) {
  return result.ok() ? (*result)->text
                     : std::string(code_name(result.error().code)) + ": " + result.error().message;
}

struct Loaded {
  FakeHost kit;
  SamplePlugin* plugin = nullptr;
  explicit Loaded(std::string_view config = "{}") {
    auto made = kit.load<SamplePlugin>("sample", config);
    if (!made.ok()) FAIL(made.error().message);
    plugin = *made;
  }
  template <class C>
  std::string ask(const std::string& text) {
    return text_of(kit.host().bus().call_wait<C>({text}));
  }
  /// Makes the call; the answer appears in the returned string.
  template <class C>
  std::pair<CallHandle, std::shared_ptr<std::string>> begin(const std::string& text,
                                                            CallOptions options = {}) {
    auto answer = std::make_shared<std::string>("nothing yet");
    auto handle = kit.host().bus().call<C>(
        {text}, [answer](const Result<Ref<Text>>& result) { *answer = text_of(result); }, options);
    return {handle, answer};
  }
};

TEST_CASE("a loaded plugin has been through its life cycle") {
  Loaded test(R"({"times":2})");
  CHECK(test.plugin->settings.times == 2);
  REQUIRE(test.kit.logs().size() == 1);
  CHECK(test.kit.logs()[0].plugin == "sample");
  CHECK(test.kit.logs()[0].message == "started");
  CHECK(test.kit.logs()[0].fields.at("times") == "2");
  CHECK(test.kit.logs()[0].fields.at("token") == "***");
  CHECK(test.kit.health().at("sample/self").state == GANTRY_HEALTH_OK);
  CHECK(test.kit.suitability("sample") == 70);
}

TEST_CASE("a plugin that does not start says why and leaves nothing behind") {
  FakeHost kit;
  const auto refused = kit.load<SamplePlugin>("sample", R"({"refuse_start":true})");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Unavailable);
  CHECK(refused.error().message == "no reason to start (cure: set refuse_start to false)");
  CHECK(text_of(kit.host().bus().call_wait<Repeat>({"x"})) ==
        "unavailable: nobody serves sample.repeat/1");
  const auto wrong = kit.load<SamplePlugin>("other", R"({"times":"many"})");
  CHECK(wrong.error().message == "$.times: expected an integer, found a string");
}

TEST_CASE("calls: answers, errors, exceptions") {
  Loaded test;
  CHECK(test.ask<Repeat>("a") == "a");
  CHECK(test.ask<Repeat>("refuse") == "not_found: no such text: refuse");
  CHECK(test.ask<Repeat>("throw") ==
        "internal: the handler of sample.repeat/1 threw; the log has the exception");
  CHECK(test.kit.logs().back().fields.at("exception") == "on purpose");
  CHECK(test.ask<Later>("forget") == "internal: sample dropped sample.later/1 unanswered");
  CHECK(test.ask<Later>("throw") == "internal: sample dropped sample.later/1 unanswered");
  CHECK(test.ask<Later>("twice") == "first");
  CHECK(test.kit.double_answers() == 0);  // the C++ layer does not even try
  CHECK(test.kit.metric("sample", "repeats") == 1);
  REQUIRE(test.kit.calls().size() == 6);
  CHECK(test.kit.calls()[0].json == R"({"text":"a"})");
  CHECK(test.kit.calls()[0].sender == "test");
  CHECK(test.kit.calls()[0].receiver == "sample");
}

TEST_CASE("nothing runs before the test pumps") {
  Loaded test;
  const auto [handle, answer] = test.begin<Repeat>("b");
  CHECK(*answer == "nothing yet");
  CHECK(test.kit.pump() > 0);
  CHECK(*answer == "b");
  CHECK(test.kit.pump() == 0);
}

TEST_CASE("answers may come later, and calls may be given up") {
  Loaded test;
  const auto [first, first_answer] = test.begin<Later>("one");
  auto [second, second_answer] = test.begin<Later>("two");
  test.kit.pump();
  REQUIRE(test.plugin->waiting.size() == 2);
  CHECK_FALSE(test.plugin->waiting[1].cancelled());
  second.cancel();
  test.kit.pump();
  CHECK(*second_answer == "cancelled: sample.later/1 was cancelled by its caller");
  CHECK(test.plugin->waiting[1].cancelled());
  CHECK(test.plugin->cancelled == std::vector<std::string>{"test:two"});
  test.kit.host().bus().publish<Go>({"now"});
  test.kit.pump();
  CHECK(*first_answer == "now");
}

TEST_CASE("a deadline passes when the clock says so") {
  Loaded test;
  CallOptions options;
  options.timeout = milliseconds(500);
  const auto [handle, answer] = test.begin<Later>("slow", options);
  test.kit.advance(milliseconds(499));
  CHECK(*answer == "nothing yet");
  test.kit.advance(milliseconds(1));
  CHECK(*answer == "deadline_exceeded: sample.later/1 got no answer in time");
  CHECK(test.plugin->cancelled.size() == 1);
}

TEST_CASE("waiting lets time pass to the next timer") {
  Loaded test;
  CallOptions options;
  options.timeout = seconds(3);
  const std::int64_t before = test.kit.now_ns();
  const auto answer = test.kit.host().bus().call_wait<Later>({"never"}, options);
  CHECK(answer.error().code == Code::DeadlineExceeded);
  CHECK(test.kit.now_ns() - before == 3'000'000'000);
}

TEST_CASE("blocking work may wait, handlers may not") {
  Loaded test;
  CHECK(test.ask<Ask>("x") == "unavailable: asking: nobody serves sample.needed/1");
  CallProbe<Needed> needed(test.kit.host("helper"),
                           [](const Text& in) -> Result<Text> { return Text{in.text + "!"}; });
  CHECK(test.ask<Ask>("yes") == "they say yes!");
  CHECK(needed.all().at(0).text == "yes");
  needed.set_answer([&](const Text&) -> Result<Text> {
    auto nested = test.kit.host("helper").bus().call_wait<Repeat>({"r"});
    return nested.ok() ? Result<Text>(**nested) : Result<Text>(nested.error());
  });
  CHECK(test.ask<Ask>("yes") ==
        "failed_precondition: asking: a handler on a strand must not wait for sample.repeat/1; use "
        "call() or Host::blocking");
}

TEST_CASE("timers and events") {
  Loaded test;
  EventProbe<Tick> ticks(test.kit.host());
  REQUIRE(ticks.failure().empty());
  test.kit.advance(milliseconds(2500));
  REQUIRE(ticks.size() == 2);
  CHECK(ticks.all()[1].text == "tick 2");
  CHECK(test.kit.events().size() == 2);
  CHECK(test.kit.events()[0].json == R"({"text":"tick 1"})");
}

TEST_CASE("a handler of events that throws is logged and lives on") {
  Loaded test;
  test.kit.host().bus().publish<Go>({"throw"});
  test.kit.pump();
  CHECK(test.kit.logs().back().message == "an exception left a handler");
  const auto [handle, answer] = test.begin<Later>("one");
  test.kit.pump();
  test.kit.host().bus().publish<Go>({"go on"});
  test.kit.pump();
  CHECK(*answer == "go on");
}

TEST_CASE("exceptions in posted work and timers are logged") {
  FakeHost kit;
  kit.host().post([] { throw std::runtime_error("posted"); });
  const Timer timer = kit.host().after(seconds(1), [] { throw 42; });
  kit.advance(seconds(2));
  REQUIRE(kit.logs().size() == 2);
  CHECK(kit.logs()[0].fields.at("exception") == "posted");
  CHECK(kit.logs()[1].fields.at("exception") == "something that is not a std::exception");
}

TEST_CASE("a mailbox keeps to its bounds") {
  struct Row {
    gantry_overflow overflow;
    std::string seen;
  };
  for (const Row& row :
       {Row{GANTRY_OVERFLOW_REJECT, "abc"}, Row{GANTRY_OVERFLOW_DROP_OLDEST, "cde"},
        Row{GANTRY_OVERFLOW_COALESCE, "ade"}, Row{GANTRY_OVERFLOW_CLOSE, ""}}) {
    CAPTURE(row.overflow);
    FakeHost kit;
    std::string seen;
    const auto subscription =
        kit.host().bus().subscribe<Go>([&](const Text& event) { seen += event.text; },
                                       SubscribeOptions{.max_items = 3, .overflow = row.overflow});
    const struct {
      const char* text;
      std::uint64_t key;
    } events[] = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 2}, {"e", 3}};
    for (const auto& event : events) {
      kit.host("other").bus().publish<Go>({event.text}, {.key = event.key});
    }
    kit.pump();
    CHECK(seen == row.seen);
  }
}

TEST_CASE("a subscription that went hears nothing more") {
  FakeHost kit;
  int heard = 0;
  auto subscription = kit.host().bus().subscribe<Go>([&](const Text&) { ++heard; });
  kit.host().bus().publish<Go>({"1"});
  kit.pump();
  kit.host().bus().publish<Go>({"2"});
  subscription->end();
  kit.pump();
  CHECK(heard == 1);
}

TEST_CASE("streams: chunks, refusals, ends") {
  Loaded test;
  StreamProbe<EchoStream> stream(test.kit.host(), {"hello"});
  CHECK(stream.stream().send({"one"}).ok());
  CHECK(stream.stream().send({"two"}).ok());
  test.kit.pump();
  REQUIRE(stream.all().size() == 2);
  CHECK(stream.all()[1].text == "two");
  CHECK(stream.stream().send({"end"}).ok());
  test.kit.pump();
  REQUIRE(stream.ends().size() == 1);
  CHECK(stream.ends()[0].code == Code::Ok);
  CHECK(stream.stream().send({"late"}).error().code == Code::FailedPrecondition);

  StreamProbe<EchoStream> refused(test.kit.host(), {"refuse"});
  test.kit.pump();
  CHECK(refused.ends().at(0).message == "no echo here");
  StreamProbe<EchoStream> thrown(test.kit.host(), {"throw"});
  test.kit.pump();
  CHECK(thrown.ends().at(0).code == Code::Internal);
}

TEST_CASE("streams: a handler that throws ends both sides") {
  Loaded test;
  StreamProbe<EchoStream> stream(test.kit.host(), {"hello"});
  CHECK(stream.stream().send({"throw"}).ok());
  CHECK(stream.stream().send({"after"}).ok());
  test.kit.pump();
  CHECK(stream.all().empty());
  REQUIRE(stream.ends().size() == 1);
  CHECK(stream.ends()[0].code == Code::Internal);
}

TEST_CASE("streams: credit is back-pressure") {
  Loaded test;
  StreamOptions options;
  options.manual_credit = true;
  options.receive_credit = 2;
  StreamProbe<EchoStream> stream(test.kit.host(), {"hello"}, options);
  for (int i = 0; i < 5; ++i) CHECK(stream.stream().send({std::to_string(i)}).ok());
  test.kit.pump();
  CHECK(stream.all().size() == 2);  // the echo had no credit for more and dropped them
  stream.stream().grant(1);
  CHECK(stream.stream().send({"again"}).ok());
  test.kit.pump();
  CHECK(stream.all().size() == 3);
  for (int i = 0; i < 16; ++i) (void)stream.stream().send({"x"});
  CHECK(stream.stream().send({"too many"}).error().code == Code::ResourceExhausted);
}

TEST_CASE("streams: nobody serves") {
  FakeHost kit;
  StreamProbe<EchoStream> stream(kit.host(), {"hello"});
  kit.pump();
  REQUIRE(stream.ends().size() == 1);
  CHECK(stream.ends()[0].code == Code::Unavailable);
}

TEST_CASE("an unloaded plugin answers nobody and hears nothing") {
  Loaded test;
  const auto [handle, answer] = test.begin<Later>("open");
  StreamProbe<EchoStream> stream(test.kit.host(), {"hello"});
  test.kit.pump();
  test.kit.unload("sample");
  test.kit.pump();
  CHECK(*answer == "unavailable: sample is stopping");
  CHECK(stream.ends().at(0).code == Code::Unavailable);
  CHECK(test.ask<Repeat>("x") == "unavailable: nobody serves sample.repeat/1");
  test.kit.advance(seconds(5));
  CHECK(test.kit.events().empty());
}

TEST_CASE("live configuration") {
  Loaded test;
  CHECK(test.kit.reconfigure("sample", R"({"times":3})").ok());
  CHECK(test.ask<Repeat>("z") == "zzz");
  CHECK(test.kit.reconfigure("sample", R"({"times":[]})").error().code == Code::InvalidArgument);
  CHECK(test.kit.reconfigure("nobody", "{}").error().code == Code::NotFound);
}

TEST_CASE("calls by name with JSON") {
  Loaded test;
  std::string answer;
  const auto keep = [&](const Result<std::string>& result) {
    answer = result.ok() ? *result : result.error().message;
  };
  test.kit.host().bus().call_json("sample.repeat/1", R"({"text":"j"})", keep);
  test.kit.pump();
  CHECK(answer == R"({"text":"j"})");
  test.kit.host().bus().call_json("sample.repeat/1", R"({"text":1})", keep);
  test.kit.pump();
  CHECK(answer == "$.text: expected a string, found an integer");
  test.kit.host().bus().call_json("sample.nothing/1", "{}", keep);
  test.kit.pump();
  CHECK(answer == "nobody serves sample.nothing/1");
  test.kit.host().bus().call_json("sample.echo/1", "{}", keep);
  test.kit.pump();
  CHECK(answer == "sample.echo/1 is a stream, not a call");
}

TEST_CASE("complete_inline: every kind of call is told before its answerer goes on") {
  FakeHost kit;
  int done = 0;
  std::vector<int> done_at_answer;
  const auto serve = [&](const Ref<Text>& in, const CallInfo&, Reply<Repeat> reply) {
    reply(*in);
    done_at_answer.push_back(done);
  };
  REQUIRE(kit.host("server").bus().serve<Repeat>(serve).ok());
  const auto count = [&](const auto& answer) { done += answer.ok() ? 1 : 0; };
  Bus& bus = kit.host().bus();
  CallOptions options;
  options.complete_inline = true;
  bus.call<Repeat>({"x"}, count, options);
  kit.pump();
  bus.call_shared<Repeat>(make_body(Text{"x"}), count, options);
  kit.pump();
  bus.call_json("sample.repeat/1", R"({"text":"x"})", count, options);
  kit.pump();
  bus.call<Repeat>({"x"}, count);  // on the caller's strand, which has its turn afterwards
  kit.pump();
  CHECK(done_at_answer == std::vector<int>{1, 2, 3, 3});
  CHECK(done == 4);
}

TEST_CASE("the work of a call carries its trace, deadline and cancellation") {
  FakeHost kit;
  std::optional<Context> kept;
  const auto served = kit.host("server").bus().serve<Repeat>([&](const Text& in) -> Result<Text> {
    kept.emplace(kit.host("server").context());
    return in;
  });
  REQUIRE(served.ok());
  CallOptions options;
  options.timeout = seconds(2);
  CHECK(kit.host().bus().call_wait<Repeat>({"x"}, options).ok());
  REQUIRE(kept);
  CHECK(kept->deadline().at_ns == kit.now_ns() + 2'000'000'000);
  CHECK_FALSE(kept->cancelled());
  {
    const auto scope = kit.host().enter(*kept);
    CHECK(kit.host().context().deadline().at_ns == kept->deadline().at_ns);
  }
  CHECK(kit.host().context().deadline().never());
}

// ---- the boundary -------------------------------------------------------------------------------

struct Throwing final : Plugin {
  using Plugin::Plugin;
  Result<void> init() override { throw std::runtime_error("in init"); }
};
struct ThrowingConstructor final : Plugin {
  explicit ThrowingConstructor(Host& host) : Plugin(host) { throw 7; }
};

TEST_CASE("what a plugin throws becomes an error at the boundary") {
  FakeHost kit;
  CHECK(kit.load<Throwing>("a").error().message == "the plugin threw: in init");
  CHECK(kit.load<ThrowingConstructor>("b").error().message ==
        "the plugin threw something that is not a std::exception");
}

TEST_CASE("an older host is tolerated, one without a bus is refused") {
  static std::size_t bus_size;
  static gantry_host_bus bus;
  struct Api {
    static const void* get_interface(gantry_host*, const char* id) {
      static const gantry_host_exec exec = [] {
        gantry_host_exec t{};
        t.size = sizeof t;
        return t;
      }();
      bus.size = bus_size;
      if (std::string_view(id) == GANTRY_HOST_BUS_1) return bus_size != 0 ? &bus : nullptr;
      return std::string_view(id) == GANTRY_HOST_EXEC_1 ? &exec : nullptr;
    }
  };
  struct Quiet final : Plugin {
    using Plugin::Plugin;
  };
  int nobody = 0;
  const gantry_host_api api{sizeof(gantry_host_api), reinterpret_cast<gantry_host*>(&nobody),
                            &Api::get_interface, to_str("quiet")};
  const auto create = [&](std::size_t room) {
    struct {
      gantry_plugin plugin{};
      unsigned char behind[16]{};
    } out;
    out.plugin.size = room;
    gantry_error error{};
    const gantry_status status = gantry::detail::Instance<Quiet>::create(&api, &out.plugin, &error);
    for (const unsigned char byte : out.behind) CHECK(byte == 0);
    if (status != GANTRY_OK) return adopt_error(status, error).message;
    CHECK(out.plugin.size == sizeof(gantry_plugin));
    out.plugin.destroy(out.plugin.self);
    return std::string("made");
  };
  bus_size = sizeof(gantry_host_bus);
  CHECK(create(sizeof(gantry_plugin)) == "made");
  CHECK(create(sizeof(gantry_plugin) + 16) == "made");  // a newer host has more room
  CHECK(create(0) == "made");
  bus_size = sizeof(gantry_host_bus) + 64;  // a newer host has more functions
  CHECK(create(sizeof(gantry_plugin)) == "made");
  for (const std::size_t size : {std::size_t{0}, sizeof(gantry_host_bus) - 8}) {
    bus_size = size;
    CHECK(create(sizeof(gantry_plugin)) ==
          "this host has no complete gantry.host.bus/1; the plugin needs a host with ABI 1.0 or "
          "later");
  }
}

TEST_CASE("GANTRY_HAS looks at the size of a table") {
  gantry_host_bus table{};
  table.size = offsetof(gantry_host_bus, call_json);
  CHECK(GANTRY_HAS(&table, body_to_json));
  CHECK_FALSE(GANTRY_HAS(&table, call_json));
  const gantry_host_bus* none = nullptr;
  CHECK_FALSE(GANTRY_HAS(none, call));
}

}  // namespace
}  // namespace gantry::testkit
