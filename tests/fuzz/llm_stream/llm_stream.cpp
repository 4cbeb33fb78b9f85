// SPDX-License-Identifier: Apache-2.0
//
// Any bytes from a model's provider: the first byte chooses the form, the rest is the body of its
// answer, cut into pieces of changing size. Reading never fails otherwise than by a Failure, calls
// always have an object as arguments, and an answer ends once.
#include <gantry/llm/json.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "anthropic_plugin.hpp"
#include "gemini_plugin.hpp"
#include "openai_plugin.hpp"

using namespace gantry;

namespace {

std::unique_ptr<llm::ChatReader> reader_of(unsigned form, llm::Answer& answer,
                                           const llm::Endpoint& endpoint) {
  switch (form % 4) {
    case 0: return openai::chat_reader(answer, endpoint);
    case 1: return openai::responses_reader(answer, endpoint);
    case 2: return anthropic::messages_reader(answer, endpoint);
    default: return gemini::content_reader(answer, endpoint);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned form = data[0];
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  testkit::FakeHost kit;
  std::shared_ptr<llm::Answer> answer;
  const auto served =
      kit.host("provider")
          .bus()
          .serve_stream<LlmChat>([&](const Ref<LlmChatRequest>&, const CallInfo&,
                                     Stream<LlmChunk> down) -> Result<StreamHandlers<Nothing>> {
            answer = std::make_shared<llm::Answer>(std::move(down), "provider", "m",
                                                   [] { return std::int64_t{1}; });
            StreamHandlers<Nothing> handlers;
            handlers.on_writable = [&] { answer->writable(); };
            return handlers;
          });
  if (!served.ok()) std::abort();
  testkit::StreamProbe<LlmChat> probe(kit.host(), {});
  kit.pump();
  llm::Endpoint endpoint;
  endpoint.name = "fuzz";
  const auto reader = reader_of(form, *answer, endpoint);
  const llm::SseReader::Use use = [&](const llm::SseEvent& event) {
    if (!reader->over()) reader->event(event);
  };
  llm::SseReader sse;
  for (std::size_t at = 0, step = form / 4 + 1; at < body.size(); at += step) {
    if (!sse.feed(body.substr(at, step), use)) break;
  }
  sse.end(use);
  if (!reader->over()) reader->end();
  if (reader->finished()) {
    answer->finish(reader->reason(), reader->response_id());
  } else if (reader->failure()) {
    answer->fail(reader->failure()->error());
  } else {
    answer->cancel();
  }
  kit.pump();
  for (const LlmChunk& chunk : probe.all()) {
    if (chunk.kind != LlmChunkKind::ToolCall) continue;
    if (!llm::parse_or_null(chunk.tool_call->arguments.text).is_object()) std::abort();
  }
  if (reader->over() && probe.ends().size() != 1) std::abort();
  return 0;
}
