// SPDX-License-Identifier: Apache-2.0
//
// The plugin's behaviour: the contracts of skills, and the tool, on the library.
#pragma once

#include <gantry/contracts/skill.hpp>
#include <gantry/plugin.hpp>
#include <gantry/tools/tool_server.hpp>

#include <functional>
#include <memory>
#include <string>

#include "library.hpp"
#include "settings.hpp"
#include "switches.hpp"

namespace gantry::skills {

class SkillsPlugin final : public Plugin {
 public:
  explicit SkillsPlugin(Host& host);

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  using WithSwitches = std::function<void(const Result<Switches>&, std::int64_t version)>;

  template <class C, class F>
  Result<void> serve(F work);
  Result<void> serve_changes();
  void with_switches(const std::string& principal, WithSwitches then);
  void enable(const Ref<SkillEnableRequest>& request, Reply<SkillEnable> reply);
  void run_tool(const tools::CallPtr& call);
  void refresh_tool();
  [[nodiscard]] tools::Tool tool(ToolDescription description);
  void changed();

  std::shared_ptr<Library> library_;
  SettingsPtr settings_;
  tools::ToolServer server_;
  std::string described_;
};

}  // namespace gantry::skills
