// SPDX-License-Identifier: Apache-2.0
#include "transcription_plugin.hpp"

#include <utility>

#include "settings.hpp"

namespace gantry::transcription_ws {
namespace {

constexpr std::int64_t kMaxFrame = 4 << 20;
constexpr std::uint32_t kFramesInFlight = 4;  // of up to 4 MiB each, for every connection

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
    late_mount_.begin(mounts(), "transcription WebSocket");
    return {};
  }
  return become_reachable(host(), listen_request(settings, settings.listener, true), mounts(),
                          "transcription WebSocket");
}

Result<void> TranscriptionPlugin::reconfigure() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  server_.configure(std::move(settings));
  return {};
}

void TranscriptionPlugin::stop(Deadline) {
  late_mount_.cancel();
  server_.close();
}

MountRequest TranscriptionPlugin::mounts() const {
  MountRequest mount;
  mount.listener = server_.settings().listener;
  mount.own_authentication = server_.settings().token == "always";
  mount.error_template = R"({"detail":{message}})";
  HttpRoute route;
  route.kind = MountKind::WebSocket;
  route.path = server_.settings().path;
  route.id = "transcription";
  route.max_message = kMaxFrame;
  route.close_answer = server_.settings().final_timeout;
  mount.routes.push_back(std::move(route));
  return mount;
}

}  // namespace gantry::transcription_ws
