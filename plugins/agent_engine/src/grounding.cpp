// SPDX-License-Identifier: Apache-2.0
#include "grounding.hpp"

#include <gantry/codec.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/picture.hpp>
#include <gantry/picture_text/matching.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cmath>
#include <string_view>
#include <utility>

#include "core.hpp"
#include "tool_limits.hpp"

namespace gantry::agent {
namespace {

namespace json = boost::json;

constexpr double kThreshold = 0.8;        // contract 5
constexpr double kFarthest = 10'000'000;  // pixels; no desktop reaches that far
constexpr std::array<std::string_view, 2> kPlaces{"", "drag_to_"};
constexpr std::string_view kFindBy = "find_coordinates_by";
constexpr std::string_view kCandidate = "candidate_id";

/// A way of finding a place, and the argument that it needs.
struct Method {
  std::string_view name;
  std::string_view argument;
};
constexpr std::array<Method, 3> kMethods{
    {{"ocr", "ocr_text"}, {"prediction", "source_description"}, {"manual", "x"}}};

/// The whole of the desktop, whose corner need not be at 0, 0.
struct DesktopBounds {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};
BOOST_DESCRIBE_STRUCT(DesktopBounds, (), (x, y, width, height))

/// capture_meta, as far as it says how pixels of a picture lie on the desktop.
struct Capture {
  double source_w = 0;
  double source_h = 0;
  double crop_x = 0;
  double crop_y = 0;
  double crop_w = 0;
  double crop_h = 0;
  std::optional<DesktopBounds> desktop_virtual_bounds;
};
BOOST_DESCRIBE_STRUCT(Capture, (),
                      (source_w, source_h, crop_x, crop_y, crop_w, crop_h, desktop_virtual_bounds))

/// One direction of it: pixels of the picture to those of the desktop.
struct Axis {
  double shown = 0;  // pixels of the picture; 0: not known, then it is taken as not scaled
  double crop_at = 0;
  double crop_size = 0;
  double source = 0;
  double bounds_at = 0;
  double bounds_size = 0;

  [[nodiscard]] double place(double at) const {
    if (shown > 0 && crop_size > 0) at *= crop_size / shown;
    at += crop_at;
    if (source > 0 && bounds_size > 0) at *= bounds_size / source;
    return at + bounds_at;
  }
  [[nodiscard]] std::int32_t target() const {
    const double size = bounds_size > 0 ? bounds_size : source > 0 ? source : shown;
    return size <= kFarthest ? static_cast<std::int32_t>(std::lround(size)) : 0;
  }
};

struct Point {
  double x = 0;
  double y = 0;
};

Error told(std::string words) { return Error{Code::InvalidArgument, std::move(words), {}}; }

std::string text_of(const json::object& arguments, std::string_view name) {
  const json::value* found = arguments.if_contains(name);
  const json::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

std::optional<double> number_of(const json::object& arguments, std::string_view name) {
  const json::value* found = arguments.if_contains(name);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

/// A call whose answer belongs to the turn and not to whoever led to it.
template <CallContract C>
auto ask_detached(Core& core, const ErrandPtr& errand, typename C::Request&& request) {
  using Answer = Result<Ref<typename C::Response>>;
  return completion<Answer>([&core, errand, request = std::move(request)](auto done) mutable {
    Core& on = core;
    const ErrandPtr mine = errand;  // NOLINT(performance-unnecessary-copy-initialization): outlives
    if (mine->given_up()) return done(Answer(Error{Code::Cancelled, "given up", {}}));
    auto taken = std::move(request);
    const ContextScope scope = on.store.detach();
    mine->waits_for(on.host.bus().call<C>(std::move(taken), std::move(done)));
  });
}

class Grounder {
 public:
  Grounder(Core& core, ErrandPtr errand, const GroundingWish& wish, json::object arguments)
      : core_(core), errand_(std::move(errand)), wish_(wish), arguments_(std::move(arguments)) {
    capture_ = from_json<Capture>(wish.picture.capture.text).value_or(Capture{});
  }

  Task<Result<GroundedArguments>> run() {
    if (arguments_.contains("screenshot_id")) {
      co_return told(
          "screenshot_id is none of the arguments: places are those of the newest picture");
    }
    GroundedArguments out;
    for (const std::string_view place : kPlaces) {
      std::string prefix(place);
      const std::string method = method_of(prefix);
      if (method.empty()) continue;
      const Result<void> found = co_await replace(std::move(prefix), method);
      if (!found.ok()) co_return found.error();
      if (out.grounding) continue;
      out.grounding.emplace();
      out.grounding->method = method;
    }
    out.arguments = Json(codec::serialize(arguments_));
    if (out.grounding) describe(*out.grounding);
    co_return out;
  }

 private:
  [[nodiscard]] bool has(const std::string& prefix, std::string_view name) const {
    const json::value* found = arguments_.if_contains(prefix + std::string(name));
    return found != nullptr && !found->is_null();
  }

  /// The method that is named, or the one whose argument is there; empty: no place is meant.
  [[nodiscard]] std::string method_of(const std::string& prefix) const {
    if (has(prefix, kCandidate)) return "ocr";
    std::string named = text_of(arguments_, prefix + std::string(kFindBy));
    if (!named.empty()) return named;
    for (const Method& method : kMethods) {
      if (has(prefix, method.argument)) return std::string(method.name);
    }
    return {};
  }

  [[nodiscard]] bool allowed(const std::string& method) const {
    return wish_.methods.empty() ||
           std::find(wish_.methods.begin(), wish_.methods.end(), method) != wish_.methods.end();
  }

  Task<Result<void>> replace(std::string prefix, std::string method) {
    if (!allowed(method)) {
      co_return told(fmt::format("places must not be found by {} in this session; use {}", method,
                                 fmt::join(wish_.methods, " or ")));
    }
    const Result<Point> found = co_await find(prefix, std::move(method));
    if (!found.ok()) co_return found.error();
    const double x = across().place(found->x);
    const double y = down().place(found->y);
    if (!(std::abs(x) <= kFarthest && std::abs(y) <= kFarthest)) {
      co_return told(fmt::format("{0}x and {0}y are on no desktop", prefix));
    }
    for (const std::string_view name : {kFindBy, kCandidate}) {
      arguments_.erase(prefix + std::string(name));
    }
    for (const Method& way : kMethods) arguments_.erase(prefix + std::string(way.argument));
    arguments_[prefix + "x"] = std::lround(x);
    arguments_[prefix + "y"] = std::lround(y);
    co_return Result<void>();
  }

  Task<Result<Point>> find(std::string prefix, std::string method) {
    if (method == "manual") co_return co_await by_hand(std::move(prefix));
    std::string candidate = text_of(arguments_, prefix + std::string(kCandidate));
    if (!candidate.empty()) co_return co_await by_candidate(std::move(candidate));
    const auto way = std::find_if(kMethods.begin(), kMethods.end(),
                                  [&](const Method& one) { return one.name == method; });
    if (way == kMethods.end()) {
      co_return told("there is no way '" + method +
                     "' of finding a place; use manual, ocr or prediction");
    }
    const std::string argument = prefix + std::string(way->argument);
    std::string wanted = text_of(arguments_, argument);
    if (wanted.empty()) {
      co_return told(
          fmt::format("{} must say what is meant when it is found by {}", argument, method));
    }
    if (method == "ocr") co_return co_await by_text(std::move(wanted));
    co_return co_await by_description(std::move(wanted));
  }

  Task<Result<Point>> by_hand(std::string prefix) {
    const auto x = number_of(arguments_, prefix + "x");
    const auto y = number_of(arguments_, prefix + "y");
    if (!x || !y) co_return told(fmt::format("{0}x and {0}y belong together", prefix));
    if (across().crop_size > 0) {
      const Result<void> known = co_await know_size();
      if (!known.ok()) {
        core_.host.log().debug("a picture's size is not known: its pixels are taken as not scaled",
                               {{"reason", known.error().message}});
      }
    }
    co_return Point{*x, *y};
  }

  Task<Result<Point>> by_text(std::string wanted) {
    const Result<void> read = co_await read_rows();
    if (!read.ok()) co_return read.error();
    const auto ranked = picture_text::ranked(rows_, wanted);
    if (const auto why = picture_text::unresolved(ranked, wanted, kThreshold)) {
      co_return told(why->detail);
    }
    co_return middle(ranked.front());
  }

  Task<Result<Point>> by_candidate(std::string id) {
    const Result<void> read = co_await read_rows();
    if (!read.ok()) co_return read.error();
    const auto row = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const auto& one) { return one.candidate_id == id; });
    if (row == rows_.end()) {
      co_return told("candidate '" + id +
                     "' is not of the newest picture: frame changed, re-ground required");
    }
    co_return middle(*row);
  }

  Task<Result<Point>> by_description(std::string wanted) {
    const Result<void> loaded = co_await load();
    if (!loaded.ok()) co_return loaded.error();
    PictureLocateRequest request;
    request.file = file_;
    request.description = wanted;
    request.max_results = 1;
    const auto found = co_await ask_detached<PictureLocate>(core_, errand_, std::move(request));
    if (!found.ok()) {
      co_return told("'" + wanted + "' was not found in the picture: " + found.error().message);
    }
    know_size((*found)->width, (*found)->height);
    const VisionMatch& match = (*found)->matches.front();
    co_return Point{static_cast<double>(match.x), static_cast<double>(match.y)};
  }

  static Point middle(const picture_text::Row& row) {
    return {static_cast<double>(picture_text::center_x(row)),
            static_cast<double>(picture_text::center_y(row))};
  }

  Task<Result<void>> read_rows() {
    if (read_) co_return Result<void>();
    const Result<void> loaded = co_await load();
    if (!loaded.ok()) co_return loaded.error();
    PictureTextRequest request;
    request.file = file_;
    const auto read = co_await ask_detached<PictureText>(core_, errand_, std::move(request));
    if (!read.ok()) {
      co_return told("the text of the picture could not be read: " + read.error().message);
    }
    know_size((*read)->width, (*read)->height);
    rows_ = picture_text::rows_of(**read, wish_.picture.artifact);
    read_ = true;
    co_return Result<void>();
  }

  Task<Result<void>> load() {
    if (!file_.empty()) co_return Result<void>();
    if (wish_.picture.artifact.empty()) {
      co_return told("there is no picture to find it in; take a screenshot first");
    }
    ArtifactRequest request{wish_.principal, wish_.picture.artifact};
    const auto content = co_await ask_detached<ArtifactGet>(core_, errand_, std::move(request));
    if (!content.ok()) {
      co_return told("the newest picture cannot be read: " + content.error().message);
    }
    file_ = (*content)->content;
    co_return Result<void>();
  }

  Task<Result<void>> know_size() {
    if (width_ > 0) co_return Result<void>();
    const Result<void> loaded = co_await load();
    if (!loaded.ok()) co_return loaded.error();
    PictureOpenRequest request{file_};
    const auto opened = co_await ask_detached<PictureOpen>(core_, errand_, std::move(request));
    if (!opened.ok()) co_return opened.error();
    know_size((*opened)->image.width, (*opened)->image.height);
    co_return Result<void>();
  }

  void know_size(std::int32_t width, std::int32_t height) {
    width_ = width;
    height_ = height;
  }

  [[nodiscard]] Axis across() const {
    const DesktopBounds bounds = capture_.desktop_virtual_bounds.value_or(DesktopBounds{});
    const double shown = capture_.crop_w > 0 ? capture_.crop_w : capture_.source_w;
    return {static_cast<double>(width_), capture_.crop_x, shown,
            capture_.source_w,           bounds.x,        bounds.width};
  }

  [[nodiscard]] Axis down() const {
    const DesktopBounds bounds = capture_.desktop_virtual_bounds.value_or(DesktopBounds{});
    const double shown = capture_.crop_h > 0 ? capture_.crop_h : capture_.source_h;
    return {static_cast<double>(height_),
            capture_.crop_y,
            shown,
            capture_.source_h,
            bounds.y,
            bounds.height};
  }

  void describe(ToolGrounding& grounding) const {
    grounding.source_width = width_;
    grounding.source_height = height_;
    grounding.target_width = across().target();
    grounding.target_height = down().target();
    grounding.asked = wish_.arguments;
  }

  Core& core_;
  const ErrandPtr errand_;
  const GroundingWish& wish_;
  json::object arguments_;
  Capture capture_;
  Buffer file_;
  std::vector<picture_text::Row> rows_;
  bool read_ = false;
  std::int32_t width_ = 0;
  std::int32_t height_ = 0;
};

}  // namespace

ImageRef newest_picture(const History& history) {
  for (auto row = history.rows.rbegin(); row != history.rows.rend(); ++row) {
    const auto found =
        std::find_if(row->images.rbegin(), row->images.rend(), [](const ImageRef& image) {
          return !image.artifact.empty() && image.media_type.starts_with("image/");
        });
    if (found != row->images.rend()) return *found;
  }
  return {};
}

Task<Result<GroundedArguments>> ground(Core& core, ErrandPtr errand, GroundingWish wish) {
  json::parse_options options;
  options.max_depth = kDeepestArguments;
  json::error_code problem;
  const json::value arguments = json::parse(wish.arguments.text, problem, {}, options);
  if (problem || !arguments.is_object()) co_return told("the arguments are no object");
  Grounder grounder(core, std::move(errand), wish, arguments.get_object());
  co_return co_await grounder.run();
}

}  // namespace gantry::agent
