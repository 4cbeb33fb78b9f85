// SPDX-License-Identifier: Apache-2.0
#include "ocr_plugin.hpp"

#include <gantry/cure.hpp>

#include <chrono>
#include <memory>
#include <opencv2/core/utility.hpp>

namespace gantry::ocr_tesseract {

Result<void> OcrPlugin::init() {
  cv::setNumThreads(1);  // workers are threads already, and OpenCV's would outlive the plugin
  GANTRY_TRY(reconfigure());
  return host().bus().serve<OcrRead>(
      [this](const Ref<OcrRequest>& request, const CallInfo&, Reply<OcrRead> reply) {
        read(request, std::move(reply));
      });
}

Result<void> OcrPlugin::start() {
  probe();
  return {};
}

Result<void> OcrPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  reader_.configure(settings_);
  probe();
  return {};
}

void OcrPlugin::stop(Deadline deadline) {
  idling_.cancel();
  reader_.stop(deadline);
}

void OcrPlugin::probe() {
  const auto code = language_code(settings_.languages, data_folder(settings_.data_folder));
  if (code.ok()) {
    host().healthy("languages");
    host().bus().set_suitability(60, engine_version() + " with " + *code);
    return;
  }
  const auto [reason, cure] = split_cure(code.error().message);
  host().degraded("languages", reason, cure);
  host().bus().set_suitability(0, reason);
}

Result<void> OcrPlugin::check(Job& job) const {
  GANTRY_ASSIGN(job.view, view_of(*job.request, settings_.max_pixels));
  job.folder = data_folder(settings_.data_folder);
  const bool named = !job.request->languages.empty();
  GANTRY_ASSIGN(job.languages,
                language_code(named ? job.request->languages : settings_.languages, job.folder));
  return {};
}

void OcrPlugin::read(const Ref<OcrRequest>& request, Reply<OcrRead> reply) {
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

void OcrPlugin::wait_for_idling(Duration delay) {
  awaits_idling_ = true;
  idling_ = host().after(delay, [this] {
    const Duration limit = std::chrono::milliseconds(settings_.idle_release);
    const Duration idle(host().monotonic_ns() - last_ns_);
    if (reader_.under_way() > 0) return wait_for_idling(limit);
    if (idle < limit) return wait_for_idling(limit - idle);
    awaits_idling_ = false;
    host().blocking([this] { reader_.release(); });
  });
}

}  // namespace gantry::ocr_tesseract
