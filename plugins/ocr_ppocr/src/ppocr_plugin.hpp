// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/ocr/text_plugin.hpp>

#include <memory>

#include "ppocr_method.hpp"
#include "settings.hpp"

namespace gantry::ocr_ppocr {

/// Serves gantry.ocr.read/1 with PP-OCRv4 and Tesseract, without the model files with Tesseract.
class PpocrPlugin final : public ocr::TextPlugin {
 public:
  using TextPlugin::TextPlugin;

 protected:
  Result<ocr::ReaderSettings> configure() override;
  std::shared_ptr<ocr::Method> method() override { return method_; }
  void probe() override;

 private:
  /// Whether all files of the networks are there. Errors: unavailable.
  [[nodiscard]] Result<void> look_for_models() const;

  Settings own_;
  std::shared_ptr<PpocrMethod> method_;
};

}  // namespace gantry::ocr_ppocr
