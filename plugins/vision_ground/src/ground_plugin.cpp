// SPDX-License-Identifier: Apache-2.0
#include "ground_plugin.hpp"

#include <gantry/errand.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "boxes.hpp"
#include "choose.hpp"
#include "describe.hpp"
#include "phrase.hpp"

namespace gantry::vision_ground {
namespace {

constexpr std::size_t kMostColours = 4096;
/// Below what a model is worth, so that one that works comes first without being configured.
constexpr int kSuitability = 30;

/// Errors that end it: the picture is refused, or nobody waits any more. Others only leave a part
/// out.
bool is_the_end(const Error& error) {
  return error.code == Code::InvalidArgument || error.code == Code::Cancelled;
}

Error took_too_long(std::int64_t limit_ms) {
  return {Code::DeadlineExceeded,
          fmt::format("looking at the picture took longer than {} ms; raise vision_ground.timeout, "
                      "or ask about a part of the picture",
                      limit_ms),
          {}};
}

template <class Request, class Sight>
Sight sight_of(const Request& request) {
  Sight out;
  out.image = request.image;
  out.region = request.region;
  out.words = request.words;
  out.elements = request.elements;
  out.languages = request.languages;
  out.area = request.region.value_or(Rect{0, 0, request.image.width, request.image.height});
  return out;
}

}  // namespace

Result<void> GroundPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(host().bus().serve<VisionLocate>(
      [this](const Ref<VisionLocateRequest>& request, const CallInfo&, Reply<VisionLocate> reply) {
        const auto errand = std::make_shared<Errand>();
        run<VisionLocate>(std::move(reply), errand, locate(request, errand));
      }));
  GANTRY_TRY(
      host().bus().serve<VisionDescribe>([this](const Ref<VisionDescribeRequest>& request,
                                                const CallInfo&, Reply<VisionDescribe> reply) {
        const auto errand = std::make_shared<Errand>();
        run<VisionDescribe>(std::move(reply), errand, describe(request, errand));
      }));
  host().bus().set_suitability(kSuitability, "texts, shapes and colours, without a model");
  return {};
}

Result<void> GroundPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return {};
}

template <class C>
void GroundPlugin::run(Reply<C> reply, const ErrandPtr& errand,
                       Task<Result<typename C::Response>> task) {
  if (std::cmp_greater_equal(running_.size(), settings_.queue)) {
    return reply.fail(Error{Code::ResourceExhausted,
                            fmt::format("{} pictures are being looked at, as many as `queue` "
                                        "allows; ask again when one is done",
                                        running_.size()),
                            {}});
  }
  const auto answer = std::make_shared<Reply<C>>(std::move(reply));
  const auto late = std::make_shared<bool>(false);
  const auto timer = std::make_shared<Timer>(
      host().after(std::chrono::milliseconds(settings_.timeout), [errand, late] {
        *late = true;
        errand->give_up();
      }));
  spawn(
      running_, std::move(task),
      [answer, late, timer, limit = settings_.timeout](Result<typename C::Response> result) {
        if (*late) return answer->fail(took_too_long(limit));  // a part of it was not waited for
        (*answer)(std::move(result));
      },
      [answer](const std::exception_ptr&) {
        answer->fail(Error{Code::ResourceExhausted, "there is not enough memory for this", {}});
      });
  answer->on_cancel([errand] { errand->give_up(); });
}

Task<Result<Done>> GroundPlugin::read(Sight& sight) {
  if (!sight.words.empty()) co_return Done{};
  OcrRequest wish;
  wish.image = sight.image;
  wish.region = sight.region;
  wish.languages = sight.languages;
  wish.min_confidence = 30;
  const auto answer = co_await ask<OcrRead>(host(), sight.errand, std::move(wish), kCallersLimit);
  if (answer.ok()) {
    sight.words = (*answer)->words;
  } else if (is_the_end(answer.error())) {
    co_return answer.error();
  } else {
    sight.no_text = answer.error();
  }
  co_return Done{};
}

Task<Result<Done>> GroundPlugin::look(Sight& sight) {
  const Result<Done> read_it = co_await read(sight);
  if (!read_it.ok()) co_return read_it.error();
  VisionDetectRequest wish;
  wish.image = sight.image;
  wish.region = sight.region;
  wish.words = sight.words;
  const auto answer =
      co_await ask<VisionDetect>(host(), sight.errand, std::move(wish), kCallersLimit);
  std::vector<VisualElement> seen;
  if (answer.ok()) {
    seen = (*answer)->elements;
  } else if (is_the_end(answer.error())) {
    co_return answer.error();
  } else if (sight.words.empty() && sight.elements.empty()) {
    const Error& why = sight.no_text.code == Code::Unknown ? answer.error() : sight.no_text;
    co_return Error{Code::Unavailable,
                    "nothing is known of the picture: it can neither be read nor searched for "
                    "controls: " +
                        why.message,
                    {}};
  }
  sight.things = gather(sight.elements, seen, sight.words);
  std::erase_if(sight.things,
                [&](const Thing& thing) { return !middle_in(thing.box, sight.area); });
  co_return Done{};
}

Task<std::vector<VisionColour>> GroundPlugin::colours(const Sight& sight, bool of_things) {
  VisionColoursRequest wish;
  wish.image = sight.image;
  if (!of_things) {
    wish.regions.push_back(sight.area);
  } else {
    for (const Thing& thing : sight.things) {
      if (wish.regions.size() < kMostColours) wish.regions.push_back(thing.box);
    }
  }
  if (wish.regions.empty()) co_return std::vector<VisionColour>{};
  const auto answer =
      co_await ask<VisionColours>(host(), sight.errand, std::move(wish), kCallersLimit);
  if (!answer.ok()) co_return std::vector<VisionColour>{};
  co_return (*answer)->colours;
}

Task<Result<VisionLocateResult>> GroundPlugin::locate(Ref<VisionLocateRequest> request,
                                                      ErrandPtr errand) {
  const Result<Phrase> phrase = parse(request->description);
  if (!phrase.ok()) co_return phrase.error();
  Sight sight = sight_of<VisionLocateRequest, Sight>(*request);
  sight.errand = std::move(errand);
  const Result<Done> looked = co_await look(sight);
  if (!looked.ok()) co_return looked.error();
  const auto wants_colour = [](const Phrase& one) { return !one.colour.empty(); };
  const bool of_anchor = phrase->anchor != nullptr && wants_colour(*phrase->anchor);
  if (wants_colour(*phrase) || of_anchor) {
    const std::vector<VisionColour> found = co_await colours(sight, true);
    for (std::size_t i = 0; i < found.size() && i < sight.things.size(); ++i) {
      sight.things[i].colour = found[i].name;
    }
  }
  Wanted wanted;
  wanted.area = sight.area;
  wanted.min_confidence = std::max(settings_.min_confidence, request->min_confidence);
  wanted.max_results = request->max_results;
  wanted.unique = request->unique;
  auto work = [&]() -> Result<VisionLocateResult> {
    auto matches = choose(*phrase, sight.things, wanted);
    if (!matches.ok()) return matches.error();
    return VisionLocateResult{std::move(*matches), "rules"};
  };
  Result<VisionLocateResult> chosen = co_await aside<Result<VisionLocateResult>>(host(), work);
  const bool unread = sight.no_text.code != Code::Unknown && !phrase->text.empty();
  if (!chosen.ok() && chosen.error().code == Code::NotFound && unread) {
    co_return Error{
        Code::Unavailable,
        "the description names a text, and the picture cannot be read: " + sight.no_text.message,
        chosen.error().detail};
  }
  co_return chosen;
}

Task<Result<VisionDescription>> GroundPlugin::describe(Ref<VisionDescribeRequest> request,
                                                       ErrandPtr errand) {
  Sight sight = sight_of<VisionDescribeRequest, Sight>(*request);
  sight.errand = std::move(errand);
  const Result<Done> looked = co_await look(sight);
  if (!looked.ok()) co_return looked.error();
  const std::vector<VisionColour> found = co_await colours(sight, false);
  const VisionColour ground = found.empty() ? VisionColour{} : found.front();
  co_return description_of(sight.things, sight.area, ground, request->max_chars);
}

}  // namespace gantry::vision_ground
