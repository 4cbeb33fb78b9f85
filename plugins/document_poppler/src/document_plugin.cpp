// SPDX-License-Identifier: Apache-2.0
#include "document_plugin.hpp"

#include <iterator>
#include <utility>

#include "pdf_text.hpp"

namespace gantry::document_poppler {

Result<void> DocumentPlugin::init() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  settings_ = std::make_shared<const Settings>(std::move(settings));
  return host().bus().serve<DocumentText>(
      [this](const Ref<DocumentTextRequest>& request, const CallInfo&, Reply<DocumentText> reply) {
        if (running_ >= settings_->limits.running &&
            std::ssize(waiting_) >= settings_->limits.waiting) {
          return reply.fail(
              {Code::ResourceExhausted, "too many documents are being read; try again", {}});
        }
        waiting_.push_back({request, std::make_shared<Reply<DocumentText>>(std::move(reply))});
        next();
      });
}

Result<void> DocumentPlugin::start() {
  look_for_programs();
  return {};
}

Result<void> DocumentPlugin::reconfigure() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  settings_ = std::make_shared<const Settings>(std::move(settings));
  look_for_programs();
  next();
  return {};
}

void DocumentPlugin::look_for_programs() {
  const auto command = command_of(*settings_);
  if (command.ok()) return host().healthy("programs");
  host().degraded("programs", command.error().message, "tools/setup installs what is missing");
}

void DocumentPlugin::next() {
  while (!waiting_.empty() && running_ < settings_->limits.running) {
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    if (job.reply->cancelled()) continue;
    ++running_;
    host().blocking([this, job = std::move(job), settings = settings_] {
      (*job.reply)(pdf_text(*settings, *job.request));
      host().post([this] {
        --running_;
        next();
      });
    });
  }
}

}  // namespace gantry::document_poppler
