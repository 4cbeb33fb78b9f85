// SPDX-License-Identifier: Apache-2.0
#include "tools_plugin.hpp"

#include <gantry/contracts/app.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/llm/json.hpp>

#include <algorithm>
#include <utility>

namespace gantry::desk {
namespace {

constexpr std::size_t kMostEnds = 64;  // of processes that are remembered

}  // namespace

Result<void> ToolsPlugin::init() {
  GANTRY_TRY(reconfigure());
  std::vector<tools::Tool> served;
  for (const Tool& tool : all_tools(desk_.settings)) {
    served.push_back(
        {description_of(tool), [this, tool](const tools::CallPtr& call) { run(tool, call); }});
  }
  GANTRY_TRY(server_.serve(std::move(served)));
  Bus& bus = host().bus();
  GANTRY_ASSIGN(windows_,
                bus.subscribe<WindowChanged>([this](const WindowChangedEvent&) { wake_all(); },
                                             {1, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
  GANTRY_ASSIGN(ends_, bus.subscribe<AppEnded>([this](const AppEndedEvent& event) {
    desk_.ended.push_back(event);
    if (desk_.ended.size() > kMostEnds) desk_.ended.pop_front();
    wake_all();
  }));
  return {};
}

Result<void> ToolsPlugin::start() {
  server_.announce();
  return {};
}

Result<void> ToolsPlugin::reconfigure() {
  GANTRY_ASSIGN(desk_.settings, read_settings(host().config_json()));
  server_.set_callers(desk_.settings.callers);
  return {};
}

void ToolsPlugin::stop(Deadline) { server_.stop(); }

void ToolsPlugin::wake_all() {
  const auto runs = runs_;  // a run that ends takes itself out
  for (const auto& run : runs) run->woken();
}

void ToolsPlugin::run(const Tool& tool, const tools::CallPtr& call) {
  boost::json::value value = llm::parse_or_null(call->request().arguments.text);
  if (!value.is_object()) return call->fail(invalid_argument("arguments must be an object"));
  if (const std::string problem = problem_of(tool.parameters, value.get_object());
      !problem.empty()) {
    return call->finish(failed("BadRequest", problem));
  }
  auto run = std::make_shared<Run>(desk_, call, Arguments(std::move(value.get_object())));
  runs_.push_back(run);
  call->on_cancel([weak = std::weak_ptr<Run>(run)] {
    if (const auto alive = weak.lock()) alive->cancel();
  });
  const auto end = [this, run, call](ToolResult result) {
    call->finish(std::move(result));
    std::erase(runs_, run);
  };
  spawn(running_, tool.run(*run), end, [end](const std::exception_ptr&) {
    end(failed("ResourceExhausted", "the tool ran out of memory"));
  });
}

}  // namespace gantry::desk
