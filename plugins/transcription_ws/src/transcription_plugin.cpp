// SPDX-License-Identifier: Apache-2.0
#include "transcription_plugin.hpp"

#include <gantry/listener.hpp>

#include <chrono>
#include <utility>

#include "settings.hpp"

namespace gantry::transcription_ws {
namespace {

constexpr auto kMountRetry = std::chrono::seconds(1);
constexpr std::int64_t kMaxFrame = 4 << 20;
constexpr std::uint32_t kFramesInFlight = 16;

}  // namespace

Result<void> TranscriptionPlugin::init() {
  GANTRY_TRY(reconfigure());
  return serve_websockets(host(), kFramesInFlight,
                          [this](const WsOpening& opening, Stream<WsMessage> down) {
                            return server_.accept(opening, std::move(down));
                          });
}

Result<void> TranscriptionPlugin::start() {
  const Settings& settings = server_.settings();
  if (settings.port < 0) {
    mount_later();
    return {};
  }
  ListenRequest request = listen_request(settings, settings.listener, true);
  request.allowed_origins = settings.allowed_origins;
  GANTRY_ASSIGN(const auto listener,
                open_listener(host(), std::move(request), mounts(), "transcription_ws"));
  ready(listener->address);
  return {};
}

Result<void> TranscriptionPlugin::reconfigure() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  server_.configure(std::move(settings));
  return {};
}

void TranscriptionPlugin::stop(Deadline) {
  retry_ = {};
  server_.close();
}

MountRequest TranscriptionPlugin::mounts() const {
  MountRequest mount;
  mount.listener = server_.settings().listener;
  mount.own_authentication = server_.settings().token == "always";
  HttpRoute route;
  route.kind = MountKind::WebSocket;
  route.path = server_.settings().path;
  route.id = "transcription";
  route.max_message = kMaxFrame;
  route.close_answer = server_.settings().final_timeout;
  mount.routes.push_back(std::move(route));
  return mount;
}

void TranscriptionPlugin::mount_later() {
  host().bus().call<HttpMount>(mounts(), [this](Result<Ref<Done>> mounted) {
    if (mounted.ok()) return ready(server_.settings().listener);
    host().degraded("listener", mounted.error().message,
                    "start the plugin that opens the listener, or set transcription_ws.port");
    retry_ = host().after(kMountRetry, [this] { mount_later(); });
  });
}

void TranscriptionPlugin::ready(const std::string& address) {
  host().healthy("listener");
  host().log().info("transcription WebSocket ready",
                    {{"address", address}, {"path", server_.settings().path}});
}

}  // namespace gantry::transcription_ws
