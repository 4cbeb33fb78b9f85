// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/ocr/text_plugin.hpp>

#include <memory>

namespace gantry::ocr_tesseract {

/// Serves gantry.ocr.read/1 with Tesseract alone.
class OcrPlugin final : public ocr::TextPlugin {
 public:
  using TextPlugin::TextPlugin;

 protected:
  Result<ocr::ReaderSettings> configure() override;
  std::shared_ptr<ocr::Method> method() override { return method_; }
  void probe() override;

 private:
  std::shared_ptr<ocr::Method> method_ = std::make_shared<ocr::TesseractMethod>();
};

}  // namespace gantry::ocr_tesseract
