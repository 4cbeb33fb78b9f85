// SPDX-License-Identifier: Apache-2.0
#pragma once
// The observer's tools, windows and recordings for MCP: the one place that knows both. Strand only.

#include <gantry/contracts/observe.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <map>
#include <string>

#include "environment.hpp"
#include "observer_teaching.hpp"
#include "settings.hpp"
#include "source.hpp"

namespace gantry::mcp {

using ObserverAnswer = std::function<void(Result<ObserverToolResult>)>;

class ObserverSource final : public Source,
                             public ToolSchemas,
                             public std::enable_shared_from_this<ObserverSource> {
 public:
  ObserverSource(Host& host, Environment& environment, const Settings& settings)
      : host_(host), environment_(environment), settings_(settings) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  void list_tools(Done<std::vector<ToolDescription>> done) override;
  void list_resources(Done<std::vector<ResourceDescription>> done) override;
  void list_templates(Done<std::vector<ResourceTemplate>> done) override;
  void list_prompts(Done<std::vector<PromptDescription>> done) override;
  std::shared_ptr<Run> run_tool(ToolCallRequest request, ToolEvents events) override;
  std::shared_ptr<Run> get_prompt(PromptRequest request, PromptEvents events) override;
  void read_resource(ResourceReadRequest request, Done<ResourceContents> done) override;
  void complete(CompletionRequest request, Done<Completions> done) override;
  void may_watch(WatchRequest request, Done<void> done) override;

  /// One call of the engine.
  CallHandle ask(ObserverToolRequest request, ObserverAnswer done);
  /// Recordings in the engine's folder.
  void recordings(RecordingListRequest request, Done<RecordingInfos> done);
  void recording(RecordingReadRequest request, Done<RecordingContents> done);
  /// Whether the guard lets the caller read recordings; refusals are as those of reading.
  void may_read_recordings(const std::string& caller, Done<void> done);
  [[nodiscard]] Host& host() { return host_; }
  [[nodiscard]] Environment& environment() { return environment_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  /// Whether a tool takes an argument, as its schema says; false for unknown tools.
  [[nodiscard]] bool takes(std::string_view tool, std::string_view argument) const;
  [[nodiscard]] std::vector<std::string> tools() const override;
  [[nodiscard]] boost::json::object schema(std::string_view tool) const override;
  /// Whether a tool takes an argument, for those who know no source. Valid as long as the source.
  [[nodiscard]] Takes taker() const {
    return
        [this](std::string_view tool, std::string_view argument) { return takes(tool, argument); };
  }

 private:
  Host& host_;
  Environment& environment_;
  const Settings& settings_;
  std::string name_ = "observation";
  std::map<std::string, std::string, std::less<>> schemas_;  // of the tools, by name
};

}  // namespace gantry::mcp
