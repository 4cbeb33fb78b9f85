// SPDX-License-Identifier: Apache-2.0
// What the observer says that it can do here, and what is missing.
#include <catch2/catch.hpp>
#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/guard.hpp>
#include <gantry/contracts/input.hpp>
#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/ocr.hpp>
#include <gantry/contracts/scenario.hpp>
#include <gantry/contracts/window.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "fake_desktop.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

TEST_CASE("an ability is advertised only while a plugin that works serves it") {
  Bench bench;
  CHECK(has(bench.run("get_capabilities"), R"("accessibility_tree":false)"));
  PluginInfo plugin;
  plugin.state = "running";
  plugin.provides = {std::string(GetA11yTree::kName)};
  bench.desktop.plugin_list = PluginInfoList{{plugin}};
  const auto result = bench.run("get_capabilities");
  CHECK(has(result, R"("accessibility_tree":true)"));
  CHECK(has(result, R"("adapter":"TestAdapter")"));
  CHECK(has(result, R"("ascii_grid":{"height":24,"width":72})"));
  bench.desktop.plugin_list->plugins[0].suitability = 0;
  CHECK(has(bench.run("get_capabilities"), R"("accessibility_tree":false)"));
}

TEST_CASE("each published ability is there with what it needs, and only then") {
  struct Row {
    std::string_view contract;
    std::vector<std::string> abilities;
  };
  const std::vector<Row> rows{
      {GetA11yTree::kName, {"accessibility_tree", "element_targeting", "observe_with_diff"}},
      {ActivateWindow::kName, {"bring_to_foreground"}},
      {PointerInput::kName, {"drag"}},
      {ListWindows::kName, {"occlusion_detection"}},
      {GuardGetRules::kName, {"redaction", "image_blur"}},
      {OcrRead::kName, {"ocr"}},
      {LoadScenario::kName, {"scenarios"}},
      {ObserverTool::kName, {"tracing", "replay"}},
  };
  Bench bench;
  for (const Row& row : rows) {
    PluginInfo plugin;
    plugin.state = "running";
    plugin.provides = {std::string(row.contract)};
    for (const bool there : {false, true}) {
      bench.desktop.plugin_list = PluginInfoList{};
      if (there) bench.desktop.plugin_list->plugins = {plugin};
      const auto result = bench.run("get_capabilities");
      for (const std::string& ability : row.abilities) {
        INFO(ability << " with " << row.contract << ": " << there);
        CHECK(has(result, '"' + ability + "\":" + (there ? "true" : "false")));
      }
    }
  }
}

TEST_CASE("without a window system everything says what is missing") {
  Bench bench;
  bench.desktop.window_list =
      unavailable("no plugin serves gantry.window.list/1", "enable linux_x11");
  bench.desktop.monitor_list = unavailable("no plugin serves gantry.monitor.list/1");
  for (const char* tool :
       {"list_windows", "get_window_structure", "get_screen_description", "get_screen_sketch"}) {
    INFO(tool);
    const auto result = bench.run(tool);
    CHECK(result.error_code == "PlatformUnsupported");
    CHECK(result.message == "no plugin serves gantry.window.list/1 (cure: enable linux_x11)");
  }
  CHECK(has(bench.run("get_monitors"), R"("monitors":[],"ok":true)"));
  CHECK(bench.run("get_capabilities").ok);
  CHECK(bench.observer.status().adapter == "none");
}

}  // namespace
}  // namespace gantry::observation
