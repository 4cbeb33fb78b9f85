// SPDX-License-Identifier: Apache-2.0
#include "vlm_plugin.hpp"

#include <gantry/ask.hpp>
#include <gantry/base64.hpp>
#include <gantry/codec.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/picture/check.hpp>
#include <gantry/picture/png.hpp>
#include <gantry/picture/scale.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>

#include "prompts.hpp"

namespace gantry::vision_vlm {
namespace {

constexpr std::string_view kNoModel =
    "no vision model is configured; set plugins.vision_vlm.config.model";
constexpr double kUnsaid = 0.5;      // the certainty of a model that tells none
constexpr std::int32_t kToTell = 5;  // what is asked for at least to tell whether only one fits
constexpr int kSamePlace = 8;        // pixels: models name a place more than once

/// The part of a picture that is asked for.
Result<Rect> part_of(const Image& image, const std::optional<Rect>& region) {
  GANTRY_TRY(picture::check_pixels(image));
  if (!region) return Rect{0, 0, image.width, image.height};
  const std::int32_t left = std::clamp(region->x, 0, image.width);
  const std::int32_t top = std::clamp(region->y, 0, image.height);
  const auto end = [](std::int32_t at, std::int32_t size, std::int32_t limit) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(std::int64_t{at} + size, limit));
  };
  const Rect part{left, top, end(region->x, region->width, image.width) - left,
                  end(region->y, region->height, image.height) - top};
  if (part.width <= 0 || part.height <= 0) {
    return invalid_argument("the region is not in the picture");
  }
  return part;
}

std::int32_t mapped(double at, double scale, std::int32_t begin, std::int32_t size) {
  const auto moved = static_cast<std::int32_t>(std::floor(at * scale));
  return begin + std::clamp(moved, 0, size - 1);
}

bool is_there_already(const std::vector<VisionMatch>& matches, const VisionMatch& match) {
  return std::any_of(matches.begin(), matches.end(), [&](const VisionMatch& other) {
    return std::abs(other.x - match.x) <= kSamePlace && std::abs(other.y - match.y) <= kSamePlace;
  });
}

std::string detail_of(std::string reason, std::int32_t tokens,
                      std::vector<VisionMatch> matches = {}) {
  VisionLocateDetail detail;
  detail.reason = std::move(reason);
  detail.matches = std::move(matches);
  detail.tokens = tokens;
  return std::string(to_json(detail));
}

std::int32_t tokens_of(const Reply& reply) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(reply.tokens, 0, INT32_MAX));
}

}  // namespace

void Exchange::begin(Host& host, http::HttpRequest request, const http::FetchLimits& limits,
                     Done done) {
  done_ = std::move(done);
  if (gone_) return finish(Error{Code::Cancelled, "nobody waits for the answer any more", {}});
  const http::HttpOptions options;
  fetching_ = http::begin_fetch(host, options, std::move(request), limits,
                                [self = shared_from_this()](Result<http::HttpAnswer> answer) {
                                  self->finish(std::move(answer));
                                });
}

void Exchange::give_up() {
  gone_ = true;
  if (fetching_) fetching_->cancel();
  finish(Error{Code::Cancelled, "nobody waits for the answer any more", {}});
}

void Exchange::finish(Result<http::HttpAnswer> answer) {
  fetching_ = nullptr;
  if (done_) std::exchange(done_, nullptr)(std::move(answer));
}

Result<void> VlmPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(
      host().bus().serve<VisionLocate>([this](const Ref<VisionLocateRequest>& request,
                                              const CallInfo&, gantry::Reply<VisionLocate> reply) {
        auto life = std::make_shared<Exchange>();
        run<VisionLocate>(std::move(reply), locate(request, life), life);
      }));
  return host().bus().serve<VisionDescribe>([this](const Ref<VisionDescribeRequest>& request,
                                                   const CallInfo&,
                                                   gantry::Reply<VisionDescribe> reply) {
    auto life = std::make_shared<Exchange>();
    run<VisionDescribe>(std::move(reply), describe(request, life), life);
  });
}

Result<void> VlmPlugin::start() {
  probe();
  return {};
}

Result<void> VlmPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  url_.clear();
  probe();
  return {};
}

void VlmPlugin::probe() {
  if (settings_.model.empty()) {
    host().bus().set_suitability(0, kNoModel);
  } else {
    host().bus().set_suitability(80, settings_.model + " at " + settings_.base_url);
  }
}

Result<void> VlmPlugin::may_ask() const {
  if (settings_.model.empty()) return unavailable(std::string(kNoModel));
  if (std::cmp_greater(running_.size(), settings_.queue)) {
    return Error{
        Code::ResourceExhausted,
        fmt::format("{} questions to the vision model are under way already", running_.size() - 1),
        {}};
  }
  if (settings_.token_budget > 0 && tokens_ >= settings_.token_budget) {
    return Error{Code::ResourceExhausted,
                 fmt::format("the vision model has used {} tokens of the {} of "
                             "plugins.vision_vlm.config.token_budget",
                             tokens_, settings_.token_budget),
                 {}};
  }
  return {};
}

template <class C>
void VlmPlugin::run(gantry::Reply<C> reply, Task<Result<typename C::Response>> task, Life life) {
  const auto answer = std::make_shared<gantry::Reply<C>>(std::move(reply));
  answer->on_cancel([waiting = std::weak_ptr<Exchange>(life)] {
    if (const auto kept = waiting.lock()) kept->give_up();
  });
  spawn(
      running_, std::move(task),
      [answer](Result<typename C::Response> result) { (*answer)(std::move(result)); },
      [answer](const std::exception_ptr&) {
        answer->fail(Error{Code::ResourceExhausted, "the picture needs too much memory", {}});
      });
}

Task<Result<VlmPlugin::Sent>> VlmPlugin::prepare(const Image& image,
                                                 const std::optional<Rect>& region) {
  const std::int32_t edge = settings_.image_max_dim;
  auto work = [&image, &region, edge]() -> Result<Sent> {
    Sent sent;
    GANTRY_ASSIGN(sent.part, part_of(image, region));
    const Image part =
        picture::cut(image, sent.part.x, sent.part.y, sent.part.width, sent.part.height);
    const Image small = picture::scaled_to(part, edge);
    GANTRY_ASSIGN(const auto png, picture::encode_png(small));
    sent.size = {small.width, small.height};
    sent.url = "data:image/png;base64," + base64_of(png);
    return sent;
  };
  co_return co_await aside<Result<Sent>>(host(), work);
}

Task<Result<Reply>> VlmPlugin::ask_model(Life life, std::string model, std::string prompt,
                                         std::string_view picture) {
  const Duration limit = std::chrono::milliseconds(settings_.timeout);
  const http::FetchLimits limits{{limit, limit, limit}, std::size_t{4} << 20U};
  const std::string base = settings_.base_url;  // it can change while the model thinks
  std::vector<std::string> urls = completion_urls(base);
  if (!url_.empty()) urls = {url_};
  http::HttpRequest request;
  request.headers = {{"content-type", "application/json"}};
  if (!settings_.api_key.empty()) {
    request.headers.emplace_back("authorization", "Bearer " + settings_.api_key);
  }
  request.body = request_body(settings_, model, prompt, picture);
  Result<http::HttpAnswer> answer = unavailable("no address of the vision model is known");
  for (const std::string& url : urls) {
    request.url = url;
    answer = co_await completion<Result<http::HttpAnswer>>([&](auto done) {
      http::HttpRequest sent = request;
      life->begin(host(), std::move(sent), limits, std::move(done));
    });
    if (!answer.ok() && answer.error().code == Code::Cancelled) co_return answer.error();
    if (!answer.ok()) {
      co_return unavailable(fmt::format("the vision model at {} does not answer: {}",
                                        settings_.base_url, answer.error().message));
    }
    const int status = answer->head.status;
    if (status != 404 && status != 405) {
      if (settings_.base_url == base) url_ = url;
      break;
    }
  }
  Result<Reply> reply = read_reply(*answer);
  if (reply.ok()) tokens_ += reply->tokens;
  co_return reply;
}

Task<Result<VisionLocateResult>> VlmPlugin::locate(Ref<VisionLocateRequest> request, Life life) {
  const Result<void> allowed = may_ask();
  if (!allowed.ok()) co_return allowed.error();
  if (!request->model_allowed) {
    co_return Error{
        Code::ResourceExhausted, "no model may be asked, and this plugin has no rules", {}};
  }
  if (request->description.find_first_not_of(" \t\r\n") == std::string::npos) {
    co_return invalid_argument("the description is empty");
  }
  const Result<Sent> sent = co_await prepare(request->image, request->region);
  if (!sent.ok()) co_return sent.error();
  const Unit unit = unit_named(settings_.coordinates);
  const std::int32_t most =
      request->unique ? std::max(request->max_results, kToTell) : request->max_results;
  std::string prompt = locate_prompt(request->description, sent->size, unit, most);
  std::string model = settings_.model;
  const Result<Reply> reply =
      co_await ask_model(life, std::move(model), std::move(prompt), sent->url);
  if (!reply.ok()) co_return reply.error();

  VisionLocateResult out;
  out.route = settings_.model;
  out.tokens = tokens_of(*reply);
  const double across = static_cast<double>(sent->part.width) / sent->size.width;
  const double down = static_cast<double>(sent->part.height) / sent->size.height;
  for (Target& target : targets_in(reply->text, sent->size, unit)) {
    if (std::cmp_greater_equal(out.matches.size(), most)) break;
    VisionMatch match;
    match.x = mapped(target.x, across, sent->part.x, sent->part.width);
    match.y = mapped(target.y, down, sent->part.y, sent->part.height);
    if (target.width > 0 && target.height > 0) {
      const std::int32_t left =
          mapped(target.x - target.width / 2, across, sent->part.x, sent->part.width);
      const std::int32_t top =
          mapped(target.y - target.height / 2, down, sent->part.y, sent->part.height);
      match.bbox = {left, top, std::max(1, static_cast<std::int32_t>(target.width * across)),
                    std::max(1, static_cast<std::int32_t>(target.height * down))};
    }
    match.text = std::move(target.label);
    match.source = "vlm";
    match.confidence = target.confidence >= 0 ? target.confidence : kUnsaid;
    match.reason = target.confidence >= 0 ? "the model's own certainty"
                                          : "the model says nothing about its certainty";
    if (match.confidence < request->min_confidence || is_there_already(out.matches, match)) {
      continue;
    }
    out.matches.push_back(std::move(match));
  }
  if (out.matches.empty()) {
    co_return Error{
        Code::NotFound,
        fmt::format("{} finds no '{}' in the picture", settings_.model, request->description),
        detail_of("not_found", out.tokens)};
  }
  if (request->unique && out.matches.size() > 1) {
    std::string message = fmt::format("{} finds {} that fit", settings_.model, out.matches.size());
    co_return Error{Code::FailedPrecondition, std::move(message),
                    detail_of("ambiguous", out.tokens, std::move(out.matches))};
  }
  co_return out;
}

Task<Result<Reply>> VlmPlugin::describe_in_passes(const VisionDescribeRequest& request,
                                                  const Sent& sent, Life life) {
  const std::string known = known_text(request, settings_.ocr_max_chars);
  const auto model_of = [this](Pass pass) {
    const std::string* wished = nullptr;
    if (pass == Pass::Scene) wished = &settings_.model_fast;
    if (pass == Pass::Actions) wished = &settings_.model_actions;
    if (pass == Pass::Check) wished = &settings_.model_verify;
    return wished == nullptr || wished->empty() ? settings_.model : *wished;
  };
  Reply whole;
  for (const Pass pass : {Pass::Scene, Pass::Controls, Pass::Actions, Pass::Check}) {
    if (const Result<void> allowed = may_ask(); !allowed.ok() && pass != Pass::Scene) break;
    std::string model = model_of(pass);
    std::string prompt = pass_prompt(pass, request.question, known, whole.text);
    const Result<Reply> reply =
        co_await ask_model(life, std::move(model), std::move(prompt), sent.url);
    if (!reply.ok()) co_return reply.error();
    whole.tokens += reply->tokens;
    if (reply->text.empty()) continue;
    if (pass == Pass::Check) {
      whole.text = reply->text;
    } else {
      whole.text += (whole.text.empty() ? "" : "\n\n") + reply->text;
    }
  }
  co_return whole;
}

Task<Result<VisionDescription>> VlmPlugin::describe(Ref<VisionDescribeRequest> request, Life life) {
  const Result<void> allowed = may_ask();
  if (!allowed.ok()) co_return allowed.error();
  const Result<Sent> sent = co_await prepare(request->image, request->region);
  if (!sent.ok()) co_return sent.error();
  Result<Reply> reply = unavailable("");
  if (settings_.mode == "multipass") {
    reply = co_await describe_in_passes(*request, *sent, life);
  } else {
    const std::string known = known_text(*request, settings_.ocr_max_chars);
    std::string prompt = describe_prompt(settings_, request->question, known);
    std::string model = settings_.model;
    reply = co_await ask_model(life, std::move(model), std::move(prompt), sent->url);
  }
  if (!reply.ok()) co_return reply.error();
  VisionDescription out;
  out.text = std::move(reply->text);
  out.route = settings_.model;
  out.tokens = tokens_of(*reply);
  if (request->max_chars > 0 && out.text.size() > static_cast<std::size_t>(request->max_chars)) {
    std::size_t end = static_cast<std::size_t>(request->max_chars);
    while (end > 0 && (static_cast<unsigned char>(out.text[end]) & 0xC0U) == 0x80U) --end;
    out.text.resize(end);
    out.truncated = true;
  }
  co_return out;
}

}  // namespace gantry::vision_vlm
