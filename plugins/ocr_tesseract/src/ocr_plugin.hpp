// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/ocr.hpp>
#include <gantry/plugin.hpp>

#include <cstdint>

#include "reader.hpp"
#include "settings.hpp"

namespace gantry::ocr_tesseract {

/// Serves gantry.ocr.read/1. On its strand are the checks; pictures are read by the reader.
class OcrPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  void read(const Ref<OcrRequest>& request, Reply<OcrRead> reply);
  /// Fills in what the request does not say, and refuses what cannot be read.
  Result<void> check(Job& job) const;
  void probe();
  void wait_for_idling(Duration delay);

  Settings settings_;
  Reader reader_{host()};
  Timer idling_;
  bool awaits_idling_ = false;
  std::int64_t last_ns_ = 0;
};

}  // namespace gantry::ocr_tesseract
