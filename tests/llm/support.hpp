// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of model providers share: the three plugins behind one face, and answers put
// together.

#include <gantry/contracts/llm.hpp>
#include <gantry/result.hpp>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../support/model_server.hpp"

namespace gantry::llm_tests {

inline constexpr std::string_view kKey = "test-key-123456";

/// One stream format that a plugin speaks.
struct Form {
  std::string name;      // chat, responses, anthropic, gemini
  std::string plugin;    // llm_openai, …
  std::string provider;  // as in the catalogue
  std::string path;      // where the double has it
};

inline const std::vector<Form>& forms() {
  static const std::vector<Form> all{{"chat", "llm_openai", "openai", "/v1"},
                                     {"responses", "llm_openai", "openai", "/v1"},
                                     {"anthropic", "llm_anthropic", "anthropic", ""},
                                     {"gemini", "llm_gemini", "google", "/v1beta"}};
  return all;
}

inline std::string server_script() {
  const char* source = std::getenv("GANTRY_SOURCE_DIR");
  return std::string(source != nullptr ? source : ".") + "/tests/support/model_server.py";
}

/// One double for all cases of a test, as new for each.
inline testkit::ModelServer& fresh_server() {
  static testkit::ModelServer server(server_script());
  server.reset();
  return server;
}

/// The configuration of a form's plugin; `more` are further members, with a comma in front.
inline std::string config_of(const Form& form, const testkit::ModelServer& server,
                             const std::string& more = {}) {
  const bool openai = form.plugin == "llm_openai";
  return R"({"api_key":")" + std::string(kKey) + R"(","base_url":")" + server.url(form.path) + '"' +
         (openai ? R"(,"api":")" + form.name + '"' : std::string()) + more + '}';
}

inline LlmMessage message(LlmRole role, std::string text) {
  LlmMessage out;
  out.role = role;
  out.blocks.emplace_back().text = std::move(text);
  return out;
}

inline LlmChatRequest question(std::string model) {
  LlmChatRequest request;
  request.model = std::move(model);
  request.messages = {message(LlmRole::System, "Be kind."), message(LlmRole::User, "hi")};
  return request;
}

/// The chunks of an answer, put together.
struct Heard {
  std::string text, thoughts;
  std::vector<LlmToolCall> calls;
  std::string deltas;  // of all calls, one after the other
  std::vector<LlmImage> images;
  std::vector<LlmSearchStep> searches;
  std::optional<LlmFinish> finish;
  int started = 0, begun = 0;
};

inline Heard hear(const std::vector<LlmChunk>& chunks) {
  Heard heard;
  for (const LlmChunk& chunk : chunks) {
    switch (chunk.kind) {
      case LlmChunkKind::Started: ++heard.started; break;
      case LlmChunkKind::Text: heard.text += chunk.text; break;
      case LlmChunkKind::Thinking: heard.thoughts += chunk.text; break;
      case LlmChunkKind::ToolCallBegin: ++heard.begun; break;
      case LlmChunkKind::ToolCallDelta: heard.deltas += chunk.text; break;
      case LlmChunkKind::ToolCall: heard.calls.push_back(*chunk.tool_call); break;
      case LlmChunkKind::Image: heard.images.push_back(*chunk.image); break;
      case LlmChunkKind::Search: heard.searches.push_back(*chunk.search); break;
      case LlmChunkKind::Usage: break;
      case LlmChunkKind::Finish: heard.finish = chunk.finish; break;
    }
  }
  return heard;
}

}  // namespace gantry::llm_tests
