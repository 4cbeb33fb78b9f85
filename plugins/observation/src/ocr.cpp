// SPDX-License-Identifier: Apache-2.0
#include "ocr.hpp"

#include <algorithm>
#include <span>

#include "geometry.hpp"
#include "vision.hpp"

namespace gantry::observation {
namespace {

/// The words of one line with blanks between them.
std::string joined(std::span<const OcrWord> line) {
  std::string out;
  for (const OcrWord& word : line) {
    if (!out.empty()) out += ' ';
    out += word.text;
  }
  return out;
}

/// Calls `visit` with the words of each line.
template <class Words, class Visit>
void for_each_line(Words& words, Visit visit) {
  for (auto first = words.begin(); first != words.end();) {
    const auto last = std::find_if(first, words.end(),
                                   [&](const OcrWord& word) { return word.line != first->line; });
    visit(std::span(first, last));
    first = last;
  }
}

/// Replaces the words that lie on hidden elements. Screenshots show those unless they are painted
/// over too, but text that is hidden in trees must not come back as text.
Task<Outcome<bool>> hide_elements(Engine& engine, const WindowInfo& window, OcrReading& reading) {
  const Outcome<TreeCapture> capture = co_await engine.trees.reported(window, Freshness::Cached);
  if (!capture.ok()) {
    // One without a tree has no elements; one that does not answer may have any.
    if (capture.failure().fault != Fault::Timeout || !engine.redaction.active()) co_return true;
    co_return capture.failure();
  }
  std::vector<Rect> hidden;
  walk(capture->tree->root, [&](const Node& node, int) {
    if (node.hidden != nullptr || is_password(node)) hidden.push_back(node.bounds);
  });
  for (OcrWord& word : reading.words) {
    const Rect at = on_screen(word.bbox, reading);
    const bool covered = std::any_of(hidden.begin(), hidden.end(),
                                     [&](const Rect& area) { return intersects(area, at); });
    if (covered) word.text = engine.redaction.rules().replacement;
  }
  co_return true;
}

}  // namespace

Task<ObserverSense> ocr_now(Engine& engine) {
  const Answer<PluginInfoList> plugins = co_await engine.desktop.plugins();
  note_senses(engine, plugins);
  co_return ocr_sense(engine.settings, engine.reader);
}

void redact_words(std::vector<OcrWord>& words, Redaction& redaction, std::string_view title) {
  const std::string& replacement = redaction.rules().replacement;
  if (redaction.hides_window(title)) {
    for (OcrWord& word : words) word.text = replacement;
    return;
  }
  for_each_line(words, [&](std::span<OcrWord> line) {
    const std::string whole = redaction.text(joined(line));
    for (OcrWord& word : line) word.text = redaction.text(word.text);
    if (joined(line) == whole) return;
    for (OcrWord& word : line) word.text = replacement;
  });
}

Rect on_screen(const Rect& part, const OcrReading& reading) {
  const auto scaled = [](std::int64_t at, std::int32_t screen, std::int32_t pixels) {
    return static_cast<std::int32_t>(at * screen / std::max(1, pixels));
  };
  const Rect& area = reading.area;
  return {area.x + scaled(part.x, area.width, reading.width),
          area.y + scaled(part.y, area.height, reading.height),
          scaled(part.width, area.width, reading.width),
          scaled(part.height, area.height, reading.height)};
}

std::vector<SeenLine> seen_lines(const OcrReading& reading) {
  std::vector<SeenLine> out;
  const OcrWord* last = nullptr;
  int count = 0;
  for (const OcrWord& word : reading.words) {
    const Rect at = on_screen(word.bbox, reading);
    const bool goes_on = last != nullptr && last->line == word.line &&
                         word.bbox.x >= last->bbox.x &&
                         word.bbox.x - right_of(last->bbox) <= std::max(word.bbox.height, 8);
    last = &word;
    if (!goes_on) {
      out.push_back({word.text, word.confidence, at});
      count = 1;
      continue;
    }
    SeenLine& line = out.back();
    line.text += ' ' + word.text;
    line.confidence = (line.confidence * count + word.confidence) / (count + 1);
    line.bounds = united(line.bounds, at);
    ++count;
  }
  return out;
}

std::string lines_of(const std::vector<OcrWord>& words) {
  std::string out;
  for_each_line(words, [&](std::span<const OcrWord> line) {
    if (!out.empty()) out += '\n';
    out += joined(line);
  });
  return out;
}

Task<Outcome<OcrReading>> read_window(Engine& engine, OcrQuery query) {
  CaptureRequest request;
  request.target = CaptureTarget::Window;
  request.handle = query.window.handle;
  const Outcome<Ref<Capture>> capture = co_await take_picture(engine, std::move(request));
  if (!capture.ok()) co_return capture.failure();
  Crop cut;
  std::function<void()> work = [&] { cut = crop(**capture, query.wish); };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) co_return failure(Fault::Internal, done.error().message);

  OcrRequest reading;
  reading.image = cut.image;
  reading.languages = std::move(query.languages);
  reading.min_confidence = query.min_confidence;
  reading.mode = query.mode;
  const Answer<OcrResult> answer = co_await engine.desktop.read_text(std::move(reading));
  if (!answer.ok()) co_return failure_from(answer.error());
  OcrReading out{(*answer)->words, cut.image.width,  cut.image.height, cut.area,
                 cut.source_bbox,  (*answer)->route, cut.warning,      cut.image};
  // A provider may know its certainty only afterwards.
  std::erase_if(out.words, [&](const OcrWord& word) {
    return word.text.empty() || word.confidence < query.min_confidence;
  });
  redact_words(out.words, engine.redaction,
               engine.shield.true_title(query.window.handle, query.window.title));
  const Outcome<bool> hidden = co_await hide_elements(engine, query.window, out);
  if (!hidden.ok()) co_return hidden.failure();
  co_return out;
}

}  // namespace gantry::observation
