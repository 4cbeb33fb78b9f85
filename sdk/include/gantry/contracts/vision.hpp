// SPDX-License-Identifier: Apache-2.0
//
// Seeing: what is in a picture without anybody's accessibility tree. All boxes and points are image
// pixels, from the image's corner also when a region was asked for. A region is cut to the image;
// one that lies beside it is invalid_argument, as is a picture that is empty, cut off or larger
// than the provider takes. Requests are answered `cancelled` or `deadline_exceeded` when their
// caller has gone.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/contracts/ocr.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// Something that is seen, or that an accessibility tree knows of.
struct VisualElement {
  Rect bbox;
  std::string kind;       // "control", "icon", "text", "region"
  std::string role;       // as A11yNode::role (Button, Edit, CheckBox, …); empty: not known
  std::string text;       // on it or of it; empty: none, or not known
  double confidence = 0;  // 0 to 1
  std::string source;     // "vision", "ocr", "a11y", "vlm"
  std::string colour;     // "#RRGGBB" of its ground, or of the icon itself; empty: not looked at
};
BOOST_DESCRIBE_STRUCT(VisualElement, (), (bbox, kind, role, text, confidence, source, colour))

struct VisionDetectRequest {
  Image image;
  std::optional<Rect> region;
  std::vector<OcrWord> words;  // of the picture, where they are known: they become the texts
  double min_confidence = 0;   // 0 to 1; what is less certain is left out
  std::int32_t max_results = 2000;
};
BOOST_DESCRIBE_STRUCT(VisionDetectRequest, (), (image, region, words, min_confidence, max_results))

struct VisionDetectResult {
  std::vector<VisualElement> elements;  // in reading order, outer ones before those in them
  bool truncated = false;               // there were more than max_results
  std::string route;                    // what found them
};
BOOST_DESCRIBE_STRUCT(VisionDetectResult, (), (elements, truncated, route))

/// Errors: invalid_argument, resource_exhausted (too many requests are under way).
struct VisionDetect {
  static constexpr std::string_view kName = "gantry.vision.detect/1";
  static constexpr std::string_view kDoc = "Finds controls and icons in a picture.";
  using Request = VisionDetectRequest;
  using Response = VisionDetectResult;
};

struct VisionLocateRequest {
  Image image;
  std::optional<Rect> region;  // only what is in it is answered
  std::string description;  // "the blue Save button", "icon right of the search field"; 1 to 2000
  std::int32_t max_results = 5;
  bool unique = false;  // several that fit equally well are an error instead of a ranking
  double min_confidence = 0;
  // What the caller knows already. Where words are given the provider does not read the picture.
  std::vector<OcrWord> words;
  std::vector<VisualElement> elements;
  std::vector<std::string> languages;  // for reading it, as in OcrRequest
  bool model_allowed = true;  // a model may be asked, whose tokens count; rules may always answer
};
BOOST_DESCRIBE_STRUCT(VisionLocateRequest, (),
                      (image, region, description, max_results, unique, min_confidence, words,
                       elements, languages, model_allowed))

struct VisionMatch {
  std::int32_t x = 0;  // where to click
  std::int32_t y = 0;
  Rect bbox;  // of what is there; empty when the provider gives points only
  std::string kind;
  std::string role;
  std::string text;
  double confidence = 0;  // 0 to 1
  std::string source;     // "a11y", "ocr", "vision", "vlm"; several joined by "+"
  std::string reason;     // for people: which words of the description it fits, and how
};
BOOST_DESCRIBE_STRUCT(VisionMatch, (), (x, y, bbox, kind, role, text, confidence, source, reason))

struct VisionLocateResult {
  std::vector<VisionMatch> matches;  // the best first; at least one
  std::string route;                 // what located them: "rules", or the model's name
  std::int32_t tokens = 0;           // that a model counted for it; 0: there was none
};
BOOST_DESCRIBE_STRUCT(VisionLocateResult, (), (matches, route, tokens))

/// The detail of an error of gantry.vision.locate/1.
struct VisionLocateDetail {
  std::string reason;                // "not_found", "ambiguous"
  std::vector<VisionMatch> matches;  // what comes nearest, or those that fit equally well
  std::int32_t tokens = 0;           // as in VisionLocateResult
};
BOOST_DESCRIBE_STRUCT(VisionLocateDetail, (), (reason, matches, tokens))

/// Errors: not_found (nothing fits) and failed_precondition (`unique` and several fit), both with
/// VisionLocateDetail as their detail; invalid_argument (also an empty description, or one without
/// a word to look for), unavailable (neither text nor a model to go by, says why),
/// resource_exhausted (too many requests, or a model is needed that may not be asked).
struct VisionLocate {
  static constexpr std::string_view kName = "gantry.vision.locate/1";
  static constexpr std::string_view kDoc = "Finds the point in a picture that a description means.";
  using Request = VisionLocateRequest;
  using Response = VisionLocateResult;
};

struct VisionDescribeRequest {
  Image image;
  std::optional<Rect> region;
  std::string question;        // what the text should be about; empty: everything
  std::int32_t max_chars = 0;  // 0: the provider's own limit
  std::vector<OcrWord> words;  // as in VisionLocateRequest
  std::vector<VisualElement> elements;
  std::vector<std::string> languages;
};
BOOST_DESCRIBE_STRUCT(VisionDescribeRequest, (),
                      (image, region, question, max_chars, words, elements, languages))

struct VisionDescription {
  std::string text;
  std::string route;  // what wrote it: "rules", or the model's name
  bool truncated = false;
  std::int32_t tokens = 0;  // that a model counted for it; 0: there was none
};
BOOST_DESCRIBE_STRUCT(VisionDescription, (), (text, route, truncated, tokens))

/// Errors: invalid_argument, unavailable, resource_exhausted.
struct VisionDescribe {
  static constexpr std::string_view kName = "gantry.vision.describe/1";
  static constexpr std::string_view kDoc = "Says in words what is in a picture.";
  using Request = VisionDescribeRequest;
  using Response = VisionDescription;
};

struct VisionCompareRequest {
  Image before;
  Image after;                 // of the same size
  std::optional<Rect> region;  // of both
  std::int32_t threshold = 8;  // 0 to 255: differences of a channel that do not count
  std::int32_t gap = 8;        // pixels; changes that are closer than this are one region
  std::int32_t min_area = 1;   // pixels that have to differ in a region
  std::int32_t max_regions = 200;
};
BOOST_DESCRIBE_STRUCT(VisionCompareRequest, (),
                      (before, after, region, threshold, gap, min_area, max_regions))

struct VisionDifference {
  Rect bbox;
  std::int64_t changed_pixels = 0;
  double mean_difference = 0;  // 0 to 255, of the changed pixels' strongest channel
};
BOOST_DESCRIBE_STRUCT(VisionDifference, (), (bbox, changed_pixels, mean_difference))

struct VisionCompareResult {
  bool identical = false;      // no byte of colour differs
  std::optional<double> ssim;  // structural similarity of the brightness, 1: equal; none: a side
                               // is shorter than 7 pixels
  std::int64_t changed_pixels = 0;
  std::vector<VisionDifference> regions;  // from top to bottom
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(VisionCompareResult, (),
                      (identical, ssim, changed_pixels, regions, truncated))

/// Errors: invalid_argument (also pictures of different sizes), resource_exhausted.
struct VisionCompare {
  static constexpr std::string_view kName = "gantry.vision.compare/1";
  static constexpr std::string_view kDoc = "Says how alike two pictures are and where they differ.";
  using Request = VisionCompareRequest;
  using Response = VisionCompareResult;
};

struct VisionTemplateRequest {
  Image image;
  std::optional<Rect> region;
  Image sample;            // what to look for
  double min_score = 0.9;  // 0 to 1
  std::int32_t max_results = 20;
  std::vector<double> scales;  // of the sample, 0.25 to 4, at most 16; empty: as it is
};
BOOST_DESCRIBE_STRUCT(VisionTemplateRequest, (),
                      (image, region, sample, min_score, max_results, scales))

struct VisionTemplateMatch {
  Rect bbox;
  double score = 0;
  double scale = 1;
};
BOOST_DESCRIBE_STRUCT(VisionTemplateMatch, (), (bbox, score, scale))

struct VisionTemplateResult {
  std::vector<VisionTemplateMatch> matches;  // the best first, none over another; may be empty
};
BOOST_DESCRIBE_STRUCT(VisionTemplateResult, (), (matches))

/// Errors: invalid_argument (also a sample larger than the picture), resource_exhausted.
struct VisionTemplate {
  static constexpr std::string_view kName = "gantry.vision.template/1";
  static constexpr std::string_view kDoc = "Finds a small picture in a larger one.";
  using Request = VisionTemplateRequest;
  using Response = VisionTemplateResult;
};

struct VisionColoursRequest {
  Image image;
  std::vector<Rect> regions;  // at most 4096; empty: the whole picture
};
BOOST_DESCRIBE_STRUCT(VisionColoursRequest, (), (image, regions))

struct VisionColour {
  Rect bbox;               // the part of the region that is in the picture; empty: none is
  std::string background;  // "#RRGGBB", the most frequent; empty with bbox
  std::string foreground;  // the most frequent that differs from it clearly; empty: there is none
  std::string mean;
  std::string name;  // of what strikes the eye: red, orange, yellow, green, cyan, blue, purple,
                     // pink, brown, white, grey, black
  bool dark = false;
};
BOOST_DESCRIBE_STRUCT(VisionColour, (), (bbox, background, foreground, mean, name, dark))

struct VisionColoursResult {
  std::vector<VisionColour> colours;  // one for each region, in their order
};
BOOST_DESCRIBE_STRUCT(VisionColoursResult, (), (colours))

/// Errors: invalid_argument, resource_exhausted.
struct VisionColours {
  static constexpr std::string_view kName = "gantry.vision.colours/1";
  static constexpr std::string_view kDoc = "Says which colours parts of a picture have.";
  using Request = VisionColoursRequest;
  using Response = VisionColoursResult;
};

/// An outline 3 pixels wide, its outer edge on the box's. Colours are "#RRGGBB"; anything else is
/// the default, #ff4d4f. Its label begins at (x + 4, max(y - 14, 0)).
struct OverlayBox {
  Rect bbox;
  std::string label;  // shortened to 200 characters; empty: none
  std::string colour;
  bool dot = false;  // and a dot of radius 4 at (x + width / 2, y + height / 2)
};
BOOST_DESCRIBE_STRUCT(OverlayBox, (), (bbox, label, colour, dot))

/// A dot of radius 6; the default colour is #1677ff. Its label begins at (x + 8, max(y - 8, 0)).
struct OverlayPoint {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::string label;
  std::string colour;
};
BOOST_DESCRIBE_STRUCT(OverlayPoint, (), (x, y, label, colour))

struct VisionOverlayRequest {
  Image image;
  std::vector<OverlayBox> boxes;  // drawn first, in their order
  std::vector<OverlayPoint> points;
};
BOOST_DESCRIBE_STRUCT(VisionOverlayRequest, (), (image, boxes, points))

struct VisionOverlayResult {
  Buffer png;  // a file: 8-bit RGB, of the image's size
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::int32_t annotations = 0;  // boxes and points that were drawn, also those beside the picture
};
BOOST_DESCRIBE_STRUCT(VisionOverlayResult, (), (png, width, height, annotations))

/// Errors: invalid_argument (also more than 5000 boxes and points), resource_exhausted.
struct VisionOverlay {
  static constexpr std::string_view kName = "gantry.vision.overlay/1";
  static constexpr std::string_view kDoc = "Draws boxes, points and labels onto a picture.";
  using Request = VisionOverlayRequest;
  using Response = VisionOverlayResult;
};

}  // namespace gantry
