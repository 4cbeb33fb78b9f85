// SPDX-License-Identifier: Apache-2.0
#define BOOST_DLL_USE_STD_FS  // its paths are std::filesystem::path
#include <gantry/contracts/kernel.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <algorithm>
#include <boost/dll/runtime_symbol_info.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "service.hpp"
#include "settings.hpp"
#include "web_files.hpp"

namespace gantry::rest_observer {
namespace {

constexpr const char* kListener = "observer";
constexpr const char* kNoRoute = "none";

/// Refusals of the listener in the protocol's words.
constexpr const char* kRefusal = "{\"error\":{message},\"ok\":false,\"success\":false}\n";

/// All routes in one request: who reaches one of them reaches all.
MountRequest mounts(const Settings& settings) {
  MountRequest mount;
  mount.listener = kListener;
  mount.error_template = kRefusal;
  mount.bearer_token = settings.bearer_token;
  mount.not_found_id = kNoRoute;
  mount.routes = routes_by_path(
      all_routes(), [](const Route& row, HttpRoute& route) { route.open = needs_no_token(row); });
  return mount;
}

/// Where this library was loaded from.
std::filesystem::path own_folder() { return boost::dll::this_line_location().parent_path(); }

class RestObserverPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
    service_ = std::make_unique<Service>(
        Service::Engine{[this](ObserverToolRequest request, Service::ToolDone done) {
                          run(std::move(request), std::move(done));
                        },
                        [this] { return host().monotonic_ns(); }, [this] { learn_engine(); },
                        [this](std::function<void(bool)> done) { ask_kernel(std::move(done)); }},
        Cors(settings_.cors_origins));
    GANTRY_TRY(host().bus().serve<HttpHandle>(
        [this](const Ref<HttpRequest>& request, const CallInfo&, Reply<HttpHandle> reply) {
          auto answer = std::make_shared<Reply<HttpHandle>>(std::move(reply));
          service_->handle(*request,
                           [answer](HttpResponse response) { (*answer)(std::move(response)); });
        }));
    GANTRY_ASSIGN(status_changes_,
                  host().bus().subscribe<ObserverStatusChanged>(
                      [this](const ObserverStatusReport& status) { service_->set_status(status); },
                      {1, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
    return {};
  }

  Result<void> start() override {
    if (std::find(settings_.cors_origins.begin(), settings_.cors_origins.end(), "*") !=
        settings_.cors_origins.end()) {
      host().log().warn("cors_origins contains *: any web page may read the screen and act on it");
    }
    learn_engine();
    load_web();
    ListenRequest listen = listen_request(settings_, kListener, !settings_.bearer_token.empty());
    listen.bearer_token = settings_.bearer_token;  // others serve here too: MCP
    return become_reachable(host(), std::move(listen), mounts(settings_), "screen observer");
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(Settings changed, read_settings(host().config_json()));
    settings_.cors_origins = changed.cors_origins;
    settings_.tool_timeout = changed.tool_timeout;
    service_->set_cors(Cors(settings_.cors_origins));
    return {};
  }

 private:
  void run(ObserverToolRequest request, Service::ToolDone done) {
    CallOptions options;
    options.timeout = std::chrono::milliseconds(settings_.tool_timeout);
    host().bus().call<ObserverTool>(std::move(request), std::move(done), options);
  }

  void ask_kernel(std::function<void(bool)> done) {
    host().bus().call<KernelHealth>({}, [done = std::move(done)](Result<Ref<HealthReport>> health) {
      // Without a kernel that knows (a test's host) nothing is awaited.
      done(!health.ok() || (*health)->ready);
    });
  }

  /// What the engine says about itself; later it tells by events.
  void learn_engine() {
    host().bus().call<ObserverStatus>({}, [this](Result<Ref<ObserverStatusReport>> status) {
      if (status.ok()) {
        service_->set_status(**status);
      } else {
        service_->clear_status();
      }
    });
    host().bus().call<ObserverTools>({}, [this](Result<Ref<ObserverToolNames>> names) {
      if (names.ok()) service_->set_tools(**names);
    });
  }

  /// The inspector stands in the folder `web` beside the plugin. Without it everything else works.
  void load_web() {
    if (!settings_.web) return;
    Result<WebFiles> files = WebFiles::read(own_folder() / "web");
    if (files.ok()) {
      service_->set_web(std::move(*files));
      return;
    }
    host().degraded("web", files.error().message,
                    "install the plugin again, or set rest_observer.web to false");
    host().log().warn("the inspector is not served: " + files.error().message);
  }

  Settings settings_;
  std::unique_ptr<Service> service_;
  Subscription status_changes_;
};

}  // namespace
}  // namespace gantry::rest_observer

GANTRY_PLUGIN(gantry::rest_observer::RestObserverPlugin, "rest_observer", "0.1.0")
