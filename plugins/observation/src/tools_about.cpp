// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/guard.hpp>
#include <gantry/contracts/input.hpp>
#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/ocr.hpp>
#include <gantry/contracts/scenario.hpp>
#include <gantry/contracts/vision.hpp>
#include <gantry/contracts/window.hpp>

#include <array>

#include "senses.hpp"
#include "tools.hpp"
#include "vision.hpp"

namespace gantry::observation {
namespace {

constexpr int kProtocolVersion = 2;

/// What the engine can do, and which contract it needs for it; an ability is shown only while a
/// running plugin serves the contract and does not say of itself that it cannot work here. Rows
/// without a contract belong to other systems than those that there are adapters for.
struct Ability {
  std::string_view name;
  std::string_view contract;
};
constexpr std::array<Ability, 15> kAbilities{{
    {"accessibility_tree", GetA11yTree::kName},
    {"bring_to_foreground", ActivateWindow::kName},
    {"drag", PointerInput::kName},
    {"element_targeting", GetA11yTree::kName},
    {"image_blur", GuardGetRules::kName},
    {"observe_with_diff", GetA11yTree::kName},
    {"occlusion_detection", ListWindows::kName},
    {"ocr", OcrRead::kName},
    {"redaction", GuardGetRules::kName},
    {"replay", ObserverTool::kName},
    {"scenarios", LoadScenario::kName},
    {"tracing", ObserverTool::kName},
    {"uia_invoke", {}},
    {"vlm", VisionDescribe::kName},
    {"wsl_powershell", {}},
}};

JsonObject supports(const Settings& settings, const PluginInfoList& plugins) {
  JsonObject out;
  for (const Ability& ability : kAbilities) {
    const bool wanted = ability.name != "vlm" || settings.vlm.enabled;
    out.add(ability.name, wanted && !ability.contract.empty() && serves(plugins, ability.contract));
  }
  return out;
}

JsonObject tree_stats(const TreeCache& cache) {
  JsonObject out;
  for (const auto& [uid, stats] : cache.stats()) {
    JsonObject entry;
    entry.add("captured_at", stats.captured_at);
    entry.add("capture_ms", stats.capture_ms);
    entry.add("node_count", stats.node_count);
    entry.add("named_node_count", stats.named_node_count);
    out.add(uid, entry);
  }
  return out;
}

Task<ToolOutcome> get_capabilities(Engine& engine, const ToolCall&) {
  // Learns the adapter's name when nothing has asked for windows yet.
  const Outcome<WindowsNow> windows = co_await engine.directory.list();
  const Answer<PluginInfoList> plugins = co_await engine.desktop.plugins();
  const PluginInfoList none;
  note_senses(engine, plugins);

  const SketchSettings& sketch = engine.settings.sketch;
  JsonObject grid;
  grid.add("width", sketch.grid_width);
  grid.add("height", sketch.grid_height);
  JsonObject config;
  config.add("tree_max_depth", engine.settings.tree.max_depth);
  config.add("tree_default_depth", engine.settings.tree.default_depth);
  config.add("ascii_grid", grid);

  JsonObject out;
  out.add("platform", engine.directory.platform());
  out.add("adapter", engine.directory.adapter());
  out.add("version", engine.version);
  out.add("protocol_version", kProtocolVersion);
  out.add("supports", supports(engine.settings, plugins.ok() ? **plugins : none));
  out.add("config", config);
  out.add("tree_stats", tree_stats(engine.trees.cache()));
  if (!windows.ok()) out.add("warning", windows.failure().message);
  co_return out;
}

constexpr Tool kAboutTools[] = {
    {"get_capabilities",
     get_capabilities,
     ToolKind::About,
     false,
     "Says what works on this machine: adapter, abilities, limits.",
     {}},
};

}  // namespace

std::span<const Tool> about_tools() { return kAboutTools; }

}  // namespace gantry::observation
