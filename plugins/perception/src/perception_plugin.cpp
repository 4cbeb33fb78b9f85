// SPDX-License-Identifier: Apache-2.0
#include "perception_plugin.hpp"

#include <gantry/contracts/ocr.hpp>
#include <gantry/errand.hpp>
#include <gantry/picture/decode.hpp>
#include <gantry/picture/file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "rows.hpp"
#include "within_memory.hpp"

namespace gantry::perception {

namespace {

Error too_much(std::int64_t pixels, std::int64_t limit) {
  return Error{
      Code::ResourceExhausted,
      fmt::format("a picture of {} pixels is too much beside those that are being looked at; "
                  "pixels_at_once allows {} together: send it again later",
                  pixels, limit),
      {}};
}

/// The same bytes; `held` is let go together with the last copy.
Buffer held_with(Buffer pixels, std::shared_ptr<void> held) {
  const auto bytes = pixels.bytes();
  return Buffer::wrap(bytes, [pixels = std::move(pixels), held = std::move(held)] {});
}

std::string media_type_of(std::string_view format) { return "image/" + std::string(format); }

}  // namespace

Result<void> PerceptionPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(host().bus().serve<PictureOpen>(
      [this](const Ref<PictureOpenRequest>& request, const CallInfo&, Reply<PictureOpen> reply) {
        run<PictureOpen>(std::move(reply), {}, open(request->file));
      }));
  GANTRY_TRY(host().bus().serve<PictureFit>(
      [this](const Ref<PictureFitRequest>& request, const CallInfo&, Reply<PictureFit> reply) {
        run<PictureFit>(std::move(reply), {}, fit(request));
      }));
  GANTRY_TRY(host().bus().serve<PictureText>(
      [this](const Ref<PictureTextRequest>& request, const CallInfo&, Reply<PictureText> reply) {
        const auto errand = std::make_shared<Errand>();
        run<PictureText>(std::move(reply), errand, read(request, errand));
      }));
  return host().bus().serve<PictureLocate>([this](const Ref<PictureLocateRequest>& request,
                                                  const CallInfo&, Reply<PictureLocate> reply) {
    const auto errand = std::make_shared<Errand>();
    run<PictureLocate>(std::move(reply), errand, locate(request, errand));
  });
}

Result<void> PerceptionPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return {};
}

template <class C>
void PerceptionPlugin::run(Reply<C> reply, const ErrandPtr& errand,
                           Task<Result<typename C::Response>> task) {
  if (std::cmp_greater_equal(running_.size(), settings_.queue)) {
    return reply.fail(Error{Code::ResourceExhausted,
                            fmt::format("{} pictures are under way already", running_.size()),
                            {}});
  }
  const auto answer = std::make_shared<Reply<C>>(std::move(reply));
  spawn(
      running_, std::move(task),
      [answer](Result<typename C::Response> result) { (*answer)(std::move(result)); },
      [answer](const std::exception_ptr&) { answer->fail(needs_too_much_memory()); });
  if (errand) answer->on_cancel([errand] { errand->give_up(); });
}

Task<Result<OpenedPicture>> PerceptionPlugin::open(Buffer file) {
  std::shared_ptr<void> held;
  const auto admit = [&held, this, limit = settings_.pixels_at_once](std::int32_t width,
                                                                     std::int32_t height) {
    const std::int64_t pixels = std::int64_t{width} * height;
    held = budget_.take(pixels, limit);
    return held != nullptr ? Result<void>() : too_much(pixels, limit);
  };
  const picture::DecodeLimits limits{.max_pixels = settings_.max_pixels, .admit = admit};
  auto work = [&file, &limits, &held]() -> Result<OpenedPicture> {
    GANTRY_ASSIGN(picture::DecodedPicture found, picture::decode(file.bytes(), limits));
    found.image.pixels = held_with(std::move(found.image.pixels), std::move(held));
    return OpenedPicture{std::move(found.image), std::string(picture::format_name(found.format)),
                         found.animated ? 2 : 1};
  };
  co_return co_await aside_within_memory<OpenedPicture>(host(), work);
}

Task<Result<FittedPicture>> PerceptionPlugin::fit(Ref<PictureFitRequest> request) {
  if (request->max_edge <= 0 || request->max_bytes <= 0) {
    co_return invalid_argument("max_edge and max_bytes must be positive");
  }
  const auto bytes = request->file.bytes();
  const auto size = picture::size_of(bytes);
  if (!size.ok()) co_return size.error();
  FittedPicture out;
  out.original_width = size->width;
  out.original_height = size->height;
  if (std::max(size->width, size->height) <= request->max_edge &&
      std::cmp_less_equal(bytes.size(), request->max_bytes)) {
    out.file = request->file;
    out.media_type = media_type_of(picture::format_name(picture::format_of(bytes)));
    out.width = size->width;
    out.height = size->height;
    co_return out;
  }
  Result<OpenedPicture> opened = co_await open(request->file);
  if (!opened.ok()) co_return opened.error();
  const picture::PictureWish wish{request->max_edge, request->max_bytes,
                                  picture::PictureFormat::Smaller, true};
  auto work = [&opened, &wish] { return picture::encode_picture(opened->image, wish); };
  auto file = co_await aside_within_memory<picture::PictureFile>(host(), work);
  if (!file.ok()) co_return file.error();
  out.file = Buffer::of(std::move(file->bytes));
  out.media_type = media_type_of(file->format);
  out.width = file->width;
  out.height = file->height;
  co_return out;
}

Task<Result<PictureTextRows>> PerceptionPlugin::read(Ref<PictureTextRequest> request,
                                                     ErrandPtr errand) {
  OcrRequest wish;
  wish.image = request->image;
  wish.languages = request->languages;
  wish.min_confidence = request->min_confidence;
  if (wish.image.pixels.empty()) {
    Result<OpenedPicture> opened = co_await open(request->file);
    if (!opened.ok()) co_return opened.error();
    wish.image = opened->image;
  }
  PictureTextRows out;
  out.width = wish.image.width;
  out.height = wish.image.height;
  const auto found = co_await ask<OcrRead>(host(), errand, std::move(wish), kCallersLimit);
  if (!found.ok()) co_return found.error();
  out.rows = rows_of((*found)->words);
  out.route = (*found)->route;
  co_return out;
}

Task<Result<PictureTargets>> PerceptionPlugin::locate(Ref<PictureLocateRequest> request,
                                                      ErrandPtr errand) {
  Result<OpenedPicture> opened = co_await open(request->file);
  if (!opened.ok()) co_return opened.error();
  PictureTargets out;
  out.width = opened->image.width;
  out.height = opened->image.height;
  VisionLocateRequest wish;
  wish.image = opened->image;
  wish.description = request->description;
  wish.max_results = request->max_results;
  wish.languages = request->languages;
  const auto found = co_await ask<VisionLocate>(host(), errand, std::move(wish), kCallersLimit);
  if (!found.ok()) co_return found.error();
  // Whoever asks counts on one, and a plugin of somebody else may break its promise.
  if ((*found)->matches.empty()) {
    co_return not_found("nothing in the picture fits '" + request->description + "'");
  }
  out.matches = (*found)->matches;
  out.route = (*found)->route;
  co_return out;
}

}  // namespace gantry::perception
