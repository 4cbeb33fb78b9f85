// SPDX-License-Identifier: Apache-2.0
#include "openai_plugin.hpp"

#include <chrono>
#include <utility>

#include "realtime.hpp"
#include "upload.hpp"

namespace gantry::stt_openai {
namespace {

/// As deployed servers say it.
constexpr const char* kNoKey =
    "OpenAI STT provider is selected but no OpenAI API key is available.";

}  // namespace

Result<void> OpenAiPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(host().bus().serve_stream<SpeechRecognise>(
      [this](const Ref<SpeechOpening>& opening, const CallInfo&, Stream<SpeechEvent> down) {
        return open(*opening, std::move(down));
      },
      speech::Service::stream_options()));
  return service_.serve_clips();
}

Result<void> OpenAiPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  speech::ServiceSettings service;
  service.sessions = static_cast<std::size_t>(settings_.sessions);
  service.endpoint.silence_ms = static_cast<std::int32_t>(settings_.silence);
  service.endpoint.padding_ms = static_cast<std::int32_t>(settings_.padding);
  service.hints.language = settings_.language;
  service_.configure(
      service,
      [this, settings = settings_,
       key = check_key()]() -> Result<std::unique_ptr<speech::Recogniser>> {
        GANTRY_TRY(Result<void>(key));
        return std::unique_ptr<speech::Recogniser>(std::make_unique<Upload>(host(), settings));
      });
  const auto key = check_key();
  host().bus().set_suitability(key.ok() ? 50 : 0,
                               key.ok() ? "speech goes to " + settings_.base_url : kNoKey);
  return {};
}

Result<void> OpenAiPlugin::check_key() const {
  if (!settings_.requires_key || !settings_.api_key.empty()) return {};
  return Error{Code::Unavailable, kNoKey, R"({"cure":"set stt_openai.api_key or OPENAI_API_KEY"})"};
}

speech::RemotePlan OpenAiPlugin::plan() const {
  speech::RemotePlan plan;
  plan.options.proxy = settings_.proxy;
  plan.options.ca_file = settings_.ca_file;
  plan.request.url = realtime_url(settings_);
  auto& headers = plan.request.headers;
  if (!settings_.api_key.empty()) {
    headers.emplace_back("Authorization", "Bearer " + settings_.api_key);
  }
  if (settings_.realtime_form == "beta") headers.emplace_back("OpenAI-Beta", "realtime=v1");
  return plan;
}

Result<StreamHandlers<SpeechInput>> OpenAiPlugin::open(const SpeechOpening& opening,
                                                       Stream<SpeechEvent> down) {
  GANTRY_TRY(check_key());
  if (settings_.mode == "upload") return service_.open(opening, std::move(down));
  return sessions_.open(plan(), std::make_unique<Realtime>(settings_, opening), std::move(down),
                        settings_.sessions);
}

void OpenAiPlugin::stop(Deadline deadline) {
  sessions_.stop();
  service_.stop(deadline);
}

}  // namespace gantry::stt_openai
