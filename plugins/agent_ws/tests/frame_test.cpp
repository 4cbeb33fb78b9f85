// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <catch2/catch.hpp>

#include "trace.hpp"

namespace gantry::agent_ws {
namespace {

TEST_CASE("times are written as the protocol has them") {
  CHECK(iso_time(0) == "1970-01-01T00:00:00.000Z");
  CHECK(iso_time(1'772'553'600'007) == "2026-03-03T16:00:00.007Z");
  CHECK(iso_time(951'782'399'999) == "2000-02-28T23:59:59.999Z");
  CHECK(iso_time(951'782'400'000) == "2000-02-29T00:00:00.000Z");
  CHECK(iso_time(253'402'300'799'120) == "9999-12-31T23:59:59.120Z");
}

TEST_CASE("event ids have six digits, and more when there are more events") {
  CHECK(event_number(1) == "000001");
  CHECK(event_number(999'999) == "999999");
  CHECK(event_number(1'234'567) == "1234567");
}

TEST_CASE("frames of a turn are numbered and say where they belong") {
  TurnFrames frames({"u\"1", "c1", "t1"});
  CHECK(frames.next("a", "{}", 0) ==
        R"({"type":"a","id":"t1","payload":{},"user_id":"u\"1","conversation_ref":"c1",)"
        R"("turn_ref":"t1","event_id":"t1-evt-000001-a","sequence":1})");
  CHECK(frames.next("b", "[]", 7) ==
        R"({"type":"b","id":"t1","payload":[],"user_id":"u\"1","conversation_ref":"c1",)"
        R"("turn_ref":"t1","timestamp":"1970-01-01T00:00:00.007Z",)"
        R"("event_id":"t1-evt-000002-b","sequence":2})");
  const std::string same_time = frames.next("c", "1", 7);
  CHECK(same_time.find(R"("timestamp":"1970-01-01T00:00:00.007Z")") != std::string::npos);
  const std::string later = frames.next("c", "1", 8);
  CHECK(later.find(R"("timestamp":"1970-01-01T00:00:00.008Z")") != std::string::npos);
  CHECK(frames.next("c", "1", 0).find("timestamp") == std::string::npos);
}

TEST_CASE("a turn's name is escaped wherever it stands") {
  TurnFrames frames({{}, {}, "t\"1"});
  CHECK(frames.next("a", "{}", 0) == R"({"type":"a","id":"t\"1","payload":{},"turn_ref":"t\"1",)"
                                     R"("event_id":"t\"1-evt-000001-a","sequence":1})");
  CHECK(TurnFrames(FrameContext{}).next("a", "{}", 0) ==
        R"({"type":"a","id":null,"payload":{},"event_id":"-evt-000001-a","sequence":1})");
}

TEST_CASE("a frame of no turn leaves out what is not known") {
  CHECK(write_frame("a", {}, "1", {}, 0) == R"({"type":"a","id":null,"payload":1})");
  CHECK(write_frame("a", {"x", false}, "1", {"u", {}, {}}, 0) ==
        R"({"type":"a","payload":1,"user_id":"u"})");
}

TEST_CASE("times that are asked for again are those that were asked for") {
  TurnFrames frames(FrameContext{});
  for (const std::int64_t at_ms : {0, 0, 7, 7, 8, 0}) CHECK(frames.time(at_ms) == iso_time(at_ms));
}

TEST_CASE("a trace has the members that are known, and only these") {
  struct Row {
    Trace trace;
    std::string text;
  };
  const std::string begun =
      R"({"schemaVersion":1,"path":"a.b","stage":"c","status":"started","runtime":"backend",)"
      R"("traceId":"t\"1","requestId":"t\"1","startedAt":"T"})";
  const std::string ended =
      R"({"schemaVersion":1,"path":"a.b","stage":"c","status":"failed","runtime":"provider",)"
      R"("traceId":"t","requestId":"t","endedAt":"T","durationMs":0,"data":{"x":1},)"
      R"("error":{"code":"E","message":"\n"}})";
  const Row rows[] = {
      {{.path = "a.b/c", .status = "started", .id = "t\"1", .time = "T"}, begun},
      {{.path = "a.b/c",
        .status = "failed",
        .id = "t",
        .time = "T",
        .runtime = "provider",
        .duration_ms = 0,
        .data = R"({"x":1})",
        .error = TraceError{"E", "\n"}},
       ended},
  };
  for (const Row& row : rows) {
    std::string out = "before ";
    write_trace(out, row.trace);
    CHECK(out == "before " + row.text);
  }
}

}  // namespace
}  // namespace gantry::agent_ws
