// SPDX-License-Identifier: Apache-2.0
#include "knowledge.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "boxes.hpp"
#include "words.hpp"

namespace gantry::vision_ground {
namespace {

constexpr double kSame = 0.5;     // of the area of both
constexpr int kLabelReach = 260;  // pixels from a field to the text that names it
constexpr int kToggleReach = 40;  // from a check box to its text
constexpr int kAboveReach = 14;   // from a field to the text over it
constexpr int kMark = 30;         // pixels; check boxes and icons are not larger
constexpr std::size_t kMost = 5000;

std::int64_t area(const Rect& box) { return std::int64_t{box.width} * box.height; }

Rect common(const Rect& a, const Rect& b) {
  const std::int32_t x = std::max(a.x, b.x);
  const std::int32_t y = std::max(a.y, b.y);
  const std::int32_t right = std::min(a.x + a.width, b.x + b.width);
  const std::int32_t bottom = std::min(a.y + a.height, b.y + b.height);
  return right > x && bottom > y ? Rect{x, y, right - x, bottom - y} : Rect{};
}

double overlap(const Rect& a, const Rect& b) {
  const auto both = static_cast<double>(area(common(a, b)));
  return both / std::max(1.0, static_cast<double>(area(a)) + static_cast<double>(area(b)) - both);
}

bool is_field(const Thing& thing) {
  return thing.role == "Edit" || thing.role == "ComboBox" || thing.role == "SpinButton" ||
         (thing.role.empty() && thing.kind == "control" && thing.text.empty());
}

/// Also what may be one: a ticked box is an icon to the eye.
bool is_toggle(const Thing& thing) {
  const bool small = thing.kind == "icon" && std::max(thing.box.width, thing.box.height) <= 26;
  return small || thing.role == "CheckBox" || thing.role == "RadioButton" || thing.role == "Switch";
}

Thing thing_of(const VisualElement& element) {
  Thing out;
  out.box = element.bbox;
  out.kind = element.kind.empty() ? "control" : element.kind;
  out.role = element.role;
  out.text = element.text;
  out.plain_text = plain(element.text);
  out.certain = std::clamp(element.confidence, 0.0, 1.0);
  out.source = element.source.empty() ? "a11y" : element.source;
  return out;
}

void add_source(Thing& thing, std::string_view source) {
  if (thing.source.find(source) == std::string::npos) thing.source += "+" + std::string(source);
}

/// The thing that this box is already; none: nullptr.
Thing* same_as(std::vector<Thing>& things, const Rect& box) {
  Thing* best = nullptr;
  double most = kSame;
  for (Thing& thing : things) {
    const double now = overlap(thing.box, box);
    if (now < most) continue;
    most = now;
    best = &thing;
  }
  return best;
}

/// The smallest control that has a line's middle on it.
Thing* carrier_of(std::vector<Thing>& things, const Rect& line) {
  Thing* best = nullptr;
  for (Thing& thing : things) {
    if (thing.kind == "region" || thing.kind == "text" || !middle_in(line, thing.box)) continue;
    if (area(thing.box) < area(line) / 2) continue;
    if (best == nullptr || area(thing.box) < area(best->box)) best = &thing;
  }
  return best;
}

/// A list or a page is not named by one of the many lines on it.
bool takes_text(const Thing& thing, const Rect& line) {
  return thing.box.height <= line.height * 5 || area(thing.box) <= area(line) * 12;
}

struct Label {
  const VisualElement* line = nullptr;
  int distance = 0;

  void offer(const VisualElement& other, int how_far) {
    if (line != nullptr && distance <= how_far) return;
    line = &other;
    distance = how_far;
  }
};

bool same_row(const Rect& a, const Rect& b) {
  const Rect shared = common({0, a.y, 1, a.height}, {0, b.y, 1, b.height});
  return shared.height * 2 >= std::min(a.height, b.height);
}

/// The text that names a control: of a check box to its right, of a field to its left or above it.
const VisualElement* label_of(const Thing& thing, const std::vector<VisualElement>& lines) {
  Label best;
  const Rect& box = thing.box;
  for (const VisualElement& line : lines) {
    const Rect& at = line.bbox;
    if (middle_in(at, box)) continue;
    if (is_toggle(thing)) {
      const int gap = at.x - (box.x + box.width);
      if (same_row(box, at) && gap >= -2 && gap <= kToggleReach) best.offer(line, gap);
      continue;
    }
    const int gap = box.x - (at.x + at.width);
    if (same_row(box, at) && gap >= -2 && gap <= kLabelReach) best.offer(line, gap);
    const int over = box.y - (at.y + at.height);
    if (over >= -2 && over <= kAboveReach && std::abs(at.x - box.x) <= 24) best.offer(line, over);
  }
  return best.line;
}

/// Whether another control is between a label and what it would name.
bool is_taken(const std::vector<Thing>& things, const Thing& thing, const Rect& label) {
  const Rect& box = thing.box;
  const std::int32_t from = std::min(label.x + label.width, box.x + box.width);
  const std::int32_t to = std::max(label.x, box.x);
  const Rect between{from, std::max(label.y, box.y), to - from,
                     std::max(1, std::min(label.height, box.height) / 2)};
  return std::any_of(things.begin(), things.end(), [&](const Thing& other) {
    return &other != &thing && other.kind == "control" && !common(other.box, between).empty() &&
           !middle_in(label, other.box);
  });
}

/// Check boxes first: what names one of them names no field besides.
void give_labels(std::vector<Thing>& things, std::vector<VisualElement> lines) {
  for (const bool toggles : {true, false}) {
    for (Thing& thing : things) {
      if (toggles ? !is_toggle(thing) : is_toggle(thing) || !is_field(thing)) continue;
      const VisualElement* line = label_of(thing, lines);
      if (line == nullptr || is_taken(things, thing, line->bbox)) continue;
      thing.label = plain(line->text);
      add_source(thing, "ocr");
      if (toggles) lines.erase(lines.begin() + (line - lines.data()));
    }
  }
}

/// The smallest control that has a word's middle on it, counted from 1; 0: none.
std::int32_t control_under(const std::vector<Thing>& things, const Rect& word) {
  std::size_t best = things.size();
  for (std::size_t i = 0; i < things.size(); ++i) {
    const Thing& thing = things[i];
    if (thing.kind == "region" || thing.kind == "text" || !middle_in(word, thing.box)) continue;
    if (best == things.size() || area(thing.box) < area(things[best].box)) best = i;
  }
  return best == things.size() ? 0 : static_cast<std::int32_t>(best) + 1;
}

/// Words of different controls are never one line, however close they stand.
std::vector<OcrWord> parted_by_control(std::vector<OcrWord> words,
                                       const std::vector<Thing>& things) {
  const auto count = static_cast<std::int32_t>(things.size()) + 1;
  for (OcrWord& word : words) {
    const std::int32_t line = std::clamp(word.line, 0, 100'000);
    word.line = line * count + control_under(things, word.bbox);
  }
  return words;
}

/// Without the signs that small boxes are read as, beside the text that names them.
std::vector<OcrWord> without_marks(const std::vector<OcrWord>& words,
                                   const std::vector<VisualElement>& seen) {
  std::vector<OcrWord> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const OcrWord& word = words[i];
    const bool alone = (i == 0 || words[i - 1].line != word.line) &&
                       (i + 1 == words.size() || words[i + 1].line != word.line);
    const bool mark = std::any_of(seen.begin(), seen.end(), [&](const VisualElement& element) {
      return std::max(element.bbox.width, element.bbox.height) <= kMark &&
             middle_in(word.bbox, element.bbox);
    });
    if (alone || !mark) out.push_back(word);
  }
  return out;
}

}  // namespace

std::vector<VisualElement> lines_of(const std::vector<OcrWord>& words) {
  std::vector<VisualElement> out;
  const OcrWord* last = nullptr;
  std::size_t count = 0;
  for (const OcrWord& word : words) {
    const bool goes_on =
        last != nullptr && last->line == word.line &&
        word.bbox.x - (last->bbox.x + last->bbox.width) <= std::max(word.bbox.height, 8) * 9 / 10 &&
        word.bbox.x >= last->bbox.x;
    if (!goes_on) {
      if (out.size() >= kMost) break;
      VisualElement line;
      line.bbox = word.bbox;
      line.kind = "text";
      line.text = word.text;
      line.confidence = word.confidence / 100;
      line.source = "ocr";
      out.push_back(std::move(line));
      count = 1;
    } else {
      VisualElement& line = out.back();
      const std::int32_t right =
          std::max(line.bbox.x + line.bbox.width, word.bbox.x + word.bbox.width);
      const std::int32_t bottom =
          std::max(line.bbox.y + line.bbox.height, word.bbox.y + word.bbox.height);
      line.bbox.y = std::min(line.bbox.y, word.bbox.y);
      line.bbox.width = right - line.bbox.x;
      line.bbox.height = bottom - line.bbox.y;
      line.text += " " + word.text;
      line.confidence = (line.confidence * static_cast<double>(count) + word.confidence / 100) /
                        static_cast<double>(count + 1);
      ++count;
    }
    last = &word;
  }
  return out;
}

std::vector<Thing> gather(const std::vector<VisualElement>& known,
                          const std::vector<VisualElement>& seen,
                          const std::vector<OcrWord>& words) {
  std::vector<Thing> out;
  for (const VisualElement& element : known) {
    if (!element.bbox.empty() && out.size() < kMost) out.push_back(thing_of(element));
  }
  const std::size_t of_tree = out.size();
  for (const VisualElement& element : seen) {
    Thing* same = of_tree > 0 ? same_as(out, element.bbox) : nullptr;
    if (same != nullptr) {
      add_source(*same, "vision");
    } else if (out.size() < kMost) {
      out.push_back(thing_of(element));
      // The lines are put on it below, from the words themselves.
      out.back().text.clear();
      out.back().plain_text.clear();
    }
  }
  const std::vector<VisualElement> lines =
      lines_of(parted_by_control(without_marks(words, seen), out));
  std::vector<VisualElement> alone;
  for (const VisualElement& line : lines) {
    Thing* carrier = carrier_of(out, line.bbox);
    if (carrier != nullptr && takes_text(*carrier, line.bbox)) {
      if (carrier->source.find("a11y") == std::string::npos || carrier->text.empty()) {
        carrier->text += (carrier->text.empty() ? "" : " ") + line.text;
        carrier->plain_text = plain(carrier->text);
      }
      add_source(*carrier, "ocr");
      continue;
    }
    alone.push_back(line);
  }
  give_labels(out, alone);
  for (const VisualElement& line : alone) {
    if (out.size() < 2 * kMost) out.push_back(thing_of(line));
  }
  return out;
}

}  // namespace gantry::vision_ground
