// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/plugin.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "core.hpp"
#include "http.hpp"
#include "observer_resources.hpp"
#include "observer_traces.hpp"
#include "observer_watch.hpp"
#include "resource_watch.hpp"
#include "sources.hpp"
#include "stdio_face.hpp"

namespace gantry::mcp {
namespace {

constexpr auto kMountRetry = std::chrono::milliseconds(50);
constexpr int kPatientRetries = 100;
constexpr auto kSlowRetry = std::chrono::seconds(2);

/// Refusals of the listener in JSON-RPC's form.
constexpr const char* kRefusal =
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":{message}}}\n";

class McpPlugin final : public Plugin, public Environment {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
    settings_ = settings;
    finder_ = std::make_unique<SourceFinder>(host(), *this, settings_);
    core_ = std::make_unique<Core>(*this, settings, [this](std::function<void(Sources)> done) {
      finder_->find(std::move(done));
    });
    http_ = std::make_unique<HttpFace>(*core_);
    GANTRY_TRY(host().bus().serve_stream<HttpExchange>(
        [this](const Ref<HttpRequest>& request, const CallInfo&,
               Stream<HttpPart> down) -> Result<StreamHandlers<Nothing>> {
          return http_->accept(*request, std::move(down));
        }));
    return listen_to_changes();
  }

  Result<void> start() override {
    if (settings_.stdio.enabled) {
      stdio_ = std::make_unique<StdioFace>(host(), *core_,
                                           [this](const std::string& reason) { leave(reason); });
      GANTRY_TRY(stdio_->start());
    }
    if (settings_.http.enabled) begin_http();
    return {};
  }

  void stop(Deadline) override {
    retry_ = {};
    if (stdio_) stdio_->close();
    watch_->stop();
    core_->parked.clear();
    http_->close();
  }

 private:
  // Environment
  [[nodiscard]] std::int64_t now_ns() const override { return host().monotonic_ns(); }
  [[nodiscard]] std::shared_ptr<void> after(Duration delay, std::function<void()> work) override {
    return std::make_shared<Timer>(host().after(delay, std::move(work)));
  }
  void warn(std::string_view message, std::string_view detail) override {
    host().log().warn(message, {{"reason", detail}});
  }

  Result<void> listen_to_changes() {
    auto& bus = host().bus();
    GANTRY_ASSIGN(tools_changed_, bus.subscribe<ToolsChanged>([this](const ToolsChangedEvent&) {
      finder_->forget();
      core_->catalog.tools().invalidate();
      core_->hub.changed(Changed::Tools);
    }));
    GANTRY_ASSIGN(prompts_changed_,
                  bus.subscribe<PromptsChanged>([this](const PromptsChangedEvent&) {
                    finder_->forget();
                    core_->catalog.prompts().invalidate();
                    core_->hub.changed(Changed::Prompts);
                  }));
    GANTRY_ASSIGN(resources_changed_,
                  bus.subscribe<ResourceChanged>([this](const ResourceChangedEvent& event) {
                    if (!event.uri.empty()) return core_->hub.resource(event.uri);
                    finder_->forget();
                    core_->catalog.templates().invalidate();
                    core_->hub.changed(Changed::Resources);
                  }));
    return watch_resources();
  }

  Result<void> watch_resources() {
    watch_ = std::make_unique<ResourceWatch>(*core_, watched_desktop_, &watched_resource);
    core_->hub.on_subscribed([this] { watch_->subscribed(); });
    auto& bus = host().bus();
    GANTRY_ASSIGN(windows_changed_, bus.subscribe<WindowChanged>(
                                        [this](const WindowChangedEvent& event) {
                                          watch_->window_changed(event.handle);
                                          if (event.change == WindowChange::Opened ||
                                              event.change == WindowChange::Closed) {
                                            core_->hub.changed(Changed::Resources);
                                          }
                                        },
                                        {64, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
    GANTRY_ASSIGN(trees_changed_,
                  bus.subscribe<A11yChanged>(
                      [this](const A11yChangedEvent& event) { watch_->tree_changed(event.pid); },
                      {64, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
    GANTRY_ASSIGN(status_changed_,
                  bus.subscribe<ObserverStatusChanged>(
                      [this](const ObserverStatusReport& report) { trace_changed(report); },
                      {1, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
    return {};
  }

  /// A recording has begun or ended, or one and the other.
  void trace_changed(const ObserverStatusReport& report) {
    if (std::exchange(trace_changes_, report.trace_changes) == report.trace_changes) return;
    const std::string before = std::exchange(trace_id_, report.trace_id);
    // Whoever subscribed may not be allowed any more: the guard's rules change while this runs.
    finder_->observer().may_read_recordings(
        "mcp:resources", [this, before, now = report.trace_id](const Result<void>& may) {
          if (may.ok() || may.error().code != Code::PermissionDenied) tell_of_trace(before, now);
        });
  }

  void tell_of_trace(const std::string& before, const std::string& now) {
    core_->hub.resource(kTraceUri);
    core_->hub.resource(kTracesUri);
    if (!before.empty()) core_->hub.resource(trace_uri(before));
    if (!now.empty() && now != before) core_->hub.resource(trace_uri(now));
    core_->hub.changed(Changed::Resources);
  }

  [[nodiscard]] bool opens_listener() const { return settings_.http.port >= 0 && !listening_; }

  [[nodiscard]] ListenRequest listen_request() const {
    ListenRequest listen;
    listen.listener = settings_.http.listener;
    listen.host = settings_.http.host;
    listen.port = static_cast<std::int32_t>(settings_.http.port);
    listen.authenticated = !settings_.http.bearer_token.empty();
    listen.allowed_hosts = settings_.http.allowed_hosts;
    listen.allowed_origins = settings_.http.allowed_origins;
    return listen;
  }

  [[nodiscard]] MountRequest mount_request() const {
    MountRequest mount;
    mount.listener = settings_.http.listener;
    mount.bearer_token = settings_.http.bearer_token;
    mount.error_template = kRefusal;
    HttpRoute route;
    route.kind = MountKind::Exchange;
    // The last two are refused with what is served: the observer's own routes know no /mcp.
    route.methods = {"GET", "POST", "DELETE", "PUT", "PATCH"};
    route.path = settings_.http.path;
    route.id = "mcp";
    mount.routes.push_back(std::move(route));
    return mount;
  }

  /// Waits, because a daemon that says it is ready serves MCP. Who opens the listener starts before
  /// this plugin where both are there from the beginning.
  void begin_http() {
    if (opens_listener() && !listened(host().bus().call_wait<HttpListen>(listen_request()))) return;
    mounted(host().bus().call_wait<HttpMount>(mount_request()));
  }

  void open_http() {
    if (!opens_listener()) return mount();
    host().bus().call<HttpListen>(listen_request(), [this](Result<Ref<ListenerInfo>> listener) {
      if (listened(listener)) mount();
    });
  }

  void mount() {
    host().bus().call<HttpMount>(mount_request(),
                                 [this](Result<Ref<gantry::Done>> done) { mounted(done); });
  }

  bool listened(const Result<Ref<ListenerInfo>>& listener) {
    listening_ = listener.ok();
    if (!listening_) {
      try_again(listener.error(), "free the address, or change mcp.http.host and port");
    }
    return listening_;
  }

  void mounted(const Result<Ref<gantry::Done>>& done) {
    if (done.ok()) {
      host().healthy("http");
      host().log().info("MCP is served over HTTP",
                        {{"listener", settings_.http.listener}, {"path", settings_.http.path}});
      return;
    }
    if (done.error().code == Code::NotFound) listening_ = false;
    try_again(done.error(),
              "start the plugin that opens the listener, or set mcp.http.port to open one");
  }

  /// A reload may bring the transport or the listener later: whatever the reason is, it is tried
  /// again.
  void try_again(const Error& error, std::string_view cure) {
    const bool patient = ++attempts_ < kPatientRetries;
    if (!patient) no_http(error, cure);
    retry_ = host().after(patient ? Duration(kMountRetry) : Duration(kSlowRetry),
                          [this] { open_http(); });
  }

  void no_http(const Error& error, std::string_view cure) {
    host().degraded("http", error.message, cure);
  }

  void leave(const std::string& reason) {
    host().log().info("the client on standard input is gone", {{"reason", reason}});
    host().bus().call<KernelStop>({reason}, [this](Result<Ref<gantry::Done>> stopped) {
      if (!stopped.ok()) {
        host().log().error("the daemon could not be stopped",
                           {{"reason", stopped.error().message}});
      }
    });
  }

  Settings settings_;
  std::unique_ptr<SourceFinder> finder_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<HttpFace> http_;
  std::unique_ptr<StdioFace> stdio_;
  BusWatchedDesktop watched_desktop_{host()};
  std::unique_ptr<ResourceWatch> watch_;
  std::int64_t trace_changes_ = 0;
  std::string trace_id_;  ///< Of the recording that runs.
  Subscription tools_changed_, prompts_changed_, resources_changed_, windows_changed_;
  Subscription trees_changed_, status_changed_;
  Timer retry_;
  int attempts_ = 0;
  bool listening_ = false;  ///< the listener is there, opened by this plugin
};

}  // namespace
}  // namespace gantry::mcp

GANTRY_PLUGIN(gantry::mcp::McpPlugin, "mcp", GANTRY_MCP_VERSION)
