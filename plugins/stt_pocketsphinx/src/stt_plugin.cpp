// SPDX-License-Identifier: Apache-2.0
#include "stt_plugin.hpp"

#include <gantry/contracts/window.hpp>
#include <gantry/silero/detector.hpp>
#include <gantry/suitability.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "screen_names.hpp"

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

constexpr std::int32_t kMostNodes = 3000;    // of a tree that names are looked for in
constexpr std::int32_t kTreeBudgetMs = 500;  // for reading it, where it is not known already
constexpr auto kPatience = std::chrono::seconds(1);

CallOptions patient() {
  CallOptions options;
  options.timeout = kPatience;
  return options;
}

A11yTreeRequest tree_of(const WindowInfo& window) {
  A11yTreeRequest request;
  request.handle = window.handle;
  request.pid = window.pid;
  request.title = window.title;
  request.bounds = window.bounds;
  request.max_nodes = kMostNodes;
  request.budget_ms = kTreeBudgetMs;
  request.max_text = 0;  // names are wanted, not values
  return request;
}

}  // namespace

Result<void> SttPlugin::init() {
  GANTRY_TRY(reconfigure());
  service_.on_need([this] { look_at_screen(); });
  return service_.serve();
}

Result<void> SttPlugin::start() {
  look_at_screen();
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

void SttPlugin::look_at_screen() {
  if (!settings_.window_titles) titles_.clear();
  if (!settings_.element_names) elements_ = {};
  if (!settings_.window_titles && !settings_.element_names) return tell_service();
  if (std::exchange(looking_, true)) return;
  const auto take = [this](Result<Ref<WindowList>> windows) {
    if (!windows.ok()) {  // a machine without a desktop
      looking_ = false;
      return;
    }
    if (settings_.window_titles) titles_ = titles_of(**windows);
    look_at_elements(**windows);
  };
  host().bus().call<ListWindows>(ListWindowsRequest{}, take, patient());
}

void SttPlugin::look_at_elements(const WindowList& windows) {
  const auto focused = std::find_if(windows.windows.begin(), windows.windows.end(),
                                    [](const WindowInfo& window) { return window.focused; });
  const bool wanted = settings_.element_names && focused != windows.windows.end();
  if (!wanted || focused->uid != elements_.window) elements_ = {};
  if (!wanted) {
    looking_ = false;
    return tell_service();
  }
  elements_.window = focused->uid;
  A11yTreeRequest request = tree_of(*focused);
  request.unless_sequence = elements_.sequence;
  const auto take = [this](Result<Ref<A11yTree>> tree) {
    looking_ = false;
    if (tree.ok()) take_elements(**tree);  // others have no tree, or none in time
    tell_service();
  };
  host().bus().call<GetA11yTree>(std::move(request), take, patient());
}

void SttPlugin::take_elements(const A11yTree& tree) {
  if (!settings_.element_names || tree.unchanged) return;
  elements_.sequence = tree.sequence;
  elements_.names = names_in(tree);
}

void SttPlugin::tell_service() {
  std::vector<std::string> phrases = titles_;
  phrases.insert(phrases.end(), elements_.names.begin(), elements_.names.end());
  service_.set_vocabulary(std::move(phrases));
}

}  // namespace gantry::stt_pocketsphinx
