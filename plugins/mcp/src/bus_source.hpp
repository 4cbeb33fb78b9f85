// SPDX-License-Identifier: Apache-2.0
#pragma once
// Any plugin that serves gantry.tool.*, gantry.resource.* or gantry.prompt.*, called by its name.
// Strand only.

#include <gantry/host.hpp>

#include <set>
#include <string>

#include "source.hpp"

namespace gantry::mcp {

class BusSource final : public Source {
 public:
  /// `serves` are the contracts that the plugin provides: what it does not serve is empty.
  BusSource(Host& host, std::string plugin, std::set<std::string, std::less<>> serves)
      : host_(host), plugin_(std::move(plugin)), serves_(std::move(serves)) {}

  [[nodiscard]] const std::string& name() const override { return plugin_; }
  [[nodiscard]] const std::set<std::string, std::less<>>& serves() const { return serves_; }
  void list_tools(Done<std::vector<ToolDescription>> done) override;
  void list_resources(Done<std::vector<ResourceDescription>> done) override;
  void list_templates(Done<std::vector<ResourceTemplate>> done) override;
  void list_prompts(Done<std::vector<PromptDescription>> done) override;
  std::shared_ptr<Run> run_tool(ToolCallRequest request, ToolEvents events) override;
  std::shared_ptr<Run> get_prompt(PromptRequest request, PromptEvents events) override;
  void read_resource(ResourceReadRequest request, Done<ResourceContents> done) override;
  void complete(CompletionRequest request, Done<Completions> done) override;

 private:
  template <class C, class T>
  void list(std::vector<T> C::Response::*member, Done<std::vector<T>> done);
  template <class C>
  void ask(typename C::Request request, Done<typename C::Response> done);
  template <class C, class Update>
  std::shared_ptr<Run> open(typename C::Opening opening, RunEvents<Update> events);

  Host& host_;
  std::string plugin_;
  std::set<std::string, std::less<>> serves_;
};

}  // namespace gantry::mcp
