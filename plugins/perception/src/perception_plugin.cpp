// SPDX-License-Identifier: Apache-2.0
#include "perception_plugin.hpp"

#include <gantry/ask.hpp>
#include <gantry/contracts/ocr.hpp>
#include <gantry/picture/decode.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "rows.hpp"

namespace gantry::perception {

Result<void> PerceptionPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(host().bus().serve<PictureOpen>(
      [this](const Ref<PictureOpenRequest>& request, const CallInfo&, Reply<PictureOpen> reply) {
        run<PictureOpen>(std::move(reply), open(request->file));
      }));
  GANTRY_TRY(host().bus().serve<PictureText>(
      [this](const Ref<PictureTextRequest>& request, const CallInfo&, Reply<PictureText> reply) {
        run<PictureText>(std::move(reply), read(request));
      }));
  return host().bus().serve<PictureLocate>([this](const Ref<PictureLocateRequest>& request,
                                                  const CallInfo&, Reply<PictureLocate> reply) {
    run<PictureLocate>(std::move(reply), locate(request));
  });
}

Result<void> PerceptionPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return {};
}

template <class C>
void PerceptionPlugin::run(Reply<C> reply, Task<Result<typename C::Response>> task) {
  if (std::cmp_greater_equal(running_.size(), settings_.queue)) {
    return reply.fail(Error{Code::ResourceExhausted,
                            fmt::format("{} pictures are under way already", running_.size()),
                            {}});
  }
  const auto answer = std::make_shared<Reply<C>>(std::move(reply));
  spawn(
      running_, std::move(task),
      [answer](Result<typename C::Response> result) { (*answer)(std::move(result)); },
      [answer](const std::exception_ptr&) {
        answer->fail(Error{Code::ResourceExhausted, "the picture needs too much memory", {}});
      });
}

Task<Result<OpenedPicture>> PerceptionPlugin::open(Buffer file) {
  const picture::DecodeLimits limits{.max_pixels = settings_.max_pixels};
  auto work = [&file, limits]() -> Result<OpenedPicture> {
    try {
      GANTRY_ASSIGN(picture::DecodedPicture found, picture::decode(file.bytes(), limits));
      return OpenedPicture{std::move(found.image), std::string(picture::format_name(found.format)),
                           found.animated ? 2 : 1};
    } catch (const std::bad_alloc&) {
      return Error{Code::ResourceExhausted, "the picture needs too much memory", {}};
    }
  };
  co_return co_await aside<Result<OpenedPicture>>(host(), work);
}

Task<Result<PictureTextRows>> PerceptionPlugin::read(Ref<PictureTextRequest> request) {
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
  const auto found = co_await ask<OcrRead>(host(), std::move(wish));
  if (!found.ok()) co_return found.error();
  out.rows = rows_of((*found)->words);
  out.route = (*found)->route;
  co_return out;
}

Task<Result<PictureTargets>> PerceptionPlugin::locate(Ref<PictureLocateRequest> request) {
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
  const auto found = co_await ask<VisionLocate>(host(), std::move(wish));
  if (!found.ok()) co_return found.error();
  out.matches = (*found)->matches;
  out.route = (*found)->route;
  co_return out;
}

}  // namespace gantry::perception
