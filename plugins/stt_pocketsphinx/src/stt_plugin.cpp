// SPDX-License-Identifier: Apache-2.0
#include "stt_plugin.hpp"

#include <gantry/contracts/window.hpp>
#include <gantry/silero/detector.hpp>
#include <gantry/suitability.hpp>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine.hpp"

namespace gantry::stt_pocketsphinx {
namespace {

using std::chrono::milliseconds;

EngineSettings engine_settings(const Settings& settings) {
  return {settings.model_dir, settings.listen_for != "general", settings.listen_for != "commands",
          settings.margin};
}

speech::ServiceSettings service_settings(const Settings& settings) {
  speech::ServiceSettings out;
  out.sessions = static_cast<std::size_t>(settings.sessions);
  out.idle_release = milliseconds(settings.idle_release);
  out.endpoint.silence_ms = static_cast<std::int32_t>(settings.silence);
  out.endpoint.longest_ms = static_cast<std::int32_t>(settings.longest_utterance);
  out.hints = {"en", settings.vocabulary};
  return out;
}

/// Loudness and pitch decide where the network or its files are missing.
speech::Service::Detect detector_of(const Settings& settings) {
  if (settings.vad == "energy") return &speech::make_energy_detector;
  return [folder = settings.models_dir]() -> std::unique_ptr<speech::VoiceDetector> {
    auto network = silero::Detector::open(folder);
    if (network.ok()) return std::move(*network);
    return speech::make_energy_detector();
  };
}

/// A title and its parts: "notes.txt - Mousepad" is asked for as "Mousepad".
void add_title(std::set<std::string>& out, const std::string& title) {
  out.insert(title);
  std::size_t at = 0;
  while (true) {
    const std::size_t dash = title.find(" - ", at);
    out.insert(title.substr(at, dash == std::string::npos ? dash : dash - at));
    if (dash == std::string::npos) return;
    at = dash + 3;
  }
}

}  // namespace

Result<void> SttPlugin::init() {
  GANTRY_TRY(reconfigure());
  service_.before_open([this] { look_at_windows(); });
  return service_.serve();
}

Result<void> SttPlugin::start() {
  look_at_windows();
  return {};
}

Result<void> SttPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  service_.configure(
      service_settings(settings_),
      [wanted = engine_settings(settings_)]() -> Result<std::unique_ptr<speech::Recogniser>> {
        GANTRY_ASSIGN(std::unique_ptr<speech::Recogniser> made, Engine::create(wanted));
        return made;
      });
  service_.set_detector(detector_of(settings_));
  probe();
  return {};
}

void SttPlugin::stop(Deadline deadline) { service_.stop(deadline); }

void SttPlugin::probe() {
  tell_found(host(), "model", model_files(settings_.model_dir), 40,
             "PocketSphinx with " + settings_.model_dir);
}

void SttPlugin::look_at_windows() {
  if (!settings_.window_titles) return service_.set_vocabulary({});
  host().bus().call<ListWindows>(ListWindowsRequest{}, [this](Result<Ref<WindowList>> windows) {
    if (!windows.ok()) return;  // a machine without a desktop
    std::set<std::string> titles;
    for (const WindowInfo& window : (*windows)->windows) {
      add_title(titles, window.title);
      if (!window.app_id.empty()) titles.insert(window.app_id);
    }
    service_.set_vocabulary({titles.begin(), titles.end()});
  });
}

}  // namespace gantry::stt_pocketsphinx
