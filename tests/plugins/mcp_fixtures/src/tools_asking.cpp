// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "content.hpp"
#include "schemas.hpp"
#include "tools.hpp"

namespace gantry::mcp_fixtures {
namespace {

using Asking = Question<ToolCallRequest>;
using schemas::kNoArguments;

Ask form(const char* id, std::string message, const char* schema) {
  return {id, AskKind::ElicitForm, std::move(message),
          Json(std::string(R"({"requestedSchema":)") + schema + "}")};
}

/// `message` is plain text without characters that JSON escapes.
Ask sample(const char* id, const std::string& message, int max_tokens) {
  return {id,
          AskKind::Sample,
          {},
          Json(R"({"messages":[{"role":"user","content":{"type":"text","text":")" + message +
               R"("}}],"maxTokens":)" + std::to_string(max_tokens) + "}")};
}

Ask roots(const char* id) { return {id, AskKind::Roots, {}, Json("{}")}; }

Asking asking(std::vector<Ask> asks) {
  return [asks = std::move(asks)](const ToolScene&) { return asks; };
}

Say<ToolCallRequest, ToolUpdate> say(std::function<std::string(const ToolScene&)> text) {
  return answer([text = std::move(text)](const ToolScene& scene) {
    return std::vector<ContentBlock>{text_block(text(scene))};
  });
}

/// What the user did with a form, and what was filled in.
Say<ToolCallRequest, ToolUpdate> tell_form(const char* id) {
  return say([id](const ToolScene& scene) {
    return "Elicitation completed: action=" + scene.answer(id, "/action") +
           ", content=" + scene.answer(id, "/content");
  });
}

const auto kCanFill = need(&ClientAbilities::elicit_form, "elicit_form");
const auto kCanSample = need(&ClientAbilities::sampling, "sampling");
const auto kCanRoots = need(&ClientAbilities::roots, "roots");

/// Questions of one kind, as the stateful revisions and the stateless one ask them.
std::vector<ToolFixture> single_questions() {
  return {
      tool_fixture("test_sampling", "Lets the client's model answer", schemas::kPromptArgument,
                   {kCanSample, Asking([](const ToolScene& scene) {
                      return std::vector<Ask>{
                          sample("sampling", text_at(scene.request->arguments, "/prompt"), 100)};
                    }),
                    say([](const ToolScene& scene) {
                      return "LLM response: " + scene.answer("sampling", "/content/text");
                    })}),
      tool_fixture("test_elicitation", "Asks the user", schemas::kMessageArgument,
                   {kCanFill, Asking([](const ToolScene& scene) {
                      return std::vector<Ask>{form(
                          "user", text_at(scene.request->arguments, "/message"), schemas::kUser)};
                    }),
                    say([](const ToolScene& scene) {
                      return "User response: action=" + scene.answer("user", "/action") +
                             ", content=" + scene.answer("user", "/content");
                    })}),
      tool_fixture("test_elicitation_sep1034_defaults", "Asks with defaults", kNoArguments,
                   {kCanFill,
                    asking({form("defaults",
                                 "Please review and update the form fields with "
                                 "defaults",
                                 schemas::kDefaults)}),
                    tell_form("defaults")}),
      tool_fixture("test_elicitation_sep1330_enums", "Asks with choices", kNoArguments,
                   {kCanFill, asking({form("enums", "Please select options", schemas::kEnums)}),
                    tell_form("enums")}),
      tool_fixture("test_streaming_elicitation", "Asks the user", kNoArguments,
                   {kCanFill, asking({form("confirm", "Please confirm", schemas::kConfirm)}),
                    tell_form("confirm")}),
      tool_fixture("test_missing_capability", "Needs a client whose model can be asked",
                   kNoArguments,
                   {kCanSample, asking({sample("sampling", "Are you there?", 10)}),
                    say([](const ToolScene& scene) { return scene.answer("sampling", "/role"); })}),
  };
}

/// Results that need input (SEP-2322).
std::vector<ToolFixture> input_required() {
  const auto name = form("user_name", "What is your name?", schemas::kName);
  const auto hello = say([](const ToolScene& scene) {
    return "Hello, " + scene.answer("user_name", "/content/name") + "!";
  });
  const auto confirm = asking({form("confirm", "Please confirm", schemas::kConfirm)});
  return {
      tool_fixture("test_input_required_result_elicitation", "Asks for a name", kNoArguments,
                   {kCanFill, asking({name}), hello}),
      tool_fixture(
          "test_input_required_result_sampling", "Asks a model", kNoArguments,
          {kCanSample, asking({sample("capital_question", "What is the capital of France?", 100)}),
           say([](const ToolScene& scene) {
             return scene.answer("capital_question", "/content/text");
           })}),
      tool_fixture("test_input_required_result_list_roots", "Asks for the roots", kNoArguments,
                   {kCanRoots, asking({roots("client_roots")}), say([](const ToolScene& scene) {
                      return "Roots: " + scene.answer("client_roots", "/roots");
                    })}),
      tool_fixture("test_input_required_result_request_state", "Asks, and remembers", kNoArguments,
                   {kCanFill, confirm, say([](const ToolScene& scene) {
                      return "state-ok: " + scene.answer("confirm", "/content/ok");
                    })}),
      tool_fixture("test_input_required_result_tampered_state", "Asks, and remembers", kNoArguments,
                   {kCanFill, confirm, tell_form("confirm")}),
      tool_fixture(
          "test_input_required_result_multiple_inputs", "Asks three things at once", kNoArguments,
          {kCanFill, kCanSample, kCanRoots,
           asking({name, sample("greeting", "Generate a greeting", 50), roots("client_roots")}),
           say([](const ToolScene& scene) {
             return scene.answer("greeting", "/content/text") + " " +
                    scene.answer("user_name", "/content/name") + ", " +
                    scene.answer("client_roots", "/roots/0/uri");
           })}),
      tool_fixture(
          "test_input_required_result_multi_round", "Asks twice", kNoArguments,
          {kCanFill, asking({form("step1", "Step 1: What is your name?", schemas::kName)}),
           asking({form("step2", "Step 2: What is your favorite color?", schemas::kColour)}),
           say([](const ToolScene& scene) {
             return scene.answer("step1", "/content/name") + " likes " +
                    scene.answer("step2", "/content/color");
           })}),
      tool_fixture("test_input_required_result_capabilities",
                   "Asks only what the client says that it can answer", kNoArguments,
                   {Asking([name](const ToolScene& scene) {
                      std::vector<Ask> asks;
                      if (scene.request->client.elicit_form) asks.push_back(name);
                      if (scene.request->client.sampling)
                        asks.push_back(sample("greeting", "Generate a greeting", 50));
                      return asks;
                    }),
                    say([](const ToolScene& scene) {
                      return std::to_string(scene.answers.size()) + " answers";
                    })}),
  };
}

}  // namespace

std::vector<ToolFixture> asking_tool_fixtures() {
  auto tools = single_questions();
  for (auto& tool : input_required()) tools.push_back(std::move(tool));
  return tools;
}

}  // namespace gantry::mcp_fixtures
