// SPDX-License-Identifier: Apache-2.0
#include "prompts.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "content.hpp"
#include "media.hpp"
#include "schemas.hpp"

namespace gantry::mcp_fixtures {
namespace {

using Texts = std::function<std::vector<ContentBlock>(const PromptScene&)>;

constexpr const char* kWithArguments = "test_prompt_with_arguments";
constexpr std::array<std::string_view, 6> kWords{"hello", "paris", "park",
                                                 "party", "test",  "world"};

/// The last step: messages of the user.
Say<PromptRequest, PromptUpdate> write(Texts blocks) {
  return {[blocks = std::move(blocks)](const PromptScene& scene) -> std::optional<PromptUpdate> {
    PromptUpdate update;
    update.prompt.emplace();
    for (auto& block : blocks(scene)) {
      update.prompt->messages.push_back({PromptRole::User, std::move(block)});
    }
    return update;
  }};
}

std::string argument(const PromptScene& scene, const char* name) {
  const auto found = scene.request->arguments.find(name);
  return found == scene.request->arguments.end() ? std::string() : found->second;
}

/// Ends the run when an argument that the prompt needs is missing.
Refuse<PromptRequest> check_arguments(std::vector<PromptParameter> parameters) {
  return {[parameters = std::move(parameters)](const PromptScene& scene) -> std::optional<Error> {
    for (const auto& parameter : parameters) {
      if (scene.request->arguments.count(parameter.name) == 0) {
        return invalid_argument("the prompt needs the argument '" + parameter.name + "'");
      }
    }
    return std::nullopt;
  }};
}

PromptFixture prompt_fixture(const char* name, const char* description,
                             std::vector<PromptParameter> parameters, PromptSteps steps) {
  PromptFixture fixture;
  fixture.description = {name, {}, description, parameters};
  fixture.steps = std::move(steps);
  fixture.steps.insert(fixture.steps.begin(), check_arguments(std::move(parameters)));
  return fixture;
}

PromptFixture asking_prompt() {
  const Refuse<PromptRequest> can_fill{[](const PromptScene& scene) -> std::optional<Error> {
    if (scene.request->client.elicit_form) return std::nullopt;
    return Error{Code::FailedPrecondition, "this prompt asks the user, which the client cannot",
                 R"({"required":["elicit_form"]})"};
  }};
  const Question<PromptRequest> context = [](const PromptScene&) {
    return std::vector<Ask>{
        {"user_context", AskKind::ElicitForm, "What context should the prompt use?",
         Json(std::string(R"({"requestedSchema":)") + schemas::kContext + "}")}};
  };
  return prompt_fixture("test_input_required_result_prompt", "Asks the user for its context", {},
                        {can_fill, context, write([](const PromptScene& scene) {
                           return std::vector<ContentBlock>{text_block(
                               "Context: " + scene.answer("user_context", "/content/context"))};
                         })});
}

}  // namespace

std::vector<PromptFixture> prompt_fixtures(const World& world) {
  std::vector<PromptFixture> prompts{
      prompt_fixture("test_simple_prompt", "One text", {}, {write([](const PromptScene&) {
                       return std::vector<ContentBlock>{
                           text_block("This is a simple prompt for testing.")};
                     })}),
      prompt_fixture(
          kWithArguments, "A text with two arguments",
          {{"arg1", {}, "First test argument", true}, {"arg2", {}, "Second test argument", true}},
          {write([](const PromptScene& scene) {
            return std::vector<ContentBlock>{text_block("Prompt with arguments: arg1='" +
                                                        argument(scene, "arg1") + "', arg2='" +
                                                        argument(scene, "arg2") + "'")};
          })}),
      prompt_fixture("test_prompt_with_embedded_resource", "A resource and a text",
                     {{"resourceUri", {}, "URI of the resource to embed", true}},
                     {write([](const PromptScene& scene) {
                       return std::vector<ContentBlock>{
                           resource_block(argument(scene, "resourceUri"), "text/plain",
                                          "Embedded resource content for testing."),
                           text_block("Please process the embedded resource above.")};
                     })}),
      prompt_fixture("test_prompt_with_image", "A picture and a text", {},
                     {write([](const PromptScene&) {
                       return std::vector<ContentBlock>{
                           bytes_block(ContentKind::Image, red_pixel(), "image/png"),
                           text_block("Please analyze the image above.")};
                     })}),
      asking_prompt(),
  };
  if (world.second_prompt_list) {
    prompts.push_back(prompt_fixture("test_second_list", "Only in the other list", {},
                                     {write([](const PromptScene&) {
                                       return std::vector<ContentBlock>{text_block("Other.")};
                                     })}));
  }
  return prompts;
}

Result<Completions> complete(const CompletionRequest& request) {
  if (request.prompt != kWithArguments) {
    return not_found("nothing is known of '" + request.prompt + request.uri_template + "'");
  }
  Completions out;
  for (const auto word : kWords) {
    if (word.starts_with(request.value)) out.values.emplace_back(word);
  }
  out.total = static_cast<std::int64_t>(out.values.size());
  return out;
}

}  // namespace gantry::mcp_fixtures
