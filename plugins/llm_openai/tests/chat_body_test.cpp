// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

LlmMessage message(LlmRole role, std::vector<LlmBlock> blocks) {
  return {role, std::move(blocks), false};
}

LlmBlock text(std::string words) {
  LlmBlock block;
  block.text = std::move(words);
  return block;
}

LlmImage picture(LlmDetail detail = LlmDetail::Auto) {
  LlmImage image;
  image.media_type = "image/png";
  image.data = Buffer::of(std::string("abc"));
  image.detail = detail;
  return image;
}

LlmBlock picture_block(LlmDetail detail = LlmDetail::Auto) {
  LlmBlock block;
  block.kind = LlmBlockKind::Image;
  block.image = picture(detail);
  return block;
}

LlmBlock call(const std::string& id, const std::string& arguments) {
  LlmBlock block;
  block.kind = LlmBlockKind::ToolCall;
  block.tool_call = LlmToolCall{id, "look", Json(arguments), {}};
  return block;
}

LlmBlock result(const std::string& id, const std::string& words, std::vector<LlmImage> images) {
  LlmBlock block;
  block.kind = LlmBlockKind::ToolResult;
  block.tool_result = LlmToolResult{id, "look", words, std::move(images), false};
  return block;
}

llm::Endpoint endpoint(const std::string& name) {
  llm::Endpoint out;
  out.name = name;
  if (name == "openai") out.base_url = "https://api.openai.com/v1";
  return out;
}

LlmModel model() {
  LlmModel out;
  out.id = "m-1";
  out.efforts = {LlmEffort::Low, LlmEffort::High};
  return out;
}

constexpr const char* kPng =
    R"({"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj")";

TEST_CASE("a conversation is written as messages, in order") {
  LlmChatRequest request;
  request.messages = {
      message(LlmRole::System, {text("be \"brief\"")}),
      message(LlmRole::System, {text("and kind")}),
      message(LlmRole::User, {text("one"), text("two\n")}),
      message(LlmRole::Assistant, {call("c1", R"({"x":1})"), call("c2", "{}")}),
      message(LlmRole::Tool, {result("c1", "seen", {picture()}), result("c2", "", {})}),
      message(LlmRole::Assistant, {text("well"), picture_block()}),
      message(LlmRole::User, {text("what is"), picture_block(LlmDetail::High)}),
  };
  const std::string body = chat_body(request, endpoint("mistral"), model());
  CHECK(body ==
        std::string(R"({"model":"m-1","messages":[)") +
            R"({"role":"system","content":"be \"brief\"\n\nand kind"},)" +
            R"({"role":"user","content":"one\ntwo\n"},)" +
            R"({"role":"assistant","content":null,"tool_calls":[)" +
            R"({"id":"c1","type":"function","function":{"name":"look","arguments":"{\"x\":1}"}},)" +
            R"({"id":"c2","type":"function","function":{"name":"look","arguments":"{}"}}]},)" +
            R"({"role":"tool","tool_call_id":"c1","content":"seen"},)" +
            R"({"role":"tool","tool_call_id":"c2","content":""},)" +
            R"({"role":"user","content":[)" +
            R"({"type":"text","text":"Images of the result of look:"},)" + kPng + "}}]}," +
            R"({"role":"assistant","content":"well)" +
            R"([an image, image/png, is left out: it cannot be sent here]"},)" +
            R"({"role":"user","content":[{"type":"text","text":"what is"},)" + kPng +
            R"(,"detail":"high"}}]}],"stream":true})");
}

TEST_CASE("what a request asks for is said in the members that the endpoint takes") {
  LlmChatRequest request;
  request.messages = {message(LlmRole::User, {text("hi")})};
  request.tools = {{"look", "looks", Json(R"({"type":"object"})"), true},
                   {"odd", "", Json("no JSON"), false}};
  request.tool_choice = LlmToolChoice::Named;
  request.tool_choice_name = "look";
  request.parallel_tool_calls = false;
  request.effort = LlmEffort::Max;
  request.max_output_tokens = 7;
  request.temperature = 0.5;
  request.output_schema = LlmOutputSchema{"answer", Json(R"({"type":"object"})"), false};
  request.cache_key = "session";
  request.image_output = true;
  const std::string common =
      std::string(R"({"model":"m-1","messages":[{"role":"user","content":"hi"}],"stream":true,)") +
      R"("stream_options":{"include_usage":true},"tools":[{"type":"function","function":)" +
      R"({"name":"look","description":"looks","parameters":{"type":"object"},"strict":true}},)" +
      R"({"type":"function","function":{"name":"odd","description":"","parameters":null}}],)" +
      R"("tool_choice":{"type":"function","function":{"name":"look"}},)" +
      R"("parallel_tool_calls":false,"reasoning_effort":"high",)";
  const std::string schema =
      std::string(R"("temperature":0.5,"response_format":{"type":"json_schema","json_schema":)") +
      R"({"name":"answer","schema":{"type":"object"},"strict":false}},)";
  CHECK(chat_body(request, endpoint("openrouter"), model()) ==
        common + R"("max_tokens":7,)" + schema + R"("modalities":["image","text"]})");
  const std::string own = chat_body(request, endpoint("openai"), model());
  CHECK(own ==
        common + R"("max_completion_tokens":7,)" + schema + R"("prompt_cache_key":"session"})");
}

TEST_CASE("a model of OpenAI's that thinks keeps its name of the limit behind a proxy") {
  const auto [address, id, name] = GENERATE(table<const char*, const char*, const char*>({
      {"https://api.openai.com/v1", "gpt-4o", "max_completion_tokens"},
      {"http://127.0.0.1:9000/v1", "gpt-5-mini", "max_completion_tokens"},
      {"http://127.0.0.1:9000/v1", "qwen3", "max_tokens"},
      {"http://127.0.0.1:9000/v1", "gpt-oss", "max_tokens"},
  }));
  INFO(address << ' ' << id);
  LlmChatRequest request;
  request.messages = {message(LlmRole::User, {text("hi")})};
  request.max_output_tokens = 7;
  llm::Endpoint place = endpoint("openai");
  place.base_url = address;
  LlmModel asked = model();
  asked.id = id;
  Dialect().describe(asked, place);
  const std::string body = chat_body(request, place, asked);
  CHECK(body.find(std::string("\"") + name + "\":7") != std::string::npos);
}

TEST_CASE("how tools are to be chosen has a word each") {
  LlmChatRequest request;
  request.messages = {message(LlmRole::User, {text("hi")})};
  request.tools = {{"look", "", Json("{}"), false}};
  const auto says = [&](LlmToolChoice choice, const std::string& words) {
    request.tool_choice = choice;
    const std::string body = chat_body(request, endpoint("openai"), model());
    return (body.find("tool_choice") != std::string::npos) == !words.empty() &&
           body.find(words) != std::string::npos;
  };
  CHECK(says(LlmToolChoice::Auto, ""));
  CHECK(says(LlmToolChoice::None, R"("tool_choice":"none")"));
  CHECK(says(LlmToolChoice::Required, R"("tool_choice":"required")"));
}

}  // namespace
}  // namespace gantry::openai
