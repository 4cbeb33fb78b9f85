// SPDX-License-Identifier: Apache-2.0
// get_screen_description: a window in words, by all that can say something of it (observer contract
// 1.4, description, and 2.6).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ocr.hpp"
#include "prose.hpp"
#include "senses.hpp"
#include "tools.hpp"
#include "vision.hpp"
#include "window_tree.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kCharsPerToken = 4;  // as cut_to_tokens() counts

/// A section, or in its place why there is none.
struct Section {
  std::string text;
  std::string error_code;  ///< On the wire; empty: it is there.
};

Section missing(std::string_view name, const ObserverSense& sense) {
  return {unavailable_section(name, sense),
          std::string(fault_row(Fault::PlatformUnsupported).name)};
}

Section failed_section(std::string_view name, const Failure& why) {
  return {fmt::format("[{} failed: {}]", name, why.message),
          std::string(fault_row(why.fault).name)};
}

/// The recognised text of the window; what was read is kept in `reading`.
Task<Section> ocr_section(Engine& engine, const WindowInfo& window,
                          std::optional<OcrReading>& reading) {
  const ObserverSense sense = co_await ocr_now(engine);
  if (!sense.available) co_return missing("OCR", sense);
  OcrQuery query;
  query.window = window;
  const Outcome<OcrReading> read = co_await read_window(engine, std::move(query));
  if (!read.ok()) co_return failed_section("OCR", read.failure());
  reading = *read;
  co_return Section{lines_of(read->words), {}};
}

/// What a vision model, or what stands in for one, says of the window's picture.
Task<Section> vlm_section(Engine& engine, const ToolCall& call, DescribeWish wish,
                          PictureWords& said) {
  const ObserverSense sense = co_await vlm_now(engine);
  if (!sense.available) co_return missing("Vision model", sense);
  const Outcome<PictureWords> words = co_await describe_window(engine, call, std::move(wish));
  if (!words.ok()) co_return failed_section("Vision model", words.failure());
  said = *words;
  co_return Section{words->text, {}};
}

std::int32_t most_chars(std::int64_t max_tokens) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / kCharsPerToken;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(max_tokens, 0, kMost) * kCharsPerToken);
}

/// The sections of one answer, apart and together.
class Sections {
 public:
  Sections(JsonObject& out, std::int64_t max_tokens)
      : out_(out), max_tokens_(static_cast<long>(max_tokens)) {}

  void add(std::string_view key, const Section& section) {
    if (!whole_.empty()) whole_ += "\n\n";
    whole_ += fmt::format("[{}]\n{}", key, section.text);
    out_.add(key, cut_to_tokens(section.text, max_tokens_).text);
  }

  void finish() {
    const CutText cut = cut_to_tokens(std::move(whole_), max_tokens_);
    out_.add("description", cut.text);
    out_.add("truncated", cut.truncated);
  }

 private:
  JsonObject& out_;
  long max_tokens_;
  std::string whole_;
};

Task<ToolOutcome> get_screen_description(Engine& engine, const ToolCall& call) {
  const Outcome<WindowTree> seen = co_await chosen_tree(engine, call, Freshness::Cached);
  if (!seen.ok()) co_return seen.failure();
  const ChosenWindow& window = seen->window;
  const WindowInfo& info = window.info;

  const std::shared_ptr<const Tree> tree = seen->capture.tree;
  const Node* root = &tree->root;
  const std::string focus = call.arguments.text("focus_element");
  if (!focus.empty()) {
    if (const Node* found = find_by_id(*root, focus)) root = found;
  }
  const std::int64_t max_tokens = call.arguments.integer_or_nothing("max_tokens").value_or(0);

  JsonObject out;
  Sections sections(out, max_tokens);
  sections.add("accessibility",
               {describe_tree({info.process, info.title, info.bounds}, *root), {}});
  std::optional<OcrReading> reading;
  if (engine.settings.ocr.enabled) {
    const Section section = co_await ocr_section(engine, info, reading);
    sections.add("ocr", section);
  }
  if (engine.settings.vlm.enabled) {
    DescribeWish wish{info, tree, {}, std::move(reading), most_chars(max_tokens)};
    if (root != &tree->root && !root->bounds.empty()) wish.area = root->bounds;
    PictureWords said;
    const Section section = co_await vlm_section(engine, call, std::move(wish), said);
    sections.add("vlm", section);
    out.add_if("vlm_route", said.route);
    out.add_if("vlm_error_code", section.error_code);
  }

  sections.finish();
  out.add("mode", "combined");
  out.add("effective_mode", "combined");
  out.add("window", info.title);
  out.add("window_uid", info.uid);
  out.add_if("warning", window.warning);
  co_return out;
}

constexpr Parameter kDescription[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"max_tokens", ParameterType::Integer, "Length limit, four characters to a token."},
    {"focus_element", ParameterType::String,
     "Id of the element to describe; the whole window when unknown."},
    {"mode", ParameterType::String,
     "Taken for old clients, without effect: every source that there is is combined.", false,
     "accessibility|ocr|vlm|combined|auto"},
};

constexpr Tool kDescriptionTools[] = {
    {"get_screen_description", get_screen_description, ToolKind::Read, true,
     "Describes a window in words: by its tree, the text in its pixels and, where that is switched "
     "on, what a vision model says of it.",
     kDescription},
};

}  // namespace

std::span<const Tool> description_tools() { return kDescriptionTools; }

}  // namespace gantry::observation
