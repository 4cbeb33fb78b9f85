// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch.hpp>
#include <gantry/llm/json.hpp>

#include <string_view>

#include "tools_plugin.hpp"

namespace gantry::desk::tests {

World::World(const std::string& config) {
  observer = [](const ObserverToolRequest&) -> std::optional<std::string> {
    return R"({"ok":true,"effect":"confirmed","route":"test","evidence":"it was seen"})";
  };
  serve_observer();
  serve_guard();
  serve_desktop();
  REQUIRE(kit.load<ToolsPlugin>("tools_desktop", config).ok());
  kit.pump();
}

void World::serve_observer() {
  const auto served = kit.host().bus().serve<ObserverTool>(
      [this](const Ref<ObserverToolRequest>& request, const CallInfo&, Reply<ObserverTool> reply) {
        requests.push_back(*request);
        const std::optional<std::string> answer = observer(*request);
        if (!answer) {
          reply.on_cancel([this] { ++observer_cancels; });
          return held.push_back(std::move(reply));
        }
        ObserverToolResult result;
        result.result = Json(*answer);
        const auto value = llm::parse_or_null(*answer);
        const auto* error = llm::member(value, "error");
        result.ok = error == nullptr;
        if (error != nullptr) {
          result.error_code = llm::text_of(*error, "code");
          result.message = llm::text_of(*error, "message");
        }
        reply(std::move(result));
      });
  REQUIRE(served.ok());
}

void World::serve_guard() {
  Bus& bus = kit.host().bus();
  REQUIRE(bus.serve<GuardAdmit>([this](const GuardAdmitRequest& request) -> Result<GuardVerdict> {
               admits.push_back(request);
               if (guard_away) return unavailable("the guard is being restarted", "wait");
               return guard(request);
             })
              .ok());
  REQUIRE(bus.serve<GuardPropose>([](const GuardProposal&) -> Result<GuardPromise> {
               return GuardPromise{"ct:0123456789abcdef", 0, true};
             })
              .ok());
  REQUIRE(bus.serve<GuardSettle>([this](const GuardSettleRequest& request) -> Result<GuardBudgets> {
               settles.push_back(request);
               return GuardBudgets{};
             })
              .ok());
  REQUIRE(bus.serve<GuardGetRules>([this](const Nothing&) -> Result<GuardRules> {
               if (guard_away) return unavailable("the guard is being restarted", "wait");
               return rules;
             })
              .ok());
  REQUIRE(
      bus.serve<KernelPlugins>([this](const Nothing&) -> Result<PluginInfoList> { return plugins; })
          .ok());
}

void World::serve_desktop() {
  Bus& bus = kit.host().bus();
  REQUIRE(
      bus.serve<ListApps>([this](const ListAppsRequest&) -> Result<AppList> { return apps; }).ok());
  REQUIRE(bus.serve<LaunchApp>([this](const LaunchAppRequest& request) {
               launches.push_back(request);
               return launch(request);
             })
              .ok());
  REQUIRE(bus.serve<VisionLocate>([this](const VisionLocateRequest& request) {
               locates.push_back(request);
               return locate(request);
             })
              .ok());
  REQUIRE(bus.serve<ClipboardGet>([this](const Nothing&) { return clipboard; }).ok());
  REQUIRE(bus.serve<ClipboardSet>([this](const ClipboardSetRequest& request) -> Result<Done> {
               clipboard = ClipboardContent{request.text, {}};
               return Done{};
             })
              .ok());
}

void World::with_sight() {
  PluginInfo eye;
  eye.name = "eye";
  eye.state = "running";
  eye.provides = {std::string(VisionLocate::kName)};
  plugins.plugins.push_back(std::move(eye));
}

void World::begin(const std::string& tool, const std::string& arguments) {
  ToolCallRequest request;
  request.name = tool;
  request.arguments = Json(arguments);
  request.caller = "test:1";
  request.session = session;
  request.client = client;
  stream = std::make_unique<testkit::StreamProbe<ToolRun>>(kit.host(), request);
  kit.pump();
}

std::optional<ToolResult> World::finished() const {
  for (const ToolUpdate& update : stream->all()) {
    if (update.result) return update.result;
  }
  return std::nullopt;
}

std::optional<ToolResult> World::run(const std::string& tool, const std::string& arguments) {
  begin(tool, arguments);
  for (int i = 0; i < 200 && !finished() && stream->ends().empty(); ++i) {
    kit.advance(std::chrono::milliseconds(250));
  }
  return finished();
}

std::string World::text() const {
  const auto result = finished();
  REQUIRE(result);
  REQUIRE_FALSE(result->content.empty());
  return result->content.front().text;
}

std::string World::asked() const {
  std::string out;
  for (const ObserverToolRequest& request : requests) {
    out += (out.empty() ? "" : "; ") + request.tool + ' ' + request.arguments.text;
  }
  return out;
}

std::string windows_answer(const std::vector<FakeWindow>& windows) {
  boost::json::array list;
  for (const FakeWindow& window : windows) {
    list.push_back(boost::json::object{{"window_uid", window.uid},
                                       {"title", window.title},
                                       {"process", window.process},
                                       {"pid", window.pid},
                                       {"focused", window.focused}});
  }
  return codec::serialize(boost::json::object{{"ok", true}, {"windows", list}});
}

std::string observer_error(const std::string& code, const std::string& message,
                           const std::string& context) {
  return R"({"ok":false,"error":{"code":")" + code + R"(","message":")" + message +
         R"(","context":)" + context + "}}";
}

}  // namespace gantry::desk::tests
