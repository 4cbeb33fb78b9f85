// SPDX-License-Identifier: Apache-2.0
#include "templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "views.hpp"

namespace gantry::vision_cv {
namespace {

constexpr std::size_t kMaxScales = 16;
constexpr double kLeastScale = 0.25;
constexpr double kMostScale = 4;
constexpr int kLeastSide = 4;
constexpr int kMaxPeaks = 2000;  // of one scale
/// A sample of one colour has no shape to go by: it is looked for by its colour.
constexpr double kFlat = 2.0;

bool is_flat(const cv::Mat& sample) {
  cv::Scalar mean;
  cv::Scalar deviation;
  cv::meanStdDev(sample, mean, deviation);
  return deviation[0] < kFlat && deviation[1] < kFlat && deviation[2] < kFlat;
}

/// How well the sample fits with its corner at each pixel, 0 to 1.
cv::Mat scores_of(const cv::Mat& picture, const cv::Mat& sample) {
  cv::Mat scores;
  if (is_flat(sample)) {
    cv::matchTemplate(picture, sample, scores, cv::TM_SQDIFF);
    const double worst = 255.0 * 255.0 * 3.0 * static_cast<double>(sample.total());
    scores = 1.0 - scores / worst;
  } else {
    cv::matchTemplate(picture, sample, scores, cv::TM_CCOEFF_NORMED);
    cv::patchNaNs(scores, 0.0);
  }
  return scores;
}

/// Takes the best places one after another, and what each of them covers out of the question.
void take_peaks(cv::Mat& scores, const cv::Size& size, double scale, double least,
                std::vector<VisionTemplateMatch>& out) {
  for (int taken = 0; taken < kMaxPeaks; ++taken) {
    double best = 0;
    cv::Point at;
    cv::minMaxLoc(scores, nullptr, &best, nullptr, &at);
    if (best < least) return;
    // Over ground without any contrast the coefficient is not defined and OpenCV answers beyond 1.
    if (best <= 1.001) {
      out.push_back({{at.x, at.y, size.width, size.height}, std::min(best, 1.0), scale});
    }
    const cv::Rect near(at.x - size.width / 2, at.y - size.height / 2, size.width, size.height);
    scores(near & cv::Rect({}, scores.size())).setTo(-1);
  }
}

bool overlap(const Rect& a, const Rect& b) {
  const cv::Rect common =
      cv::Rect(a.x, a.y, a.width, a.height) & cv::Rect(b.x, b.y, b.width, b.height);
  const double least = std::min(a.width * double{1} * a.height, b.width * double{1} * b.height);
  return static_cast<double>(common.area()) > 0.5 * least;
}

/// The best of all scales, none over another.
std::vector<VisionTemplateMatch> best_of(std::vector<VisionTemplateMatch> all, std::size_t limit) {
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<VisionTemplateMatch> out;
  for (const VisionTemplateMatch& match : all) {
    if (out.size() >= limit) break;
    const bool covered = std::any_of(
        out.begin(), out.end(), [&](const auto& other) { return overlap(match.bbox, other.bbox); });
    if (!covered) out.push_back(match);
  }
  return out;
}

Result<void> check_scales(const std::vector<double>& scales) {
  if (scales.size() > kMaxScales) {
    return invalid_argument(
        fmt::format("at most {} scales can be tried, {} were given", kMaxScales, scales.size()));
  }
  for (const double scale : scales) {
    if (!(scale >= kLeastScale && scale <= kMostScale)) {
      return invalid_argument(
          fmt::format("a scale of {} is not from {} to {}", scale, kLeastScale, kMostScale));
    }
  }
  return {};
}

}  // namespace

Result<VisionTemplateResult> find_sample(const VisionTemplateRequest& request,
                                         std::int64_t max_pixels,
                                         const std::function<bool()>& gone) {
  GANTRY_TRY(check_scales(request.scales));
  GANTRY_ASSIGN(const View view, view_of(request.image, request.region, max_pixels));
  GANTRY_ASSIGN(const View sample, view_of(request.sample, std::nullopt, max_pixels));
  const cv::Mat picture = bgr_of(view);
  const cv::Mat wanted = bgr_of(sample);
  const std::vector<double> scales =
      request.scales.empty() ? std::vector<double>{1.0} : request.scales;
  std::vector<VisionTemplateMatch> all;
  bool fits = false;
  for (const double scale : scales) {
    if (gone()) return Error{Code::Cancelled, "nobody waits for the answer any more", {}};
    cv::Mat scaled = wanted;
    if (scale != 1.0) {
      cv::resize(wanted, scaled, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    }
    if (scaled.cols > picture.cols || scaled.rows > picture.rows) continue;
    if (scaled.cols < kLeastSide || scaled.rows < kLeastSide) continue;
    fits = true;
    cv::Mat scores = scores_of(picture, scaled);
    take_peaks(scores, scaled.size(), scale, std::max(request.min_score, 0.05), all);
  }
  if (!fits) {
    return invalid_argument(
        fmt::format("the sample of {}x{} fits at none of its scales: its sides have to be at least "
                    "{} pixels and at most those of the picture, {}x{}",
                    wanted.cols, wanted.rows, kLeastSide, picture.cols, picture.rows));
  }
  VisionTemplateResult out;
  out.matches = best_of(std::move(all), static_cast<std::size_t>(std::max(request.max_results, 0)));
  for (VisionTemplateMatch& match : out.matches) {
    match.bbox.x += view.corner.x;
    match.bbox.y += view.corner.y;
  }
  return out;
}

}  // namespace gantry::vision_cv
