// SPDX-License-Identifier: Apache-2.0
#include "tools.hpp"

#include <iterator>
#include <utility>

#include "content.hpp"
#include "media.hpp"
#include "schemas.hpp"

namespace gantry::mcp_fixtures {
namespace {

using namespace std::chrono_literals;
using schemas::kNoArguments;
using Saying = Say<ToolCallRequest, ToolUpdate>;

// The scenarios want to see messages that are apart in time.
constexpr auto kBreath = 50ms;

Saying progress(double done) {
  return {[done](const ToolScene& scene) -> std::optional<ToolUpdate> {
    if (!scene.request->progress) return std::nullopt;
    ToolUpdate update;
    update.progress = ToolProgress{done, 100.0, {}};
    return update;
  }};
}

Saying notice(const char* json_text) {
  return {[json_text](const ToolScene& scene) -> std::optional<ToolUpdate> {
    if (!scene.request->notices || *scene.request->notices > NoticeLevel::Info) return std::nullopt;
    ToolUpdate update;
    update.notice = ToolNotice{NoticeLevel::Info, "mcp_fixtures", Json(json_text)};
    return update;
  }};
}

Saying hang_up() {
  return {[](const ToolScene&) -> std::optional<ToolUpdate> {
    ToolUpdate update;
    update.come_back_ms = 50;
    return update;
  }};
}

Saying say(const char* text) {
  return answer([text](const ToolScene&) { return std::vector<ContentBlock>{text_block(text)}; });
}

Saying blocks(std::vector<ContentBlock> content) {
  return answer([content = std::move(content)](const ToolScene&) { return content; });
}

Saying failure(const char* text) {
  return {[text](const ToolScene&) -> std::optional<ToolUpdate> {
    ToolUpdate update;
    update.result.emplace().content = {text_block(text)};
    update.result->is_error = true;
    return update;
  }};
}

Saying change(bool& list, const std::function<void()>& announce) {
  return answer([&list, &announce](const ToolScene&) {
    list = !list;
    announce();
    return std::vector<ContentBlock>{text_block("The list has changed.")};
  });
}

ToolSteps logging_steps() {
  return {notice(R"("Tool execution started")"),   Pause{kBreath},
          notice(R"("Tool processing data")"),     Pause{kBreath},
          notice(R"("Tool execution completed")"), say("Tool with logging executed successfully")};
}

std::vector<ToolFixture> content_tools() {
  const auto image = bytes_block(ContentKind::Image, red_pixel(), "image/png");
  return {
      tool_fixture("test_simple_text", "Answers with one text", kNoArguments,
                   {say("This is a simple text response for testing.")}),
      tool_fixture("test_image_content", "Answers with a picture", kNoArguments, {blocks({image})}),
      tool_fixture("test_audio_content", "Answers with a sound", kNoArguments,
                   {blocks({bytes_block(ContentKind::Audio, short_silence(), "audio/wav")})}),
      tool_fixture("test_embedded_resource", "Answers with a resource", kNoArguments,
                   {blocks({resource_block("test://embedded-resource", "text/plain",
                                           "This is an embedded resource content.")})}),
      tool_fixture("test_multiple_content_types", "Answers with text, picture and resource",
                   kNoArguments,
                   {blocks({text_block("Multiple content types test:"), image,
                            resource_block("test://mixed-content-resource", "application/json",
                                           R"({"test":"data","value":123})")})}),
      tool_fixture("test_error_handling", "Always fails", kNoArguments,
                   {failure("This tool intentionally returns an error for testing")}),
      tool_fixture("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features",
                   schemas::kJsonSchema202012, {say("The schema is what counts.")}),
      tool_fixture("test_header_parameter", "Has a parameter that is repeated in a header",
                   schemas::kHeaderParameter, {answer([](const ToolScene& scene) {
                     return std::vector<ContentBlock>{
                         text_block("Region: " + text_at(scene.request->arguments, "/region"))};
                   })}),
  };
}

std::vector<ToolFixture> reporting_tools(World& world) {
  ToolFixture working = tool_fixture(
      "test_tool_with_progress", "Reports how far it is", kNoArguments,
      {progress(0), Pause{kBreath}, progress(50), Pause{kBreath}, progress(100), say("Done")});
  working.description.long_running = true;
  return {
      std::move(working),
      tool_fixture("test_tool_with_logging", "Writes three lines of log", kNoArguments,
                   logging_steps()),
      tool_fixture("test_logging_tool", "Writes three lines of log", kNoArguments, logging_steps()),
      tool_fixture("test_reconnection", "Lets the client hang up and come back", kNoArguments,
                   {hang_up(), Pause{4 * kBreath}, say("You came back.")}),
      tool_fixture("test_trigger_tool_change", "Adds or removes a tool", kNoArguments,
                   {change(world.second_tool_list, world.tools_changed)}),
      tool_fixture("test_trigger_prompt_change", "Adds or removes a prompt", kNoArguments,
                   {change(world.second_prompt_list, world.prompts_changed)}),
  };
}

}  // namespace

ToolFixture tool_fixture(const char* name, const char* description, const char* schema,
                         ToolSteps steps) {
  ToolFixture fixture;
  fixture.description.name = name;
  fixture.description.description = description;
  fixture.description.input_schema = Json(schema);
  fixture.description.read_only = true;
  fixture.description.destructive = false;
  fixture.description.open_world = false;
  fixture.steps = std::move(steps);
  return fixture;
}

Say<ToolCallRequest, ToolUpdate> answer(
    std::function<std::vector<ContentBlock>(const ToolScene&)> content) {
  return {[content = std::move(content)](const ToolScene& scene) -> std::optional<ToolUpdate> {
    ToolUpdate update;
    update.result.emplace().content = content(scene);
    return update;
  }};
}

Refuse<ToolCallRequest> need(bool ClientAbilities::*ability, const char* name) {
  return {[ability, name](const ToolScene& scene) -> std::optional<Error> {
    if (scene.request->client.*ability) return std::nullopt;
    return Error{Code::FailedPrecondition,
                 std::string("this tool asks the client, which does not say that it can: ") + name,
                 std::string(R"({"required":[")") + name + R"("]})"};
  }};
}

std::vector<ToolFixture> tool_fixtures(World& world) {
  auto tools = content_tools();
  for (auto more : {reporting_tools(world), asking_tool_fixtures()}) {
    std::move(more.begin(), more.end(), std::back_inserter(tools));
  }
  if (world.second_tool_list) {
    tools.push_back(tool_fixture("test_second_list", "Only in the other list", kNoArguments,
                                 {say("The other list.")}));
  }
  return tools;
}

}  // namespace gantry::mcp_fixtures
