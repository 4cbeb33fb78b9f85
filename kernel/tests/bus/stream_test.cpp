// SPDX-License-Identifier: Apache-2.0
#include "bus_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>

using namespace gantry::kernel;
using namespace gantry::kernel::test;
using Catch::Matchers::Contains;

namespace {
const std::string kStream = "test.pipe/1";

/// One side's callbacks, noted in a journal as "<name>:<what>".
struct Side {
  std::string name;
  Journal* journal = nullptr;
  std::function<void(const std::string&)> on_chunk = {};
  std::function<void()> on_writable = {};

  static const gantry_stream_events& events() {
    static const gantry_stream_events table = [] {
      gantry_stream_events t{};
      t.size = sizeof t;
      t.on_chunk = [](void* user, const gantry_body* chunk) {
        auto& side = *static_cast<Side*>(user);
        const std::string text = text_of(chunk);
        if (side.on_chunk) side.on_chunk(text);
        side.journal->add(side.name + ":" + text);
      };
      t.on_writable = [](void* user) {
        auto& side = *static_cast<Side*>(user);
        if (side.on_writable) side.on_writable();
        side.journal->add(side.name + ":writable");
      };
      t.on_end = [](void* user, gantry_status status, const gantry_error* error) {
        auto& side = *static_cast<Side*>(user);
        std::string entry = side.name + ":end " + std::to_string(status);
        if (error != nullptr) entry += " " + std::string(view(error->message));
        side.journal->add(entry);
      };
      t.drop = [](void* user) {
        const std::unique_ptr<Side> side(static_cast<Side*>(user));
        side->journal->add(side->name + ":drop");
      };
      return t;
    }();
    return table;
  }
};

using Accept = std::function<void(gantry_stream*, const std::string&)>;

void serve_stream(Plugin& plugin, const std::string& name, Accept accept) {
  plugin.know(name, GANTRY_STREAM);
  auto* kept = new Accept(std::move(accept));
  REQUIRE(
      plugin.bus->serve_stream(
          plugin.host, fnv1a(name),
          [](void* user, gantry_stream* stream, const gantry_body* opening,
             const gantry_envelope*) { (*static_cast<Accept*>(user))(stream, text_of(opening)); },
          kept, [](void* user) { delete static_cast<Accept*>(user); }, nullptr) == GANTRY_OK);
}

gantry_stream* open(Plugin& plugin, const std::string& name, Side side,
                    gantry_stream_options options = {}) {
  plugin.know(name, GANTRY_STREAM);
  options.size = sizeof options;
  options.lane = GANTRY_LANE_INTERACTIVE;
  const BodyRef opening = make_json_body("\"open\"");
  gantry_stream* stream = nullptr;
  auto* own = new Side(std::move(side));
  REQUIRE(plugin.bus->open_stream(plugin.host, fnv1a(name), opening.get(), &options,
                                  &Side::events(), own, &stream, nullptr) == GANTRY_OK);
  return stream;
}

gantry_status send(Plugin& plugin, gantry_stream* stream, std::string text) {
  const BodyRef chunk = make_json_body(std::move(text));
  return plugin.bus->stream_send(stream, chunk.get());
}

/// A server that accepts at once and keeps the stream in `stream`.
struct Server {
  Server(Plugin& plugin, Journal& journal, gantry_stream_options options = {}) {
    serve_stream(plugin, kStream, [&, options](gantry_stream* opened, const std::string&) {
      stream = opened;
      const gantry_status status = plugin.bus->stream_accept(opened, &options, &Side::events(),
                                                             new Side{"server", &journal});
      if (status == GANTRY_OK) accepted.add();
    });
  }
  gantry_stream* stream = nullptr;
  Counter accepted;
};

std::vector<std::string> only(const std::vector<std::string>& entries, const std::string& name) {
  std::vector<std::string> result;
  for (const auto& entry : entries) {
    if (entry.rfind(name + ":", 0) == 0) result.push_back(entry.substr(name.size() + 1));
  }
  return result;
}
}  // namespace

TEST_CASE("chunks arrive in order both ways, then the end, then drop on both sides") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  Server server(b, journal);
  gantry_stream* mine = open(a, kStream, {"client", &journal});
  REQUIRE(server.accepted.reaches(1));
  for (const char* text : {"1", "2", "3"}) {
    CHECK(send(a, mine, text) == GANTRY_OK);
    CHECK(send(b, server.stream, text) == GANTRY_OK);
  }
  journal.after(6);
  CHECK(send(a, mine, "4") == GANTRY_OK);
  a.bus->stream_close(mine, GANTRY_OK, nullptr);
  a.bus->stream_close(mine, GANTRY_ABORTED, nullptr);  // has ended: changes nothing
  const auto entries = journal.after(10);
  CHECK(only(entries, "server") == std::vector<std::string>{"1", "2", "3", "4", "end 0", "drop"});
  CHECK(only(entries, "client") == std::vector<std::string>{"1", "2", "3", "drop"});
  CHECK(send(a, mine, "5") == GANTRY_FAILED_PRECONDITION);
  CHECK(send(b, server.stream, "5") == GANTRY_FAILED_PRECONDITION);
  a.bus->stream_release(mine);
  b.bus->stream_release(server.stream);
  const auto counters = bench.counters(kStream);
  CHECK(counters.streams == 1);
  CHECK(counters.chunks == 7);
  CHECK(counters.errors == 0);
  bench.finish();
}

TEST_CASE("without credit a send is refused and on_writable comes when credit returns") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  gantry_stream_options options{};
  options.receive_credit = 20;
  options.manual_credit = 1;
  Server server(b, journal, options);
  gantry_stream* mine = open(a, kStream, {"client", &journal});
  REQUIRE(server.accepted.reaches(1));
  for (int i = 0; i < 20; ++i) CHECK(send(a, mine, std::to_string(i)) == GANTRY_OK);
  CHECK(send(a, mine, "x") == GANTRY_RESOURCE_EXHAUSTED);
  journal.after(20);
  b.run([] {});
  CHECK(only(journal.now(), "client").empty());  // manual: delivery alone gives nothing back
  b.bus->stream_grant(server.stream, 2);
  CHECK(journal.after(21).back() == "client:writable");
  CHECK(send(a, mine, "20") == GANTRY_OK);
  CHECK(send(a, mine, "21") == GANTRY_OK);
  CHECK(send(a, mine, "22") == GANTRY_RESOURCE_EXHAUSTED);
  journal.after(23);
  b.bus->stream_close(server.stream, GANTRY_OK, nullptr);
  journal.after(26);
  a.bus->stream_release(mine);
  b.bus->stream_release(server.stream);
  bench.finish();
}

TEST_CASE("automatic credit keeps a long stream going within its bound") {
  Bench bench(RuntimeOptions{4});
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  Counter got;
  std::atomic<int> next{0}, wrong{0};
  gantry_stream* theirs = nullptr;
  serve_stream(b, kStream, [&](gantry_stream* opened, const std::string& opening) {
    if (opening != "\"open\"") ++wrong;
    theirs = opened;
    auto* side = new Side{"server", &journal};
    side->on_chunk = [&](const std::string& text) {
      if (std::stoi(text) != next++) ++wrong;
      got.add();
    };
    b.bus->stream_accept(opened, nullptr, &Side::events(), side);
  });
  constexpr int kChunks = 5000;
  std::atomic<int> sent{0};
  gantry_stream* mine = nullptr;
  const auto pump = [&] {
    while (sent < kChunks && send(a, mine, std::to_string(sent)) == GANTRY_OK) ++sent;
  };
  Side side{"client", &journal};
  side.on_writable = pump;
  mine = open(a, kStream, std::move(side));
  a.run(pump);
  CHECK(got.reaches(kChunks));
  CHECK(wrong == 0);
  a.bus->stream_close(mine, GANTRY_OK, nullptr);
  b.run([] {});
  a.bus->stream_release(mine);
  b.bus->stream_release(theirs);
  bench.finish();
}

TEST_CASE("others on its strand wait for 32 quick chunks of a stream, but for 16 slow ones") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  const auto [takes_ns, at_once] =
      GENERATE(table<std::int64_t, int>({{0, 32}, {6'000, 32}, {13'000, 16}, {kMs, 16}}));
  Journal journal;
  Counter all_sent, accepted;
  gantry_stream* theirs = nullptr;
  constexpr std::uint64_t kKey = 7;
  serve_stream(b, kStream, [&](gantry_stream* opened, const std::string&) {
    theirs = opened;
    gantry_stream_options options{};
    options.receive_credit = 40;
    auto* side = new Side{"server", &journal};
    side->on_chunk = [&, takes = takes_ns](const std::string& text) {
      bench.clock.advance(takes);
      if (text == "0" && !all_sent.reaches(1)) journal.add("not sent");
    };
    b.bus->stream_accept(opened, &options, &Side::events(), side);
    accepted.add();
  });
  gantry_stream_options options{};
  options.key = kKey;
  gantry_stream* mine = open(a, kStream, {"client", &journal}, options);
  REQUIRE(accepted.reaches(1));
  for (int i = 0; i < 40; ++i) CHECK(send(a, mine, std::to_string(i)) == GANTRY_OK);
  b.exec->post(b.host, kKey, GANTRY_LANE_INTERACTIVE, closure([&] { journal.add("other"); }));
  all_sent.add();
  const auto entries = journal.after(41);
  CHECK(entries[static_cast<std::size_t>(at_once)] == "other");
  a.bus->stream_close(mine, GANTRY_OK, nullptr);
  journal.after(44);
  a.bus->stream_release(mine);
  b.bus->stream_release(theirs);
  bench.finish();
}

TEST_CASE("what was sent before the other side accepted waits for it") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  Counter opened;
  gantry_stream* theirs = nullptr;
  serve_stream(b, kStream, [&](gantry_stream* stream, const std::string&) {
    theirs = stream;
    opened.add();
  });
  gantry_stream* mine = open(a, kStream, {"client", &journal});
  int sent = 0;
  while (send(a, mine, std::to_string(sent)) == GANTRY_OK) ++sent;
  CHECK(sent == 16);
  REQUIRE(opened.reaches(1));
  a.bus->stream_close(mine, GANTRY_OK, nullptr);
  gantry_stream_options options{};
  CHECK(b.bus->stream_accept(theirs, &options, &Side::events(), new Side{"server", &journal}) ==
        GANTRY_OK);
  CHECK(only(journal.after(19), "server").back() == "drop");
  CHECK(b.bus->stream_accept(theirs, &options, &Side::events(), new Side{"again", &journal}) ==
        GANTRY_FAILED_PRECONDITION);
  CHECK(only(journal.now(), "again") == std::vector<std::string>{"drop"});
  a.bus->stream_release(mine);
  b.bus->stream_release(theirs);
  bench.finish();
}

TEST_CASE("a stream that cannot be served ends with the reason") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  SECTION("nobody serves it") {
    gantry_stream* mine = open(a, kStream, {"client", &journal});
    const auto entries = journal.after(2);
    CHECK_THAT(entries[0], Contains("client:end 14") && Contains(kStream));
    CHECK(entries[1] == "client:drop");
    a.bus->stream_release(mine);
  }
  SECTION("the server refuses") {
    serve_stream(b, kStream, [&](gantry_stream* stream, const std::string&) {
      Failure failure{GANTRY_PERMISSION_DENIED, "not you", {}};
      const gantry_error error = failure.borrow();
      b.bus->stream_close(stream, GANTRY_PERMISSION_DENIED, &error);
      b.bus->stream_release(stream);
    });
    gantry_stream* mine = open(a, kStream, {"client", &journal});
    CHECK(journal.after(2) == std::vector<std::string>{"client:end 7 not you", "client:drop"});
    a.bus->stream_release(mine);
  }
  SECTION("the server drops the opening") {
    serve_stream(b, kStream,
                 [&](gantry_stream* stream, const std::string&) { b.bus->stream_release(stream); });
    gantry_stream* mine = open(a, kStream, {"client", &journal});
    CHECK_THAT(journal.after(2)[0], Contains("client:end 13") && Contains("dropped"));
    a.bus->stream_release(mine);
  }
  bench.finish();
}

TEST_CASE("when a plugin stops, its streams end for the other side") {
  Bench bench;
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Journal journal;
  Server server(b, journal);
  gantry_stream* mine = open(a, kStream, {"client", &journal});
  REQUIRE(server.accepted.reaches(1));
  const bool server_stops = GENERATE(true, false);
  CloseReport report = bench.close(server_stops ? b : a);
  CHECK(report.clean);
  CHECK(report.streams_closed == 1);
  const auto entries = journal.after(3);
  const std::string stopped = server_stops ? "server" : "client";
  const std::string other = server_stops ? "client" : "server";
  CHECK(only(entries, stopped) == std::vector<std::string>{"drop"});
  CHECK(only(entries, other)[0] ==
        "end 14 " + std::string(server_stops ? "b" : "a") + " is stopping");
  CHECK(only(entries, other)[1] == "drop");
  a.bus->stream_release(mine);
  b.bus->stream_release(server.stream);
  bench.finish();
}

TEST_CASE("an open_stream that fails drops its user") {
  Bench bench;
  Plugin a = bench.plugin("a");
  Journal journal;
  const BodyRef opening = make_json_body("1");
  gantry_stream* stream = nullptr;
  CHECK(a.bus->open_stream(a.host, 99, opening.get(), nullptr, &Side::events(),
                           new Side{"client", &journal}, &stream, nullptr) == GANTRY_NOT_FOUND);
  CHECK(journal.now() == std::vector<std::string>{"client:drop"});
  CHECK(stream == nullptr);
  bench.finish();
}
