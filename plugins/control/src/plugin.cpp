// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include <memory>

#include "api.hpp"
#include "routes.hpp"
#include "settings.hpp"
#include "socket_dir.hpp"

namespace gantry::control {
namespace {

constexpr const char* kListener = "control";

class ControlPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_TRY(reconfigure());
    return host().bus().serve<HttpHandle>(
        [this](const Ref<HttpRequest>& request, const CallInfo&, Reply<HttpHandle> reply) {
          api_.handle(*request, std::move(reply));
        });
  }

  Result<void> start() override {
    GANTRY_TRY(prepare_socket_dir(settings_.socket));
    ListenRequest listen;
    listen.listener = kListener;
    listen.unix_path = settings_.socket;
    GANTRY_ASSIGN(const auto listener, host().bus().call_wait<HttpListen>(std::move(listen)));
    GANTRY_ASSIGN(const auto mounted, host().bus().call_wait<HttpMount>(mount_request(kListener)));
    host().log().info("control socket is open", {{"address", listener->address}});
    host().healthy("listener");
    return {};
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
    api_.set_max_timeout(settings_.max_timeout);
    return {};
  }

 private:
  Settings settings_;
  Api api_{host()};
};

}  // namespace
}  // namespace gantry::control

GANTRY_PLUGIN(gantry::control::ControlPlugin, "control", "0.1.0")
