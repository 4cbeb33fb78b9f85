// SPDX-License-Identifier: Apache-2.0
#include "vosk_plugin.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

namespace gantry::stt_vosk {

Result<void> VoskPlugin::init() {
  GANTRY_TRY(reconfigure());
  return service_.serve();
}

Result<void> VoskPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  speech::ServiceSettings service;
  service.sessions = static_cast<std::size_t>(settings_.sessions);
  service.idle_release = std::chrono::milliseconds(settings_.idle_release);
  service.endpoint.silence_ms = static_cast<std::int32_t>(settings_.silence);
  service.endpoint.longest_ms = static_cast<std::int32_t>(settings_.longest_utterance);
  const EngineSettings engine{settings_.libvosk, settings_.model_dir, settings_.language,
                              settings_.vocabulary_only};
  service_.configure(service,
                     [engine, shelf = shelf_]() -> Result<std::unique_ptr<speech::Recogniser>> {
                       GANTRY_ASSIGN(auto model, shelf->take(engine));
                       return std::unique_ptr<speech::Recogniser>(
                           std::make_unique<Engine>(std::move(model), engine));
                     });
  probe();
  return {};
}

/// Without opening anything: a library of 25 MB is not for a look.
void VoskPlugin::probe() {
  std::error_code ignored;
  const bool there =
      !settings_.model_dir.empty() && std::filesystem::is_directory(settings_.model_dir, ignored);
  if (there) {
    host().healthy("model");
    host().bus().set_suitability(70, "Vosk with " + settings_.model_dir);
    return;
  }
  host().bus().set_suitability(0, "no model of Vosk is configured");
  if (settings_.model_dir.empty()) return host().healthy("model");  // nobody has asked for it
  host().degraded("model", "there is no folder " + settings_.model_dir,
                  "set stt_vosk.model_dir to the folder of a model");
}

}  // namespace gantry::stt_vosk
