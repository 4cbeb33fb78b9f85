// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers requests: finds the row of the routes table, turns the request into arguments, and hands
// them to the engine. Health and metrics are answered from what the engine has published, so that
// they cost one hop and never wait for a desktop. Used from the plugin's strand.

#include <gantry/contract.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cors.hpp"
#include "routes.hpp"
#include "web_files.hpp"

namespace gantry::rest_observer {

class Service {
 public:
  using Answer = std::function<void(HttpResponse)>;
  using ToolDone = std::function<void(Result<Ref<ObserverToolResult>>)>;

  /// What the service needs from its plugin.
  struct Engine {
    std::function<void(ObserverToolRequest, ToolDone)> run;
    std::function<std::int64_t()> monotonic_ns;
    /// Asks the engine for status and tools; the answers come through set_status() and set_tools().
    std::function<void()> refresh;
    /// Asks whether all plugins of the daemon have started; answers once.
    std::function<void(std::function<void(bool)>)> whether_started;
  };

  Service(Engine engine, Cors cors) : engine_(std::move(engine)), cors_(std::move(cors)) {}

  /// The inspector; without it `/` lists the routes.
  void set_web(WebFiles files) { web_ = std::move(files); }

  /// Calls `answer` exactly once, now or later.
  void handle(const HttpRequest& request, Answer answer);

  void set_status(const ObserverStatusReport& status);
  /// The engine does not answer any more.
  void clear_status() { status_.reset(); }
  void set_tools(const ObserverToolNames& names);
  void set_cors(Cors cors) { cors_ = std::move(cors); }

 private:
  void dispatch(const Route& route, const HttpRequest& request, Answer answer);
  void run_tool(const Route& route, const HttpRequest& request, std::string tool,
                std::string arguments, Answer answer);
  void run_action(const Route& route, const HttpRequest& request, Answer answer);
  void run_named(const Route& route, const HttpRequest& request, Answer answer);
  [[nodiscard]] HttpResponse page(const HttpRequest& request) const;
  [[nodiscard]] HttpResponse asset(const HttpRequest& request) const;
  [[nodiscard]] HttpResponse health();
  void first_health(Answer answer);
  [[nodiscard]] HttpResponse open_api();
  [[nodiscard]] HttpResponse metrics() const;
  [[nodiscard]] std::int64_t uptime_s() const;

  Engine engine_;
  Cors cors_;
  WebFiles web_;
  std::optional<ObserverStatusReport> status_;
  ObserverToolNames tools_;
  bool started_ = false;  ///< All plugins of the daemon have.
  std::int64_t refreshed_ns_ = 0;
  std::int64_t health_uptime_ = -1;  ///< The second that health_body_ was made for.
  Buffer health_body_;
  Buffer open_api_body_;  ///< Made at the first request, again when the tools change.
};

}  // namespace gantry::rest_observer
