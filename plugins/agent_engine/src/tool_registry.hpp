// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tools of this daemon: those of every plugin that serves gantry.tool.*, and the observer's.
// Strand only.

#include <gantry/contracts/tool.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "settings.hpp"
#include "store_client.hpp"

namespace gantry::agent {

/// The tools of all plugins by name; `offered` is not decided yet, `reason` is why a tool cannot
/// run at present.
using ToolSet = std::vector<AgentTool>;

/// AgentTool::plugin of the observer's tools, which have a contract of their own.
inline constexpr const char* kObserverPlugin = "observation";
/// AgentTool::plugin of what the engine does itself.
inline constexpr const char* kOwnPlugin = "agent_engine";
/// Puts questions to the user; offered to protocols that can show them.
inline constexpr const char* kQuestionnaireTool = "questionnaire";

class ToolRegistry {
 public:
  ToolRegistry(Host& host, StoreClient& store, const Settings& settings)
      : host_(host), store_(store), settings_(settings) {}

  /// After gantry.tool.changed/1.
  void forget() { known_ = nullptr; }
  void find(std::function<void(std::shared_ptr<const ToolSet>)> found);

 private:
  struct Search;
  void ask(const std::shared_ptr<Search>& search, const std::string& plugin);
  void ask_observer(const std::shared_ptr<Search>& search);
  void add(Search& search, const std::string& plugin, const ToolDescription& tool) const;
  void one_done(const std::shared_ptr<Search>& search);
  [[nodiscard]] ToolClass class_of(const ToolDescription& tool) const;

  Host& host_;
  StoreClient& store_;
  const Settings& settings_;
  std::shared_ptr<const ToolSet> known_;
  std::shared_ptr<Search> searching_;
};

}  // namespace gantry::agent
