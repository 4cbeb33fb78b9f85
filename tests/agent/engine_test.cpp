// SPDX-License-Identifier: Apache-2.0
// Turns, sessions and the log.
#include <catch2/catch.hpp>

#include <gantry/contracts/artifact.hpp>

#include "agent_world.hpp"

using namespace gantry;
using namespace gantry::testing;
using namespace std::chrono_literals;

namespace {

std::string text_of(const std::vector<SessionEvent>& log, EventKind kind) {
  std::string out;
  for (const SessionEvent& event : log) {
    if (event.kind == kind) out += event.text;
  }
  return out;
}

std::vector<std::uint64_t> sequences(const std::vector<SessionEvent>& log) {
  std::vector<std::uint64_t> out;
  for (const SessionEvent& event : log) out.push_back(event.sequence);
  return out;
}

}  // namespace

TEST_CASE("a turn is a question, an answer and an end, in the log") {
  AgentWorld world;
  const auto started = world.start("@script thinking Hm.\n@script reply Hello there");
  REQUIRE(started.ok());
  CHECK(started->sequence == 1);
  CHECK(started->position == 0);
  CHECK(world.kinds() ==
        "TurnAccepted TurnStarted UserMessage ModelCallStarted ModelCallFinished Usage "
        "AssistantMessage HistoryUpdated TurnFinished");
  const auto log = world.log();
  CHECK(text_of(log, EventKind::TextDelta) == "Hello there");
  CHECK(text_of(log, EventKind::ThinkingDelta) == "Hm.");
  for (std::size_t i = 0; i < log.size(); ++i) {
    CHECK(log[i].sequence == i + 1);
    CHECK(log[i].turn == started->turn);
  }
  const TurnFinishedBody end = world.finished();
  CHECK(end.end == TurnEnd::Completed);
  CHECK(end.final_text == "Hello there");
  CHECK(end.model_calls == 1);
  CHECK_FALSE(end.final_was_empty);
}

TEST_CASE("an answer of blanks is an empty answer") {
  AgentWorld world;
  const std::string pieces = GENERATE("[]", R"(["  ", "\n"])");
  REQUIRE(world.start("@script chunks " + pieces, "t1").ok());
  world.kit().pump();
  const TurnFinishedBody end = world.finished();
  CHECK(end.end == TurnEnd::Completed);
  CHECK(end.final_was_empty);
  CHECK(end.final_text ==
        "I completed the requested action(s), but the model returned an empty final response.");
}

TEST_CASE("the model sees what was said before") {
  AgentWorld world;
  REQUIRE(world.start("@script reply The capital is Paris").ok());
  REQUIRE(world.start("@script show messages").ok());
  CHECK(world.finished().final_text.find("The capital is Paris") != std::string::npos);
  const auto rows = world.history();
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].type == RowType::UserQuery);
  CHECK(rows[1].type == RowType::AssistantResponse);
}

TEST_CASE("whoever comes back gets the rest, without a gap and nothing twice") {
  AgentWorld world;
  REQUIRE(world.start("@script reply one two three").ok());
  const auto all = world.log();
  for (std::size_t seen = 0; seen <= all.size(); ++seen) {
    testkit::StreamProbe<SessionWatch> probe(world.kit().host(),
                                             {{"ann", "", "s"}, seen, {}, false});
    world.kit().pump();
    std::vector<SessionEvent> rest;
    bool caught_up = false;
    for (const SessionEvents& batch : probe.all()) {
      rest.insert(rest.end(), batch.events.begin(), batch.events.end());
      caught_up = caught_up || batch.caught_up;
    }
    CHECK(caught_up);
    REQUIRE(rest.size() == all.size() - seen);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      CHECK(rest[i].sequence == all[seen + i].sequence);
      CHECK(rest[i].text == all[seen + i].text);
      CHECK(rest[i].body == all[seen + i].body);
    }
  }
  testkit::StreamProbe<SessionWatch> beyond(world.kit().host(),
                                            {{"ann", "", "s"}, all.size() + 1, {}, false});
  world.kit().pump();
  REQUIRE(beyond.ends().size() == 1);
  CHECK(beyond.ends()[0].code == Code::OutOfRange);
}

TEST_CASE("a watcher of one turn hears of that turn only, and its stream ends with it") {
  AgentWorld world;
  REQUIRE(world.start("@script reply first", "t1").ok());
  REQUIRE(world.start("@script chunks [\"a\",\"b\"] every 1s", "t2").ok());
  testkit::StreamProbe<SessionWatch> probe(world.kit().host(), {{"ann", "", "s"}, 0, "t2", false});
  world.kit().advance(10s);
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::Ok);
  std::vector<SessionEvent> events;
  for (const SessionEvents& batch : probe.all()) {
    events.insert(events.end(), batch.events.begin(), batch.events.end());
  }
  REQUIRE_FALSE(events.empty());
  CHECK(events.front().kind == EventKind::TurnAccepted);
  CHECK(events.back().kind == EventKind::TurnFinished);
  for (const SessionEvent& event : events) CHECK(event.turn == "t2");
}

TEST_CASE("whoever begins to watch a turn that runs hears what was, also without the store") {
  AgentWorld world;
  REQUIRE(world.start("@script chunks [\"a\",\"b\"] every 10s", "t1").ok());
  world.kit().advance(5s);
  const auto so_far = world.log();
  REQUIRE(so_far.back().kind == EventKind::TextDelta);
  world.unload_store();
  for (std::size_t seen = 0; seen < so_far.size(); ++seen) {
    testkit::StreamProbe<SessionWatch> probe(world.kit().host(),
                                             {{"ann", "", "s"}, seen, "t1", false});
    world.kit().pump();
    INFO("after " << seen << " of " << so_far.size());
    REQUIRE(probe.all().size() == 1);
    const SessionEvents told = probe.all().front();
    CHECK(told.caught_up);
    CHECK(probe.ends().empty());
    const auto polled = world.call<SessionPoll>({{"ann", "", "s"}, seen, {}, 2, 0});
    REQUIRE(polled.ok());
    REQUIRE(told.events.size() == so_far.size() - seen);
    CHECK(polled->events.size() == std::min<std::size_t>(2, told.events.size()));
    CHECK(polled->caught_up == (told.events.size() <= 2));
    for (std::size_t i = 0; i < told.events.size(); ++i) {
      CHECK(told.events[i].sequence == so_far[seen + i].sequence);
      CHECK(told.events[i].text == so_far[seen + i].text);
      CHECK(told.events[i].body == so_far[seen + i].body);
    }
  }
}

TEST_CASE("a turn that cannot be kept is refused, and its session goes on when the store is back") {
  AgentWorld world;
  REQUIRE(world.start("@script reply first", "t1").ok());
  world.unload_store();
  const auto refused = world.start("@script reply lost", "t2");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Unavailable);
  world.load_store();
  REQUIRE(world.start("@script reply third", "t3").ok());
  CHECK(world.finished().final_text == "third");
  const auto log = world.log();
  CHECK(text_of(log, EventKind::TextDelta) == "firstthird");
  for (std::size_t i = 0; i < log.size(); ++i) CHECK(log[i].sequence == i + 1);
}

TEST_CASE("a poll waits for what comes, and no longer than it was told") {
  AgentWorld world;
  REQUIRE(world.start("@script delay 5s\n@script reply late", "t1").ok());
  const std::uint64_t last = world.log().back().sequence;
  std::optional<Result<SessionEvents>> answer;
  const auto ask = [&](std::int64_t wait_ms) {
    answer.reset();
    world.kit().host().bus().call<SessionPoll>(
        {{"ann", "", "s"}, last, {}, 200, wait_ms}, [&](const Result<Ref<SessionEvents>>& events) {
          answer = events.ok() ? Result<SessionEvents>(**events) : events.error();
        });
  };
  ask(1000);
  world.kit().advance(900ms);
  CHECK_FALSE(answer);
  world.kit().advance(200ms);
  REQUIRE(answer);
  REQUIRE(answer->ok());
  CHECK((*answer)->events.empty());
  ask(9000);
  world.kit().advance(5s);
  REQUIRE(answer);
  REQUIRE(answer->ok());
  REQUIRE_FALSE((*answer)->events.empty());
  CHECK((*answer)->events.front().sequence == last + 1);
}

TEST_CASE("turns of one session wait for each other, those of others do not") {
  AgentWorld world;
  REQUIRE(world.start("@script delay 10s\n@script reply slow", "t1").ok());
  const auto second = world.start("@script reply second", "t2");
  REQUIRE(second.ok());
  CHECK(second->position == 1);
  REQUIRE(world.start("@script reply other", "t3", "other").ok());
  CHECK(world.finished("other").final_text == "other");
  const auto info = world.call<SessionOpen>({{"ann", "", "s"}, false, {}, Json("{}")});
  REQUIRE(info.ok());
  CHECK(info->running_turn == "t1");
  CHECK(info->queued_turns == std::vector<std::string>{"t2"});
  CHECK(info->phase == "model");
  world.kit().advance(10s);
  CHECK(world.finished().final_text == "second");
  const auto rows = world.history();
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].text == "slow");
  CHECK(rows[3].text == "second");
}

TEST_CASE("a stopped turn ends at once, and what was read of it stays") {
  AgentWorld world;
  REQUIRE(world.start("@script chunks [\"Once upon\",\" a time\",\" there\"] every 1s", "t1").ok());
  world.kit().advance(1100ms);
  const auto stopped = world.call<TurnStop>({"ann", SessionKey{"ann", "", "s"}, "t1", "enough", 0});
  REQUIRE(stopped.ok());
  REQUIRE(stopped->turns.size() == 1);
  CHECK(stopped->turns[0].turn == "t1");
  world.kit().pump();  // no time passes
  const TurnFinishedBody end = world.finished();
  CHECK(end.end == TurnEnd::Cancelled);
  CHECK(end.reason == "enough");
  CHECK(world.history().back().text.starts_with("Once upon"));
  const auto log = world.log();
  CHECK(log.back().kind == EventKind::TurnFinished);
  world.kit().advance(10s);
  CHECK(world.log().size() == log.size());
  REQUIRE(world.start("@script reply next").ok());
  CHECK(world.finished().final_text == "next");
}

TEST_CASE("a stop reaches a turn that waits, and nobody else's") {
  AgentWorld world;
  REQUIRE(world.start("@script delay 10s\n@script reply one", "t1").ok());
  REQUIRE(world.start("@script reply two", "t2").ok());
  const auto foreign = world.call<TurnStop>({"bob", std::nullopt, "t2", "", 0});
  REQUIRE(foreign.ok());
  CHECK(foreign->turns.empty());
  const auto mine = world.call<TurnStop>({"ann", std::nullopt, "t2", "", 0});
  REQUIRE(mine.ok());
  CHECK(mine->turns.size() == 1);
  world.kit().advance(10s);
  CHECK(world.history().size() == 2);
  CHECK(world.finished().final_text == "one");
}

TEST_CASE("a stop that comes first is remembered for as long as it says") {
  AgentWorld world;
  const SessionKey session{"ann", "", "s"};
  REQUIRE(world.call<TurnStop>({"ann", session, "t1", "", 5000}).ok());
  const auto refused = world.start("@script reply one", "t1");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Aborted);
  CHECK(world.start("@script reply one", "t1").ok());
  REQUIRE(world.call<TurnStop>({"ann", session, "t2", "", 5000}).ok());
  world.kit().advance(5001ms);
  CHECK(world.start("@script reply two", "t2").ok());
}

TEST_CASE("of many stops that stop nothing only the latest ones of a user are remembered") {
  AgentWorld world;
  const SessionKey session{"ann", "", "s"};
  REQUIRE(world.call<TurnStop>({"bob", std::nullopt, "t0", "", 5000}).ok());
  for (int i = 0; i <= 64; ++i) {
    REQUIRE(world.call<TurnStop>({"ann", session, "t" + std::to_string(i), "", 5000}).ok());
  }
  CHECK(world.start("@script reply zero", "t0").ok());
  for (const char* turn : {"t1", "t64"}) {
    INFO(turn);
    const auto refused = world.start("@script reply x", turn);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::Aborted);
  }
  // Nothing has so long a name, so there is nothing to keep.
  const std::string endless(9000, 'x');
  REQUIRE(world.call<TurnStop>({"ann", std::nullopt, endless, "", 5000}).ok());
  const auto refused = world.start("@script reply x", "t2");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Aborted);
}

TEST_CASE("a stop of everything stops all turns that are starting") {
  AgentWorld world;
  std::map<std::string, Result<void>> answers;
  for (const char* key : {"a", "b", "c"}) {
    world.kit().host().bus().call<TurnStart>(
        world.request("@script delay 60s\n@script reply late", key, key),
        [&answers, key](const Result<Ref<TurnStarted>>& started) {
          answers.insert_or_assign(key, started.ok() ? Result<void>{} : started.error());
        });
  }
  REQUIRE(world.call<TurnStop>({"ann", std::nullopt, "", "", 5000}).ok());
  world.kit().pump();
  REQUIRE(answers.size() == 3);
  for (const char* key : {"a", "b", "c"}) {
    INFO(key);
    if (answers.at(key).ok()) {
      CHECK(world.finished(key).end == TurnEnd::Cancelled);
    } else {
      CHECK(answers.at(key).error().code == Code::Aborted);
    }
  }
  // All of them were there to be stopped: nothing waits for the next one.
  CHECK(world.start("@script reply next", "d", "d").ok());
}

TEST_CASE("a turn that nobody watches ends after its time, one that is watched goes on") {
  AgentWorld world;
  auto request = world.request("@script delay 100s\n@script reply done", "t1");
  request.options.linger_ms = 30'000;
  REQUIRE(world.call<TurnStart>(request).ok());
  {
    testkit::StreamProbe<SessionWatch> probe(world.kit().host(), {{"ann", "", "s"}, 0, {}, false});
    world.kit().advance(60s);
    CHECK(world.call<SessionOpen>({{"ann", "", "s"}, false, {}, Json("{}")})->running_turn == "t1");
  }
  world.kit().advance(29s);
  CHECK(world.call<SessionOpen>({{"ann", "", "s"}, false, {}, Json("{}")})->running_turn == "t1");
  world.kit().advance(2s);
  CHECK(world.finished().end == TurnEnd::Abandoned);
}

TEST_CASE("sessions outlive the engine") {
  AgentWorld world;
  REQUIRE(world.start("@script reply remembered", "t1").ok());
  REQUIRE(world.start("@script delay 10s\n@script reply lost", "t2").ok());
  const auto before = world.log();
  world.restart();
  const auto after = world.log();
  REQUIRE(after.size() >= before.size());
  CHECK(sequences(after).back() == after.size());
  CHECK(world.finished().end == TurnEnd::Restarted);
  const auto list = world.call<SessionList>({"ann", std::nullopt, 20, 0});
  REQUIRE(list.ok());
  CHECK(list->total == 1);
  CHECK(world.start("@script show messages").ok());
  CHECK(world.finished().final_text.find("remembered") != std::string::npos);
}

TEST_CASE("no principal sees another's session") {
  AgentWorld world;
  REQUIRE(world.start("@script reply secret", "t1").ok());
  const SessionKey foreign{"bob", "", "s"};
  CHECK(world.call<SessionHistory>({foreign}).error().code == Code::NotFound);
  CHECK(world.call<SessionOpen>({foreign, false, {}, Json("{}")}).error().code == Code::NotFound);
  CHECK(world.call<SessionDelete>({foreign}).error().code == Code::NotFound);
  CHECK(world.call<SessionPoll>({foreign, 0, {}, 200, 0}).error().code == Code::NotFound);
  CHECK(world.call<SessionPatch>({foreign, "mine", std::nullopt}).error().code == Code::NotFound);
  CHECK(world.call<SessionCompact>({foreign, true, std::nullopt, {}}).error().code ==
        Code::NotFound);
  CHECK(world.call<SessionList>({"bob", std::nullopt, 20, 0})->total == 0);
  testkit::StreamProbe<SessionWatch> probe(world.kit().host(), {foreign, 0, {}, false});
  world.kit().pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::NotFound);
  CHECK(probe.all().empty());
}

TEST_CASE("a history is replaced, checked and deleted") {
  AgentWorld world;
  const SessionKey session{"ann", "", "s"};
  HistoryRow user;
  user.text = "before";
  HistoryRow called;
  called.role = RowRole::Assistant;
  called.type = RowType::AssistantResponse;
  called.calls.push_back({"c1", "look", Json("{}")});
  HistoryRow output;
  output.role = RowRole::Tool;
  output.type = RowType::ToolOutput;
  output.call = "c1";
  output.text = "seen";
  CHECK(world.call<SessionRehydrate>({session, {user, called}, {}, "t"}).error().code ==
        Code::InvalidArgument);
  CHECK(world.call<SessionRehydrate>({session, {user, output}, {}, "t"}).error().code ==
        Code::InvalidArgument);
  const auto rows =
      world.call<SessionRehydrate>({session, {user, called, output}, "Be brief.", "t"});
  REQUIRE(rows.ok());
  CHECK(rows->rows.size() == 3);
  REQUIRE(world.start("@script show system").ok());
  CHECK(world.finished().final_text == "Be brief.");
  CHECK(world.history().size() == 5);
  REQUIRE(world.call<SessionDelete>({session}).ok());
  CHECK(world.call<SessionHistory>({session}).error().code == Code::NotFound);
  REQUIRE(world.start("@script reply anew", "t1").ok());
  CHECK(world.log().front().sequence == 1);
  CHECK(world.history().size() == 2);
}

TEST_CASE("what is said to a running turn reaches its next model call") {
  AgentWorld world;
  world.add_tool("look", true, {});
  world.policy.daemon_tools = {"*"};
  CHECK(world.call<TurnInject>({{"ann", "", "s"}, "too early"}).error().code ==
        Code::FailedPrecondition);
  REQUIRE(world.start("@script tool look {}\n@script reply done", "t1").ok());
  for (int i = 0; i < 5; ++i) CHECK(world.call<TurnInject>({{"ann", "", "s"}, "also this"}).ok());
  CHECK(world.call<TurnInject>({{"ann", "", "s"}, "sixth"}).error().code ==
        Code::ResourceExhausted);
  world.kit().advance(121s);  // the tool never answers
  std::size_t said = 0;
  for (const HistoryRow& row : world.history()) said += row.text == "also this" ? 1 : 0;
  CHECK(said == 5);
}

TEST_CASE("what is said while the model gives its last answer is answered, too") {
  AgentWorld world;
  const SessionKey session{"ann", "", "s"};
  REQUIRE(world.start("@script chunks [\"Once\",\" upon\"] every 1s", "t1").ok());
  world.kit().advance(500ms);
  CHECK(world.call<TurnInject>({session, "@script reply and then"}).ok());
  world.kit().advance(5s);
  const TurnFinishedBody end = world.finished();
  CHECK(end.end == TurnEnd::Completed);
  CHECK(end.final_text == "and then");
  CHECK(end.model_calls == 2);
  const auto rows = world.history();
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].text == "Once upon");
  CHECK(rows[2].role == RowRole::User);
  CHECK(rows[2].text == "@script reply and then");
  CHECK(world.call<TurnInject>({session, "too late"}).error().code == Code::FailedPrecondition);
}

TEST_CASE("what was taken for a turn that ends is in the history") {
  AgentWorld world;
  const SessionKey session{"ann", "", "s"};
  REQUIRE(world.start("@script delay 10s\n@script reply slow", "t1").ok());
  CHECK(world.call<TurnInject>({session, "wait"}).ok());
  REQUIRE(world.call<TurnStop>({"ann", session, "t1", "enough", 0}).ok());
  world.kit().pump();
  CHECK(world.history().back().text == "wait");
  CHECK(world.log().back().kind == EventKind::TurnFinished);
}

TEST_CASE("the end of a turn waits for the pictures of its answer") {
  AgentWorld world;
  // A store of artifacts that answers when the test says so.
  std::vector<Reply<ArtifactPut>> open;
  REQUIRE(world.kit()
              .host("artifacts")
              .bus()
              .serve<ArtifactPut>(
                  [&open](const Ref<ArtifactPutRequest>&, const CallInfo&,
                          Reply<ArtifactPut> reply) { open.push_back(std::move(reply)); })
              .ok());
  const auto store = [&open, &world](std::size_t which) {
    ArtifactInfo info;
    info.artifact_id = "picture.png";
    info.content_type = "image/png";
    open.at(which)(std::move(info));
    world.kit().pump();
  };

  SECTION("of an answer that is finished") {
    REQUIRE(world.start("@script image\n@script reply Here it is.", "t1").ok());
    REQUIRE(open.size() == 1);
    CHECK(world.bodies<TurnFinishedBody>(EventKind::TurnFinished).empty());
    store(0);
    CHECK(world.finished().end == TurnEnd::Completed);
    CHECK(world.kinds() ==
          "TurnAccepted TurnStarted UserMessage ModelCallStarted Image ModelCallFinished Usage "
          "AssistantMessage HistoryUpdated TurnFinished");
  }
  SECTION("of an answer that is stopped") {
    REQUIRE(world.start("@script image\n@script hang", "t1").ok());
    REQUIRE(open.size() == 1);
    REQUIRE(world.call<TurnStop>({"ann", SessionKey{"ann", "", "s"}, "t1", "enough", 0}).ok());
    world.kit().pump();
    CHECK(world.bodies<TurnFinishedBody>(EventKind::TurnFinished).empty());
    store(0);
    CHECK(world.finished().end == TurnEnd::Cancelled);
    CHECK(world.log().back().kind == EventKind::TurnFinished);
  }
  SECTION("of an answer that fails, also when the picture cannot be kept") {
    REQUIRE(world.start("@script image\n@script error bad_request gone", "t1").ok());
    REQUIRE(open.size() == 1);
    CHECK(world.bodies<TurnFinishedBody>(EventKind::TurnFinished).empty());
    open.at(0)(Error{Code::ResourceExhausted, "the disk is full", {}});
    world.kit().pump();
    CHECK(world.finished().end == TurnEnd::Failed);
    CHECK(world.bodies<ImageRef>(EventKind::Image).size() == 1);
    return;  // it has no artifact, and is told of nonetheless
  }
  const auto pictures = world.bodies<ImageRef>(EventKind::Image);
  REQUIRE(pictures.size() == 1);
  CHECK(pictures[0].artifact == "picture.png");
}
