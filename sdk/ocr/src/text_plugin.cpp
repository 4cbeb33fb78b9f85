// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/tesseract_engine.hpp>
#include <gantry/ocr/text_plugin.hpp>

#include <chrono>
#include <opencv2/core/utility.hpp>

namespace gantry::ocr {

Result<void> TextPlugin::init() {
  cv::setNumThreads(1);  // workers are threads already, and OpenCV's would outlive the plugin
  GANTRY_TRY(reconfigure());
  return host().bus().serve<OcrRead>(
      [this](const Ref<OcrRequest>& request, const CallInfo&, Reply<OcrRead> reply) {
        read(request, std::move(reply));
      });
}

Result<void> TextPlugin::start() {
  probe();
  return {};
}

Result<void> TextPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, configure());
  reader_.configure(settings_);
  probe();
  return {};
}

void TextPlugin::stop(Deadline deadline) {
  idling_.cancel();
  reader_.stop(deadline);
}

Result<Manner> TextPlugin::manner_of(const OcrRequest& request) const {
  Manner manner;
  manner.folder = data_folder(settings_.data_folder);
  manner.mode = request.mode;
  const bool named = !request.languages.empty();
  GANTRY_ASSIGN(manner.languages,
                language_code(named ? request.languages : settings_.languages, manner.folder));
  return manner;
}

Result<void> TextPlugin::check(Job& job) {
  GANTRY_ASSIGN(job.view, view_of(*job.request, settings_.max_pixels));
  GANTRY_ASSIGN(job.manner, manner_of(*job.request));
  job.method = method();
  return {};
}

void TextPlugin::read(const Ref<OcrRequest>& request, Reply<OcrRead> reply) {
  const auto job = std::make_shared<Job>(request, std::move(reply));
  job->begun_ns = last_ns_ = host().monotonic_ns();
  job->context = host().context();
  if (const auto fit = check(*job); !fit.ok()) {
    job->reply.fail(fit.error());
    return;
  }
  reader_.submit(job);
  if (!awaits_idling_) wait_for_idling(std::chrono::milliseconds(settings_.idle_release));
}

void TextPlugin::wait_for_idling(Duration delay) {
  awaits_idling_ = true;
  idling_ = host().after(delay, [this] {
    const Duration limit = std::chrono::milliseconds(settings_.idle_release);
    const Duration idle(host().monotonic_ns() - last_ns_);
    if (reader_.busy()) return wait_for_idling(limit);
    if (idle < limit) return wait_for_idling(limit - idle);
    awaits_idling_ = false;
    host().blocking([this, held = method()] {
      held->release();
      reader_.release();
    });
  });
}

}  // namespace gantry::ocr
