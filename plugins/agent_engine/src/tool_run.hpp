// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run of a tool of this daemon. Strand only.

#include <gantry/contracts/tool.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <memory>
#include <string>

namespace gantry::agent {

struct ToolRunEvents {
  std::function<void(const ToolProgress&)> progress;
  /// The tool asks its user; `answer` takes the answer, once.
  std::function<void(const Ask&, std::function<void(AskAnswer)> answer)> ask;
  /// The guard wants the user's consent for this act; `answer` takes it, once.
  std::function<void(std::function<void(bool)> answer)> consent;
  /// Last, once. A failure of the tool is a result.
  std::function<void(Result<gantry::ToolResult>)> end;
};

/// Ends the run when it goes, or is cancelled: the tool stops at once, and nothing more is heard.
class ToolRunning {
 public:
  virtual ~ToolRunning() = default;
  virtual void cancel() = 0;
};

/// `plugin` runs it: kObserverPlugin, or one that serves gantry.tool.run/1. The stream or call must
/// be opened in a context that is the engine's own.
[[nodiscard]] std::shared_ptr<ToolRunning> run_tool(Host& host, const std::string& plugin,
                                                    ToolCallRequest request, ToolRunEvents events);

}  // namespace gantry::agent
