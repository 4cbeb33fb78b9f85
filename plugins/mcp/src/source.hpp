// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where tools, resources and prompts come from: the observer's engine, or any plugin that serves
// the contracts. Everything on the plugin's strand.

#include <gantry/contracts/prompt.hpp>
#include <gantry/contracts/resource.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gantry::mcp {

template <class T>
using Done = std::function<void(Result<T>)>;

/// A tool or a prompt under way. Dropping it changes nothing; cancel() stops it at once, and
/// nothing is heard of it afterwards.
class Run {
 public:
  virtual ~Run() = default;
  virtual void answer(AskAnswer answer) = 0;
  virtual void cancel() = 0;
};

/// What a run tells. `end` comes when it ends without a result, and at most once.
template <class Update>
struct RunEvents {
  std::function<void(const Update&)> update;
  std::function<void(const Error&)> end;
};
using ToolEvents = RunEvents<ToolUpdate>;
using PromptEvents = RunEvents<PromptUpdate>;

/// Addresses that somebody wants to hear of.
struct WatchRequest {
  std::vector<std::string> uris;
  std::string caller;
};

class Source {
 public:
  virtual ~Source() = default;
  /// Name of the plugin that it stands for.
  [[nodiscard]] virtual const std::string& name() const = 0;

  // A source that has nothing of a kind answers with an empty list.
  virtual void list_tools(Done<std::vector<ToolDescription>> done) = 0;
  virtual void list_resources(Done<std::vector<ResourceDescription>> done) = 0;
  virtual void list_templates(Done<std::vector<ResourceTemplate>> done) = 0;
  virtual void list_prompts(Done<std::vector<PromptDescription>> done) = 0;

  virtual std::shared_ptr<Run> run_tool(ToolCallRequest request, ToolEvents events) = 0;
  virtual std::shared_ptr<Run> get_prompt(PromptRequest request, PromptEvents events) = 0;
  /// not_found: not one of this source's.
  virtual void read_resource(ResourceReadRequest request, Done<ResourceContents> done) = 0;
  virtual void complete(CompletionRequest request, Done<Completions> done) = 0;
  /// Whether the caller may hear of changes of these resources; those of other sources are nobody's
  /// business here.
  virtual void may_watch(WatchRequest /*request*/, Done<void> done) { done({}); }
};

}  // namespace gantry::mcp
