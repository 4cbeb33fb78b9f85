// SPDX-License-Identifier: Apache-2.0
// Any text as a scenario: it is refused with a reason, or it can be shown and acted on.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scenario_drawing.hpp"
#include "scenario_world.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gantry::mock;
  ScenarioLimits limits;
  limits.bytes = 1U << 16U;
  limits.pixels = 512;  // pictures are drawn below
  auto parsed = parse_scenario({reinterpret_cast<const char*>(data), size}, "input", limits);
  if (const auto* problem = std::get_if<ScenarioProblem>(&parsed)) {
    if (problem->what.empty() || problem->message().empty()) std::abort();
    return 0;
  }
  ScenarioWorld world(std::move(std::get<Scenario>(parsed)));
  for (const auto& window : world.windows().windows) {
    const WindowSpec* spec = world.find_window(window.handle);
    if (spec == nullptr) std::abort();  // every window that is listed is there
    for (const auto& node : world.tree(*spec).nodes) {
      if (!world.find_element(node.native)) std::abort();
    }
    (void)draw_window(world, *spec);
  }
  (void)world.element_at(10, 10);
  (void)world.act({{"click_element", "type_text"}, world.focus(), "text"});
  (void)world.report();
  return 0;
}
