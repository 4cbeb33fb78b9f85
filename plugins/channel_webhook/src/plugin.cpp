// SPDX-License-Identifier: Apache-2.0
#include <gantry/contract.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <utility>

#include "webhook.hpp"

namespace gantry::channel_webhook {
namespace {

class ChannelWebhookPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(Settings settings, from_json<Settings>(host().config_json()));
    webhook_ = std::make_unique<Webhook>(host(), std::move(settings));
    GANTRY_TRY(
        host().bus().serve<HttpHandle>([this](const HttpRequest& request) -> Result<HttpResponse> {
          return webhook_->receive(request);
        }));
    GANTRY_TRY(host().bus().serve<ChannelList>([this](const Nothing&) -> Result<ChannelInfos> {
      return ChannelInfos{{webhook_->info()}};
    }));
    GANTRY_TRY(host().bus().serve<ChannelSwitch>(
        [this](const ChannelSwitchRequest& request) -> Result<ChannelInfo> {
          if (request.channel != kChannel) return not_found("there is no such channel");
          return webhook_->turn(request.running);
        }));
    return host().bus().serve<ChannelSend>(
        [this](const Ref<ChannelSendRequest>& request, const CallInfo&, Reply<ChannelSend> reply) {
          auto answer = std::make_shared<Reply<ChannelSend>>(std::move(reply));
          webhook_->send(*request, [answer](Result<Done> sent) { (*answer)(std::move(sent)); });
        });
  }

  Result<void> start() override {
    const Settings& settings = webhook_->settings();
    MountRequest mount;
    mount.listener = settings.listener;
    mount.own_authentication = true;
    HttpRoute route;
    route.methods = {"POST"};
    route.path = "/webhook";
    route.id = "webhook";
    mount.routes.push_back(std::move(route));
    ListenRequest request = listen_request(settings, settings.listener, true);  // all is signed
    GANTRY_TRY(become_reachable(host(), std::move(request), std::move(mount), "webhook"));
    const ChannelInfo info = webhook_->info();
    if (info.running) {
      host().healthy("channel");
    } else {
      host().degraded("channel", info.reason, info.cure);
      host().log().warn("the channel does not run", {{"reason", info.reason}, {"cure", info.cure}});
    }
    host().bus().publish<ChannelChanged>(info);
    return {};
  }

  void stop(Deadline) override { webhook_->close(); }

 private:
  std::unique_ptr<Webhook> webhook_;
};

}  // namespace
}  // namespace gantry::channel_webhook

GANTRY_PLUGIN(gantry::channel_webhook::ChannelWebhookPlugin, "channel_webhook", "0.1.0")
