// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/llm/answer.hpp>
#include <gantry/llm/errors.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

using namespace gantry;

namespace {

/// A provider whose answer the test writes.
struct Desk {
  testkit::FakeHost kit;
  std::shared_ptr<llm::Answer> answer;
  int estimates = 0;  // of the prompt

  Desk() {
    const auto served =
        kit.host("provider")
            .bus()
            .serve_stream<LlmChat>([this](
                                       const Ref<LlmChatRequest>&, const CallInfo&,
                                       Stream<LlmChunk> down) -> Result<StreamHandlers<Nothing>> {
              answer = std::make_shared<llm::Answer>(std::move(down), "provider", "m-1", [this] {
                ++estimates;
                return std::int64_t{11};
              });
              StreamHandlers<Nothing> handlers;
              handlers.on_writable = [this] { answer->writable(); };
              return handlers;
            });
    REQUIRE(served.ok());
  }
};

}  // namespace

TEST_CASE("pieces without credit are joined, in order, and the end waits for them") {
  Desk desk;
  StreamOptions options;
  options.receive_credit = 2;
  options.manual_credit = true;
  testkit::StreamProbe<LlmChat> probe(desk.kit.host(), {}, options);
  desk.kit.pump();
  desk.answer->started();
  for (const char* piece : {"a", "b", "c"}) desk.answer->text(piece);
  desk.answer->thinking("t");
  desk.answer->text("d");
  desk.answer->finish(LlmFinishReason::Stop, "r-1");
  CHECK(desk.answer->waiting_bytes() > 0);
  desk.kit.pump();
  CHECK(probe.all().size() == 2);
  CHECK(probe.ends().empty());
  for (int i = 0; i < 8; ++i) {
    probe.stream().grant(1);
    desk.kit.pump();
  }
  const auto chunks = probe.all();
  REQUIRE(chunks.size() == 6);
  CHECK(chunks[1].text == "a");
  CHECK(chunks[2].text == "bc");
  CHECK(chunks[3].kind == LlmChunkKind::Thinking);
  CHECK(chunks[4].text == "d");
  REQUIRE(chunks[5].finish);
  CHECK(chunks[5].finish->blocks.size() == 3);
  CHECK(chunks[5].finish->model == "m-1");
  CHECK(chunks[5].finish->usage.prompt_tokens == 11);
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::Ok);
}

TEST_CASE("pieces that came together are sent together, and their end with them") {
  Desk desk;
  testkit::StreamProbe<LlmChat> probe(desk.kit.host(), {});
  desk.kit.pump();
  desk.answer->hold();
  desk.answer->started();
  for (const char* piece : {"a", "b", "c"}) desk.answer->text(piece);
  desk.answer->writable();
  desk.kit.pump();
  CHECK(probe.all().empty());
  CHECK(desk.answer->visible());
  desk.answer->release();
  desk.kit.pump();
  REQUIRE(probe.all().size() == 2);
  CHECK(probe.all()[1].text == "abc");

  desk.answer->text("d");
  desk.kit.pump();
  CHECK(probe.all().size() == 3);
  desk.answer->hold();
  desk.answer->text("e");
  desk.answer->finish(LlmFinishReason::Stop, "r-1");
  desk.kit.pump();
  CHECK(probe.ends().empty());
  desk.answer->release();
  desk.kit.pump();
  REQUIRE(probe.all().size() == 5);
  CHECK(probe.all()[3].text == "e");
  CHECK(probe.all()[4].finish);
  CHECK(probe.ends().size() == 1);
}

TEST_CASE("a prompt is estimated when its provider has not counted, and only then") {
  for (const bool counted : {false, true}) {
    INFO(counted);
    Desk desk;
    testkit::StreamProbe<LlmChat> probe(desk.kit.host(), {});
    desk.kit.pump();
    desk.answer->text("a");
    LlmUsage usage;
    usage.prompt_tokens = 5;
    if (counted) desk.answer->usage(usage);
    CHECK(desk.estimates == 0);
    desk.answer->finish(LlmFinishReason::Stop, "r-1");
    desk.kit.pump();
    const auto finish = probe.all().back().finish;
    REQUIRE(finish);
    CHECK(finish->usage.prompt_tokens == (counted ? 5 : 11));
    CHECK(desk.estimates == (counted ? 0 : 1));
  }
}

TEST_CASE("what is opaque goes into the history with its maker") {
  Desk desk;
  testkit::StreamProbe<LlmChat> probe(desk.kit.host(), {});
  desk.kit.pump();
  desk.answer->thinking("one");
  desk.answer->thinking_done("sig-1");
  desk.answer->thinking_done("sig-2");
  desk.answer->thinking("three");
  desk.answer->text("hello");
  desk.answer->sign_text("sig-t");
  desk.answer->text("again");
  desk.answer->tool_done("c1", "look", "{\"a\":1,}", "sig-c");
  desk.answer->finish(LlmFinishReason::ToolCalls, {});
  desk.kit.pump();
  const auto finish = probe.all().back().finish;
  REQUIRE(finish);
  const auto& blocks = finish->blocks;
  REQUIRE(blocks.size() == 6);
  CHECK(blocks[0].text == "one");
  CHECK(blocks[0].opaque->data == "sig-1");
  CHECK(blocks[0].opaque->plugin == "provider");
  CHECK(blocks[1].text.empty());
  CHECK(blocks[1].opaque->data == "sig-2");
  CHECK(blocks[2].text == "three");
  CHECK_FALSE(blocks[2].opaque);
  CHECK(blocks[3].opaque->data == "sig-t");
  CHECK(blocks[4].text == "again");
  CHECK(blocks[5].tool_call->arguments.text == "{\"a\":1}");
  CHECK(blocks[5].opaque->data == "sig-c");
}

TEST_CASE("nothing comes after a cancel, and what counts as visible is told") {
  Desk desk;
  testkit::StreamProbe<LlmChat> probe(desk.kit.host(), {});
  desk.kit.pump();
  desk.answer->started();
  CHECK_FALSE(desk.answer->visible());
  desk.answer->thinking("x");
  CHECK(desk.answer->visible());
  CHECK_FALSE(desk.answer->has_content());
  desk.kit.pump();
  const std::size_t before = probe.all().size();
  desk.answer->cancel();
  desk.answer->text("y");
  desk.answer->finish(LlmFinishReason::Stop, {});
  desk.kit.pump();
  CHECK(probe.all().size() == before);
}

TEST_CASE("every kind of trouble has a code and comes back from its name") {
  const auto [trouble, code] = GENERATE(table<llm::Trouble, Code>({
      {llm::Trouble::NoKey, Code::Unauthenticated},
      {llm::Trouble::UnknownModel, Code::NotFound},
      {llm::Trouble::Quota, Code::ResourceExhausted},
      {llm::Trouble::ContextOverflow, Code::OutOfRange},
      {llm::Trouble::Timeout, Code::DeadlineExceeded},
      {llm::Trouble::BrokenStream, Code::DataLoss},
  }));
  CHECK(llm::trouble_of(llm::kind_of(trouble)) == trouble);
  const Error error = llm::Failure{trouble, "why", {}}.error();
  CHECK(error.code == code);
  CHECK_THAT(error.detail, Catch::Contains(std::string(llm::kind_of(trouble))));
}
