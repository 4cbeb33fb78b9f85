// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include <memory>
#include <utility>

#include "catalog.hpp"
#include "launcher.hpp"
#include "settings.hpp"

namespace gantry::apps {
namespace {

class AppsPlugin final : public Plugin {
 public:
  explicit AppsPlugin(Host& host)
      : Plugin(host), launcher_(std::make_shared<Launcher>([this](const AppEndedEvent& event) {
          this->host().bus().publish<AppEnded>(event);
        })) {}

  Result<void> init() override {
    GANTRY_TRY(reconfigure());
    // Both read the disk, so they leave the strand.
    GANTRY_TRY(host().bus().serve<ListApps>(
        [this](const Ref<ListAppsRequest>& request, const CallInfo&, Reply<ListApps> reply) {
          host().blocking([catalog = catalog(), request, reply = std::move(reply)]() mutable {
            reply(catalog.list(*request));
          });
        }));
    return host().bus().serve<LaunchApp>(
        [this](const Ref<LaunchAppRequest>& request, const CallInfo&, Reply<LaunchApp> reply) {
          host().blocking([catalog = catalog(), launcher = launcher_, request,
                           reply = std::move(reply)]() mutable {
            reply(launch(catalog, *launcher, *request));
          });
        });
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
    return {};
  }

  void stop(Deadline) override { launcher_->stop(); }

 private:
  [[nodiscard]] Catalog catalog() const { return {current_environment(), settings_}; }

  static Result<LaunchedApp> launch(const Catalog& catalog, Launcher& launcher,
                                    const LaunchAppRequest& request) {
    GANTRY_ASSIGN(const Command command, catalog.command(request));
    return launcher.launch(command);
  }

  Settings settings_;
  std::shared_ptr<Launcher> launcher_;
};

}  // namespace
}  // namespace gantry::apps

GANTRY_PLUGIN(gantry::apps::AppsPlugin, "linux_apps", "0.1.0")
