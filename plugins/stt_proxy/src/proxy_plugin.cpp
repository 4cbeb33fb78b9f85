// SPDX-License-Identifier: Apache-2.0
#include "proxy_plugin.hpp"

#include <gantry/speech/service.hpp>

#include <chrono>
#include <utility>

#include "gateway.hpp"

namespace gantry::stt_proxy {

Result<void> ProxyPlugin::init() {
  GANTRY_TRY(reconfigure());
  return host().bus().serve_stream<SpeechRecognise>(
      [this](const Ref<SpeechOpening>& opening, const CallInfo&, Stream<SpeechEvent> down) {
        return open(*opening, std::move(down));
      },
      speech::Service::stream_options());
}

Result<void> ProxyPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  // Never by itself: sound leaves this machine only for a gateway that somebody has chosen.
  host().bus().set_suitability(0, "chosen by name, never by itself");
  return {};
}

Result<StreamHandlers<SpeechInput>> ProxyPlugin::open(const SpeechOpening& opening,
                                                      Stream<SpeechEvent> down) {
  speech::RemotePlan plan;
  plan.options.ca_file = settings_.ca_file;
  plan.request.url = settings_.url;
  plan.flush_limit = std::chrono::milliseconds(settings_.flush_limit);
  if (!settings_.token.empty()) {
    plan.request.headers.emplace_back("Authorization", "Bearer " + settings_.token);
  }
  return sessions_.open(std::move(plan),
                        std::make_unique<Gateway>(opening.hints.language, settings_.token),
                        std::move(down), settings_.sessions);
}

}  // namespace gantry::stt_proxy
