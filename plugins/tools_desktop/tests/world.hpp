// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin with doubles of everything around it: the observer, the guard, applications and the
// clipboard answer as the test says, and what they were asked is kept.

#include <gantry/contracts/app.hpp>
#include <gantry/contracts/clipboard.hpp>
#include <gantry/contracts/guard.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/contracts/vision.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gantry::desk::tests {

/// An answer of the observer; without one it is kept waiting until release().
using ObserverAnswer = std::function<std::optional<std::string>(const ObserverToolRequest&)>;

class World {
 public:
  explicit World(const std::string& config = R"({"callers":["*"]})");

  /// Runs a tool up to its end or until nothing more happens; nothing without an end.
  std::optional<ToolResult> run(const std::string& tool, const std::string& arguments);
  /// Begins it; look at `stream` and finished().
  void begin(const std::string& tool, const std::string& arguments);
  [[nodiscard]] std::optional<ToolResult> finished() const;
  /// The text of the result; a test that has none fails.
  [[nodiscard]] std::string text() const;
  /// "list_windows {}; type_text {\"text\":\"x\"}": what the observer was asked.
  [[nodiscard]] std::string asked() const;
  void give_up() { stream->stream().close(Error{Code::Cancelled, "gave up", {}}); }

  testkit::FakeHost kit;
  ObserverAnswer observer;  ///< ok and effect confirmed unless a test says otherwise.
  std::vector<ObserverToolRequest> requests;
  int observer_cancels = 0;
  std::vector<Reply<ObserverTool>> held;
  std::function<GuardVerdict(const GuardAdmitRequest&)> guard = [](const auto&) {
    return GuardVerdict{};
  };
  std::vector<GuardAdmitRequest> admits;
  std::vector<GuardSettleRequest> settles;
  GuardRules rules;
  bool guard_away = false;  ///< Answers as a plugin that is not there.
  PluginInfoList plugins;   ///< As the kernel lists them.
  AppList apps;
  std::function<Result<LaunchedApp>(const LaunchAppRequest&)> launch = [](const auto&) {
    return LaunchedApp{70, "/usr/bin/mousepad", {}};
  };
  std::vector<LaunchAppRequest> launches;
  /// Finds something in a picture; with_sight() makes the kernel name a plugin for it.
  std::function<Result<VisionLocateResult>(const VisionLocateRequest&)> locate = [](const auto&) {
    return Result<VisionLocateResult>(not_found("nothing fits"));
  };
  std::vector<VisionLocateRequest> locates;
  void with_sight();
  Result<ClipboardContent> clipboard = ClipboardContent{"copied", {}};
  ClientAbilities client;
  std::string session = "s1";
  std::unique_ptr<testkit::StreamProbe<ToolRun>> stream;

 private:
  void serve_observer();
  void serve_guard();
  void serve_desktop();
};

/// An answer of list_windows with windows given as "uid title process pid focused".
struct FakeWindow {
  std::string uid, title, process;
  int pid = 0;
  bool focused = false;
};
std::string windows_answer(const std::vector<FakeWindow>& windows);

/// A failure of the observer.
std::string observer_error(const std::string& code, const std::string& message,
                           const std::string& context = "{}");

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace gantry::desk::tests
