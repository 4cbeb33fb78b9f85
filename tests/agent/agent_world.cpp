// SPDX-License-Identifier: Apache-2.0
#include "agent_world.hpp"

#include <boost/describe/enum_to_string.hpp>
#include <catch2/catch.hpp>
#include <utility>

#include "agent_engine/src/engine_plugin.hpp"
#include "llm_scripted/src/scripted_plugin.hpp"
#include "store/src/store_plugin.hpp"

namespace gantry::testing {
namespace {

/// Makes the answer to a question the tool's result.
std::function<void(const Ref<AskAnswer>&)> answering(Stream<ToolUpdate> down) {
  return [down = std::move(down)](const Ref<AskAnswer>& answer) mutable {
    ToolUpdate update;
    update.result.emplace();
    update.result->content.emplace_back().text =
        answer->error.empty() ? answer->result.text : answer->error;
    (void)down.send(std::move(update));
    down.close();
  };
}

}  // namespace

AgentWorld::AgentWorld(const std::string& engine_config, const std::string& model_config)
    : engine_config_(engine_config) {
  serve();
  load_store();
  REQUIRE(kit_.load<scripted::ScriptedPlugin>("llm_scripted", model_config).ok());
  load_engine();
}

AgentWorld::~AgentWorld() = default;

void AgentWorld::load_store() {
  REQUIRE(kit_.load<store::StorePlugin>("store",
                                        R"({"path":")" + folder_.path().string() + R"(/store.db"})")
              .ok());
}

void AgentWorld::load_engine() {
  REQUIRE(kit_.load<agent::AgentEngine>("agent_engine", engine_config_).ok());
  kit_.pump();
}

void AgentWorld::restart() {
  unload_engine();
  load_engine();
}

void AgentWorld::serve() {
  auto& kernel = kit_.host("kernel").bus();
  REQUIRE(kernel
              .serve<KernelContracts>([](const Nothing&) -> Result<ContractInfoList> {
                ContractInfoList list;
                for (const auto& [name, plugin] :
                     std::map<std::string, std::string>{{"gantry.llm.models/1", "llm_scripted"},
                                                        {"gantry.tool.run/1", "tools_test"}}) {
                  ContractInfo info;
                  info.name = name;
                  info.providers = {plugin};
                  list.contracts.push_back(info);
                }
                return list;
              })
              .ok());
  auto& bus = kit_.host("tools_test").bus();
  REQUIRE(bus.serve<ToolList>([this](const Nothing&) -> Result<ToolDescriptions> {
               ToolDescriptions list;
               for (const auto& tool : tools_.tools) list.tools.push_back(tool.description);
               return list;
             })
              .ok());
  REQUIRE(bus.serve_stream<ToolRun>(
                 [this](const Ref<ToolCallRequest>& request, const CallInfo&,
                        Stream<ToolUpdate> down) -> Result<StreamHandlers<AskAnswer>> {
                   tools_.ran.push_back(request->name);
                   tools_.requests.push_back(*request);
                   StreamHandlers<AskAnswer> handlers;
                   handlers.on_end = [this, down](const Error& error) {
                     if (error.code != Code::Ok) ++tools_.cancelled;
                   };
                   for (const auto& tool : tools_.tools) {
                     if (tool.description.name != request->name || !tool.run) continue;
                     if (tool.ask) {
                       handlers.on_chunk = answering(down);
                       kit_.host("tools_test").post([down, ask = *tool.ask]() mutable {
                         ToolUpdate question;
                         question.asks.push_back(ask);
                         (void)down.send(std::move(question));
                       });
                       continue;
                     }
                     ToolUpdate update;
                     update.result = tool.run(request->arguments.text);
                     (void)down.send(std::move(update));
                     down.close();
                   }
                   return handlers;
                 })
              .ok());
}

void AgentWorld::add_tool(const std::string& name, bool read_only, ToolServer::Run run) {
  ToolServer::Tool tool;
  tool.description.name = name;
  tool.description.description = "does " + name;
  tool.description.read_only = read_only;
  tool.description.open_world = false;
  tool.description.input_schema =
      Json(R"({"type":"object","properties":{"n":{"type":"integer","minimum":0}},)"
           R"("additionalProperties":false})");
  tool.run = std::move(run);
  tools_.tools.push_back(std::move(tool));
}

TurnStartRequest AgentWorld::request(const std::string& text, const std::string& turn,
                                     const std::string& key, const std::string& principal) const {
  TurnStartRequest out;
  out.session = {principal, "", key};
  out.turn = turn;
  out.text = text;
  out.caller = "test";
  out.options.tools = policy;
  out.options.client_tools = client_tools;
  out.options.waits = waits;
  out.options.linger_ms = -1;
  return out;
}

Result<TurnStarted> AgentWorld::start(const std::string& text, const std::string& turn,
                                      const std::string& key, const std::string& principal) {
  auto started = call<TurnStart>(request(text, turn, key, principal));
  kit_.pump();
  return started;
}

std::vector<SessionEvent> AgentWorld::log(const std::string& key, const std::string& principal) {
  testkit::StreamProbe<SessionWatch> probe(kit_.host(), {{principal, "", key}, 0, {}, false});
  kit_.pump();
  std::vector<SessionEvent> out;
  for (const SessionEvents& batch : probe.all()) {
    out.insert(out.end(), batch.events.begin(), batch.events.end());
  }
  return out;
}

std::string AgentWorld::kinds(const std::string& key) {
  std::string out;
  for (const SessionEvent& event : log(key)) {
    if (agent::is_delta(event.kind)) continue;
    out += (out.empty() ? "" : " ") + std::string(agent::kind_name(event.kind));
  }
  return out;
}

TurnFinishedBody AgentWorld::finished(const std::string& key) {
  const auto all = bodies<TurnFinishedBody>(EventKind::TurnFinished, key);
  REQUIRE_FALSE(all.empty());
  return all.back();
}

std::vector<HistoryRow> AgentWorld::history(const std::string& key, const std::string& principal) {
  const auto rows = call<SessionHistory>({{principal, "", key}});
  REQUIRE(rows.ok());
  return rows->rows;
}

}  // namespace gantry::testing
