// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/method.hpp>
#include <gantry/ocr/tesseract_engine.hpp>

namespace gantry::ocr {
namespace {

class TesseractLines final : public LineEngine {
 public:
  explicit TesseractLines(std::unique_ptr<TesseractEngine> engine) : engine_(std::move(engine)) {}
  Result<std::vector<std::vector<ReadWord>>> read(std::span<const Piece> lines) override {
    std::vector<std::vector<ReadWord>> out;
    for (const Piece& line : lines) out.push_back(engine_->read_line(line.ink));
    return out;
  }

 private:
  std::unique_ptr<TesseractEngine> engine_;
};

}  // namespace

Result<Page> TesseractMethod::find(const cv::Mat&, const Inked& inked) {
  return find_lines(inked.ink);
}

Result<std::unique_ptr<LineEngine>> TesseractMethod::make_engine(const Manner& manner) {
  GANTRY_ASSIGN(auto engine, TesseractEngine::create(manner.languages, manner.folder));
  return std::unique_ptr<LineEngine>(std::make_unique<TesseractLines>(std::move(engine)));
}

std::string TesseractMethod::route(const Manner& manner) const {
  return engine_version() + ", " + manner.languages;
}

}  // namespace gantry::ocr
