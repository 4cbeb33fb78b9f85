// SPDX-License-Identifier: Apache-2.0
#include "sight.hpp"

#include <gantry/ask.hpp>
#include <gantry/codec.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/vision.hpp>
#include <gantry/llm/json.hpp>
#include <gantry/picture/decode.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "grounding.hpp"
#include "guarded_deed.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;

constexpr std::int32_t kMostMatches = 10;
/// A model on a small machine thinks for minutes; the engine's own limit ends it before.
constexpr auto kLongestSearch = std::chrono::minutes(5);

struct Picture {
  Image image;
  Rect area;  ///< What it shows, screen pixels.
};

PictureMatches none(std::string code, std::string message) {
  return {{}, std::move(code), std::move(message)};
}

Rect rect_of(const json::value& value) {
  const auto side = [&](std::string_view name) {
    return static_cast<std::int32_t>(llm::number_of(value, name).value_or(0));
  };
  return {side("x"), side("y"), side("width"), side("height")};
}

Result<Picture> picture_in(const json::object& answer) {
  const json::value value(answer);
  GANTRY_ASSIGN(const auto file, codec::read_base64(llm::text_of(value, "data")));
  GANTRY_ASSIGN(picture::DecodedPicture decoded, picture::decode(file));
  Picture out{std::move(decoded.image), {}};
  if (const json::value* bounds = llm::member(value, "bounds")) out.area = rect_of(*bounds);
  if (out.area.empty()) out.area = {0, 0, out.image.width, out.image.height};
  return out;
}

/// From one side's pixels to the other's, of which there are `to` for each `from`.
std::int32_t scaled(std::int64_t at, std::int32_t to, std::int32_t from) {
  return static_cast<std::int32_t>(at * to / std::max(1, from));
}

/// The words of the window in the picture's pixels.
std::vector<OcrWord> words_in(const Picture& picture, const json::object& answer) {
  std::vector<OcrWord> out;
  for (const Word& word : read_words(answer)) {
    const Rect& area = picture.area;
    const Rect at{scaled(word.x - area.x, picture.image.width, area.width),
                  scaled(word.y - area.y, picture.image.height, area.height),
                  scaled(word.width, picture.image.width, area.width),
                  scaled(word.height, picture.image.height, area.height)};
    out.push_back({word.text, 100, at, static_cast<std::int32_t>(word.line)});
  }
  return out;
}

/// `texts` are told only where they are words that the observer gave.
Target target_of(const VisionMatch& match, const Picture& picture, const std::string& window_uid,
                 bool texts) {
  Target out;
  out.window_uid = window_uid;
  out.x = picture.area.x + scaled(match.x, picture.area.width, picture.image.width);
  out.y = picture.area.y + scaled(match.y, picture.area.height, picture.image.height);
  out.words = !match.role.empty() ? match.role : match.kind.empty() ? "something" : match.kind;
  if (texts && !match.text.empty()) out.words += " \"" + match.text + '"';
  out.words += " at (" + std::to_string(out.x) + ", " + std::to_string(out.y) + ')';
  out.method = "description";
  out.source = match.source;
  return out;
}

/// The matches of an error's detail; none when it has none.
std::vector<VisionMatch> matches_of(const Error& error) {
  const json::value detail = llm::parse_or_null(error.detail);
  std::vector<VisionMatch> out;
  if (llm::text_of(detail, "reason") != "ambiguous") return out;
  for (const json::value& entry : llm::array_of(detail, "matches")) {
    VisionMatch match;
    match.x = static_cast<std::int32_t>(llm::number_of(entry, "x").value_or(0));
    match.y = static_cast<std::int32_t>(llm::number_of(entry, "y").value_or(0));
    match.kind = llm::text_of(entry, "kind");
    match.role = llm::text_of(entry, "role");
    match.text = llm::text_of(entry, "text");
    match.source = llm::text_of(entry, "source");
    out.push_back(std::move(match));
  }
  return out;
}

/// What a model counted, whatever came of it.
std::int32_t tokens_of(const Result<Ref<VisionLocateResult>>& found) {
  if (found.ok()) return (*found)->tokens;
  const json::value detail = llm::parse_or_null(found.error().detail);
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(llm::number_of(detail, "tokens").value_or(0), 0, INT32_MAX));
}

bool provides(const PluginInfo& plugin) {
  return std::find(plugin.provides.begin(), plugin.provides.end(), VisionLocate::kName) !=
         plugin.provides.end();
}

bool can_search(const PluginInfoList& plugins) {
  return std::any_of(plugins.plugins.begin(), plugins.plugins.end(), [](const PluginInfo& plugin) {
    const bool alive = plugin.state == "running" || plugin.state == "lazy";
    return alive && plugin.suitability != 0 && provides(plugin);
  });
}

/// In the words of a plugin that would and cannot.
std::string why_not(const PluginInfoList& plugins) {
  for (const PluginInfo& plugin : plugins.plugins) {
    if (plugin.state == "running" && provides(plugin)) return plugin.suitability_reason;
  }
  return "no plugin here serves gantry.vision.locate/1; enable vision_ground, or vision_vlm with a "
         "model";
}

PictureMatches failure_of(const Error& error) {
  switch (error.code) {
    case Code::NotFound: return none("ElementNotFound", "nothing in the picture fits");
    case Code::FailedPrecondition:
      return none("AmbiguousTarget", "several things in the picture fit: " + error.message);
    case Code::InvalidArgument: return none("BadRequest", error.message);
    case Code::DeadlineExceeded:
      return none("Timeout", "the picture was not searched in time: " + error.message);
    case Code::Unavailable:
      return none("PlatformUnsupported", "the picture cannot be searched for it: " + error.message +
                                             "; use the words that it shows (ocr_text) or a point");
    default:
      return none(std::string(code_name(error.code)),
                  "the picture could not be searched: " + error.message);
  }
}

}  // namespace

Task<PictureMatches> look_for(Run& run, std::string window_uid, std::string description) {
  Nothing nothing;
  CallOptions quick;
  const auto plugins = co_await run.call<KernelPlugins>(nothing, quick);
  // A picture that nobody searches would only use up a budget.
  if (plugins.ok() && !can_search(**plugins)) {
    co_return failure_of(unavailable(why_not(**plugins)));
  }
  json::object wanted{{"window_uid", window_uid}, {"image_format", "png"}};
  json::object named{{"window_uid", window_uid}};
  std::string shoot = "get_screenshot";
  const Seen shot = co_await run.observe(std::move(shoot), std::move(wanted));
  if (!shot.ok) {
    co_return none(shot.code, "the picture of its window cannot be taken: " + shot.message);
  }
  auto work = [&shot] { return picture_in(shot.answer); };
  const Result<Picture> picture = co_await aside<Result<Picture>>(run.desk().host, work);
  if (!picture.ok()) co_return none("Internal", "the observer answered without a picture");
  // Without its words whoever searches the picture reads it, if anything can.
  std::string reader = "get_ocr";
  const Seen read = co_await run.observe(std::move(reader), std::move(named));

  VisionLocateRequest request;
  request.image = picture->image;
  request.description = std::move(description);
  request.max_results = kMostMatches;
  request.unique = true;
  if (read.ok) request.words = words_in(*picture, read.answer);
  const bool known = !request.words.empty();
  std::string looked_by = "get_screenshot";
  const GuardVerdict model = co_await admit_model(run, std::move(looked_by));
  const bool spent = model.code == "BudgetExceeded";
  if (!model.allowed && !spent) co_return none(model.code, model.message);
  request.model_allowed = model.allowed;
  CallOptions options;
  options.timeout = kLongestSearch;
  const auto found = co_await run.call<VisionLocate>(std::move(request), std::move(options));
  std::string problem = found.ok() ? std::string() : failure_of(found.error()).code;
  charge_model(run, found.ok(), std::move(problem), tokens_of(found));
  if (spent && !found.ok() && found.error().code == Code::ResourceExhausted) {
    co_return none(model.code, "a model would have to look at the picture: " + model.message);
  }
  std::vector<VisionMatch> matches;
  if (found.ok()) {
    // Asked for the only one, a provider answers with it alone.
    if (!(*found)->matches.empty()) matches.push_back((*found)->matches.front());
    if (matches.empty()) co_return none("ElementNotFound", "nothing in the picture fits");
  } else {
    matches = matches_of(found.error());
    if (matches.empty()) co_return failure_of(found.error());
  }
  PictureMatches out;
  for (const VisionMatch& match : matches) {
    const bool texts = known && match.source.find("vlm") == std::string::npos;
    out.targets.push_back(target_of(match, *picture, window_uid, texts));
  }
  co_return out;
}

}  // namespace gantry::desk
