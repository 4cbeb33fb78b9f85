// SPDX-License-Identifier: Apache-2.0
#include "vad_plugin.hpp"

#include <gantry/cure.hpp>
#include <gantry/silero/detector.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace gantry::vad_silero {
namespace {

constexpr const char* kModel = "silero/vad.onnx";
constexpr double kMaybeBelow = 0.15;  // beside the threshold

}  // namespace

Result<void> VadPlugin::init() {
  GANTRY_TRY(reconfigure());
  return host().bus().serve_stream<VadDetect>(
      [this](const Ref<VadOpening>& opening, const CallInfo&, Stream<VadEvent> down) {
        return open(*opening, std::move(down));
      });
}

Result<void> VadPlugin::start() {
  probe();
  return {};
}

Result<void> VadPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  model_.reset();
  probe();
  return {};
}

void VadPlugin::stop(Deadline) { sessions_.clear(); }

void VadPlugin::tell(const Error& error) {
  const auto [reason, cure] = split_cure(error.message);
  host().degraded("model", reason + "; speech is told by its loudness and pitch", cure);
  host().bus().set_suitability(40, "by loudness and pitch: " + reason);
}

void VadPlugin::probe() {
  auto there = onnx::model_file(settings_.models_dir, "onnxruntime/libonnxruntime.so");
  if (there.ok()) there = onnx::model_file(settings_.models_dir, kModel);
  if (!there.ok()) return tell(there.error());
  host().healthy("model");
  host().bus().set_suitability(80, "Silero VAD v5");
}

std::unique_ptr<speech::VoiceDetector> VadPlugin::make_detector(std::string& route) {
  std::shared_ptr<onnx::Session> model = model_.lock();
  if (model == nullptr) {
    auto opened = onnx::Session::open(settings_.models_dir, kModel, {1});
    if (!opened.ok()) {
      tell(opened.error());
      route = "loudness and pitch";
      return speech::make_energy_detector();
    }
    model = std::move(*opened);
    model_ = model;
  }
  route = "Silero VAD v5";
  const silero::Thresholds thresholds{
      static_cast<float>(settings_.threshold),
      static_cast<float>(std::max(0.02, settings_.threshold - kMaybeBelow))};
  return std::make_unique<silero::Detector>(std::move(model), thresholds);
}

Result<StreamHandlers<VadInput>> VadPlugin::open(const VadOpening& opening, Stream<VadEvent> down) {
  if (sessions_.size() >= static_cast<std::size_t>(settings_.sessions)) {
    return Error{Code::ResourceExhausted,
                 std::to_string(sessions_.size()) +
                     " sessions are open, as many as `sessions` allows; ask again when one is done",
                 {}};
  }
  speech::EndpointSettings settings;
  settings.silence_ms = static_cast<std::int32_t>(settings_.silence);
  if (opening.silence_ms > 0) settings.silence_ms = std::clamp(opening.silence_ms, 50, 10'000);
  std::string route;
  auto detector = make_detector(route);
  const auto session =
      std::make_shared<Session>(std::move(down), std::move(detector), settings, std::move(route));
  sessions_.insert(session);
  StreamHandlers<VadInput> handlers;
  handlers.on_chunk = [session](const Ref<VadInput>& input) { session->take(*input); };
  handlers.on_writable = [session] { session->send_waiting(); };
  handlers.on_end = [this, weak = std::weak_ptr(session)](const Error&) {
    if (const auto gone = weak.lock()) sessions_.erase(gone);
  };
  return handlers;
}

}  // namespace gantry::vad_silero
