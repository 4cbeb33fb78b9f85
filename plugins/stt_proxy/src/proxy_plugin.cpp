// SPDX-License-Identifier: Apache-2.0
#include "proxy_plugin.hpp"

#include <chrono>
#include <utility>

#include "gateway.hpp"

namespace gantry::stt_proxy {
namespace {

constexpr std::uint32_t kPieces = 32;  // of sound, on their way to a session

}  // namespace

Result<void> ProxyPlugin::init() {
  GANTRY_TRY(reconfigure());
  StreamOptions options;
  options.receive_credit = kPieces;
  options.manual_credit = true;
  return host().bus().serve_stream<SpeechRecognise>(
      [this](const Ref<SpeechOpening>& opening, const CallInfo&, Stream<SpeechEvent> down) {
        return open(*opening, std::move(down));
      },
      options);
}

Result<void> ProxyPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  // Never by itself: sound leaves this machine only for a gateway that somebody has chosen.
  host().bus().set_suitability(0, "chosen by name, never by itself");
  return {};
}

Result<StreamHandlers<SpeechInput>> ProxyPlugin::open(const SpeechOpening& opening,
                                                      Stream<SpeechEvent> down) {
  if (sessions_.size() >= static_cast<std::size_t>(settings_.sessions)) {
    return Error{
        Code::ResourceExhausted, "there are as many sessions as stt_proxy.sessions allows", {}};
  }
  speech::RemotePlan plan;
  plan.options.ca_file = settings_.ca_file;
  plan.request.url = settings_.url;
  plan.flush_limit = std::chrono::milliseconds(settings_.flush_limit);
  if (!settings_.token.empty()) {
    plan.request.headers.emplace_back("Authorization", "Bearer " + settings_.token);
  }
  const std::uint64_t number = ++last_;
  auto session = std::make_shared<speech::RemoteSession>(
      host(), std::move(plan), std::make_unique<Gateway>(opening.hints.language), std::move(down),
      [this, number] { sessions_.erase(number); });
  sessions_.emplace(number, session);
  return session->open();
}

void ProxyPlugin::stop(Deadline) {
  const auto sessions = std::exchange(sessions_, {});
  for (const auto& [number, session] : sessions) {
    session->end(unavailable("speech recognition is being stopped"));
  }
}

}  // namespace gantry::stt_proxy
