// SPDX-License-Identifier: Apache-2.0
#include "ppocr_method.hpp"

#include <gantry/ocr/plain_ground.hpp>
#include <gantry/ocr/striped_ground.hpp>
#include <gantry/ocr/words.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "boxes.hpp"
#include "second_opinion.hpp"

namespace gantry::ocr_ppocr {
namespace {

constexpr std::size_t kBatch = 4;  // lines that the network reads at a time
constexpr int kAroundX = 48;       // pixels within which texts of a row are one line
constexpr int kBeside = 2;         // pixels by which those below each other are apart
constexpr int kAroundY = 16;       // pixels around an area that the detector sees as well
constexpr int kLeastRows = 64;     // that it sees: in fewer it takes the words of a line apart
constexpr int kMostRows = 128;     // beyond that it sees no better
constexpr int kRoomy = 80'000;     // pixels; a larger area stays as low as it may
constexpr int kWobble = 4;         // pixels that a box changes by when another part is looked at
constexpr double kMostAnew = 0.6;  // of a picture; beyond that all of it is looked at

using ocr::least_certain;
using Lines = std::vector<std::vector<ocr::ReadWord>>;

/// Whether the network knows all letters of the languages.
bool is_its_own(const std::string& languages) {
  return languages == "eng" || languages.starts_with("chi_") || languages == "eng+chi_sim";
}

class Engine final : public ocr::LineEngine {
 public:
  Engine(std::shared_ptr<PpocrMethod> method, std::shared_ptr<Recogniser> network,
         std::unique_ptr<ocr::LineEngine> tesseract, const ocr::Manner& manner, bool accurate)
      : method_(std::move(method)),
        network_(std::move(network)),
        tesseract_(std::move(tesseract)),
        manner_(manner),
        accurate_(accurate) {}

  std::size_t batch() const override { return accurate_ ? kBatch : 1; }

  Result<Lines> read(std::span<const ocr::Piece> lines) override {
    if (!accurate_) return read_fast(lines);
    auto out = ask_network(lines);
    if (!out.ok()) return read_fast(lines);
    if (tesseract_ == nullptr) return out;
    // Another language: where Tesseract is certain of letters that the network lacks, it counts.
    GANTRY_ASSIGN(auto others, tesseract_->read(lines));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      auto& other = others[i];
      const bool certain = least_certain(other) >= kCertain && has_foreign_letters(other);
      if (certain || (*out)[i].empty()) (*out)[i] = std::move(other);
    }
    return out;
  }

 private:
  Result<Lines> read_fast(std::span<const ocr::Piece> lines) {
    if (tesseract_ == nullptr) {
      GANTRY_ASSIGN(tesseract_, method_->make_tesseract(manner_));
    }
    GANTRY_ASSIGN(Lines out, tesseract_->read(lines));
    for (std::size_t i = 0; i < lines.size() && method_->works(); ++i) {
      if (least_certain(out[i]) < kCertain) ask_about(lines[i], out[i]);
    }
    return out;
  }

  /// Has the network read the words of a line that are uncertain.
  void ask_about(const ocr::Piece& line, std::vector<ocr::ReadWord>& words) {
    for (const ocr::Stretch& part : ocr::uncertain_in(words, line.ink, kCertain)) {
      const ocr::Piece piece{line.ink.colRange(part.columns), line.pixels.colRange(part.columns)};
      auto network = ask_network(std::span(&piece, 1));
      if (!network.ok()) return;
      if (network_wins(ocr::words_in(words, part), network->front())) {
        ocr::replace(words, part, std::move(network->front()));
      }
    }
  }

  Result<Lines> ask_network(std::span<const ocr::Piece> lines) {
    auto out = network_->read(lines);
    if (!out.ok()) method_->give_up(out.error());
    return out;
  }

  std::shared_ptr<PpocrMethod> method_;
  std::shared_ptr<Recogniser> network_;
  std::unique_ptr<ocr::LineEngine> tesseract_;  // none as long as the network reads alone
  ocr::Manner manner_;
  bool accurate_;
};

bool touches(const cv::Rect& a, const cv::Rect& b) { return !(a & b).empty(); }

/// Where lines may be others than before: a change and what may be written on with it.
std::vector<cv::Rect> reached(const std::vector<Rect>& changed) {
  std::vector<cv::Rect> out;
  for (const Rect& one : changed) {
    out.emplace_back(one.x - kAroundX, one.y - kBeside, one.width + 2 * kAroundX,
                     one.height + 2 * kBeside);
  }
  return out;
}

/// What has to be looked at anew: that and all of the lines there.
std::vector<cv::Rect> areas_of(std::vector<cv::Rect> reach, const std::vector<cv::Rect>& lines,
                               const cv::Size& size) {
  for (cv::Rect& area : reach) {
    const cv::Rect changed = area;
    for (const cv::Rect& line : lines) {
      if (touches(line, changed)) area |= line;
    }
    area &= cv::Rect(cv::Point(), size);
  }
  return reach;
}

/// What the detector looks at to see an area.
cv::Rect seen_with(const cv::Rect& area, const cv::Size& size) {
  const int width = area.width + 2 * kAroundY;
  const int rows = std::clamp(kRoomy / width, kLeastRows, kMostRows);
  const int beside = std::max(kAroundY, (rows - area.height) / 2);
  return cv::Rect(area.x - kAroundY, area.y - beside, width, area.height + 2 * beside) &
         cv::Rect(cv::Point(), size);
}

/// The box that a line had before, where its pixels are as they were and only the detector, which
/// saw less around it, says otherwise.
cv::Rect as_before(const cv::Rect& line, const cv::Mat& picture, const ocr::Known& before) {
  for (const cv::Rect& old : before.lines) {
    const cv::Rect both = line | old;
    const cv::Rect shared = line & old;
    if (shared.empty() || both.width - shared.width > kWobble ||
        both.height - shared.height > kWobble) {
      continue;
    }
    if (cv::norm(picture(both), before.pixels(both), cv::NORM_INF) == 0) return old;
  }
  return line;
}

/// Lines that are not what they were in a picture whose lines have been cleaned.
std::vector<cv::Rect> changed_lines(const ocr::Page& page, const cv::Mat& picture,
                                    const ocr::Known* before) {
  if (before == nullptr) return page.lines;
  std::vector<cv::Rect> out;
  std::copy_if(page.lines.begin(), page.lines.end(), std::back_inserter(out),
               [&](const cv::Rect& line) {
                 const cv::Rect around = ocr::ground_around(line, picture.size());
                 return cv::norm(page.ink(line), before->turned(line), cv::NORM_INF) != 0 ||
                        cv::norm(picture(around), before->pixels(around), cv::NORM_INF) != 0;
               });
  return out;
}

/// The tight box of a line, beside edges by its ground alone, on stripes by its colour.
cv::Rect box_in(const Found& line, const cv::Mat& picture, const cv::Mat& ink) {
  const cv::Point corner = line.box.tl();
  const Found there{line.core - corner, line.box - corner};
  if (const auto plain = ocr::plain_ink(picture, ink, line.core, line.box)) {
    const cv::Rect tight = tightened(there, plain->ink) + corner;
    if (ocr::stands_free(*plain, tight)) return tight;
  }
  if (const auto striped = ocr::striped_ink(picture, ink, line.core, line.box)) {
    return tightened(there, *striped) + corner;
  }
  return tightened(line, ink);
}

}  // namespace

PpocrMethod::PpocrMethod(const std::filesystem::path& models_dir, int threads, Failed failed)
    : detector_(models_dir, threads),
      recogniser_(std::make_shared<Recogniser>(models_dir)),
      failed_(std::move(failed)) {}

void PpocrMethod::give_up(const Error& error) {
  if (works_.exchange(false)) failed_(error);
}

void PpocrMethod::release() {
  detector_.release();
  recogniser_->release();
}

Result<std::vector<cv::Rect>> PpocrMethod::look(const cv::Mat& picture, const cv::Mat& ink) {
  GANTRY_ASSIGN(const auto found, detector_.find(picture));
  std::vector<cv::Rect> lines;
  for (const Found& line : found) lines.push_back(box_in(line, picture, ink));
  return lines;
}

Result<std::vector<cv::Rect>> PpocrMethod::look_again(const cv::Mat& picture, const cv::Mat& ink,
                                                      const ocr::Inked& inked) {
  if (inked.changed.empty()) return inked.base->lines;
  const std::vector<cv::Rect> reach = reached(inked.changed);
  const std::vector<cv::Rect> areas = areas_of(reach, inked.base->lines, picture.size());
  std::int64_t pixels = 0;
  for (const cv::Rect& area : areas) pixels += area.area();
  if (static_cast<double>(pixels) > kMostAnew * static_cast<double>(picture.total())) {
    return look(picture, ink);
  }
  std::vector<cv::Rect> lines;
  for (const cv::Rect& line : inked.base->lines) {
    const bool anew = std::any_of(reach.begin(), reach.end(),
                                  [&](const cv::Rect& area) { return touches(line, area); });
    if (!anew) lines.push_back(line);
  }
  for (const cv::Rect& area : areas) {
    const cv::Rect around = seen_with(area, picture.size());
    GANTRY_ASSIGN(const auto found, look(picture(around), ink(around)));
    std::vector<cv::Rect> there;
    for (const cv::Rect& line : found) {
      const cv::Rect at = as_before(line + around.tl(), picture, *inked.base);
      if (touches(at, area)) there.push_back(at);
    }
    add_new(lines, std::move(there));
  }
  return lines;
}

Result<ocr::Page> PpocrMethod::find(const cv::Mat& picture, const ocr::Inked& inked) {
  if (!works()) return TesseractMethod::find(picture, inked);
  ocr::Page page{inked.base == nullptr ? ocr::with_bars_turned(inked.ink)
                                       : ocr::with_bars_turned_again(inked.ink, inked.base->turned,
                                                                     ocr::changed_ink(inked)),
                 {},
                 0};
  auto lines =
      inked.base == nullptr ? look(picture, page.ink) : look_again(picture, page.ink, inked);
  if (!lines.ok()) {
    give_up(lines.error());
    return TesseractMethod::find(picture, inked);
  }
  page.lines = std::move(*lines);
  ocr::clean_lines(page.ink, picture, changed_lines(page, picture, inked.base.get()));
  ocr::sort_for_reading(page.lines);
  return page;
}

Result<std::unique_ptr<ocr::LineEngine>> PpocrMethod::make_engine(const ocr::Manner& manner) {
  const bool accurate = manner.mode == OcrMode::Accurate && works();
  std::unique_ptr<ocr::LineEngine> tesseract;
  if (!accurate || !is_its_own(manner.languages)) {
    GANTRY_ASSIGN(tesseract, make_tesseract(manner));
  }
  return std::unique_ptr<ocr::LineEngine>(std::make_unique<Engine>(
      shared_from_this(), recogniser_, std::move(tesseract), manner, accurate));
}

std::string PpocrMethod::route(const ocr::Manner& manner) const {
  std::string other = TesseractMethod::route(manner);
  if (!works()) return other;
  if (manner.mode == OcrMode::Accurate) return "PP-OCRv4, " + manner.languages;
  return "PP-OCRv4 lines, " + other;
}

}  // namespace gantry::ocr_ppocr
