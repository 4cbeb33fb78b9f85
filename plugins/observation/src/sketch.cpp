// SPDX-License-Identifier: Apache-2.0
#include "sketch.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "sketch_roles.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kLegendNameLimit = 30;
constexpr std::size_t kLegendValueLimit = 20;
constexpr std::size_t kLegendKeyWidth = 4;
constexpr std::size_t kLegendRuleWidth = 50;
constexpr int kLandmarkLeastWidth = 6;
constexpr int kDescriptionLeastRows = 3;
constexpr int kCircledDigits = 20;  // U+2460 ① .. U+2473 ⑳

struct BoxStyle {
  char32_t top_left, top_right, bottom_left, bottom_right, horizontal, vertical;
};
constexpr BoxStyle kUnicodeBox{U'┌', U'┐', U'└', U'┘', U'─', U'│'};
constexpr BoxStyle kAsciiBox{U'+', U'+', U'+', U'+', U'-', U'|'};

/// Character cells; text and edges only go into blank cells, corners and landmark headers anywhere.
class Grid {
 public:
  Grid(int width, int height)
      : width_(width),
        cells_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), U' ') {}

  void put(int x, int y, char32_t c) { cells_[index(x, y)] = c; }
  void put_blank(int x, int y, char32_t c) {
    if (cells_[index(x, y)] == U' ') put(x, y, c);
  }

  /// Letters that were read: into blank cells, and over what was read with less certainty.
  void put_read(int x, int y, char32_t c, double confidence) {
    const std::size_t at = index(x, y);
    if (read_.empty()) read_.resize(cells_.size(), kNotRead);
    if (cells_[at] != U' ' && (read_[at] == kNotRead || read_[at] >= confidence)) return;
    cells_[at] = c;
    read_[at] = confidence;
  }

  /// Rows without trailing blanks, and without blank rows at the end.
  [[nodiscard]] std::vector<std::string> rows() const {
    std::vector<std::string> out;
    const auto width = static_cast<std::size_t>(width_);
    for (std::size_t start = 0; start < cells_.size(); start += width) {
      std::u32string_view row = std::u32string_view(cells_).substr(start, width);
      const auto last = row.find_last_not_of(U' ');
      out.push_back(encode_utf8(row.substr(0, last == std::u32string_view::npos ? 0 : last + 1)));
    }
    while (!out.empty() && out.back().empty()) out.pop_back();
    return out;
  }

 private:
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }
  static constexpr double kNotRead = -1;
  int width_;
  std::u32string cells_;
  std::vector<double> read_;  ///< Certainty by cell; empty until something is read.
};

/// A, B … Z, A1, B1 …
std::string legend_key(std::size_t number) {
  std::string key(1, static_cast<char>('A' + number % 26));
  if (number >= 26) key += std::to_string(number / 26);
  return key;
}

std::u32string tab_badge(int index) {
  if (index <= kCircledDigits) return std::u32string(1, U'①' + static_cast<char32_t>(index - 1));
  return decode_utf8("#" + std::to_string(index));
}

std::string legend_label(const Node& node) {
  std::string label = node.role;
  if (!node.name.empty()) {
    label += " \"" + shorten(node.name, kLegendNameLimit, kLegendNameLimit - 3) + '"';
  }
  if (node.value && !shows_value_as_bar(normalize_role(node.role))) {
    label += " [" + shorten(*node.value, kLegendValueLimit, kLegendValueLimit - 3) + ']';
  }
  if (const std::string badges = sketch_badges(node); !badges.empty()) label += ' ' + badges;
  return label;
}

bool covered_by_later_sibling(const std::vector<Node>& siblings, std::size_t index) {
  const Rect& box = siblings[index].bounds;
  if (box.empty()) return false;
  return std::any_of(siblings.begin() + static_cast<std::ptrdiff_t>(index) + 1, siblings.end(),
                     [&](const Node& later) { return covers(later.bounds, box); });
}

/// Pass 1: legend keys, pruning and tab order.
class Planner {
 public:
  Planner(const SketchOptions& options, std::vector<SketchElement>& out)
      : options_(options), out_(out) {}

  void visit(const Node& node, bool pruned) {
    SketchElement element;
    element.node = &node;
    element.legend_key = legend_key(out_.size());
    element.occluded = pruned;
    if (!pruned && is_focusable_role(normalize_role(node.role))) element.tab_index = ++tab_count_;
    out_.push_back(std::move(element));
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const bool covered = options_.occlusion_prune && covered_by_later_sibling(node.children, i);
      visit(node.children[i], pruned || covered);
    }
  }

 private:
  const SketchOptions& options_;
  std::vector<SketchElement>& out_;
  int tab_count_ = 0;
};

struct Box {
  int x1, y1, x2, y2;
  [[nodiscard]] int inner_width() const { return x2 - x1 - 1; }
  [[nodiscard]] int inner_height() const { return y2 - y1 - 1; }
};

/// Pass 2: boxes, headers, keys and labels.
class Painter {
 public:
  Painter(const Rect& reference, const SketchOptions& options)
      : reference_(reference),
        options_(options),
        style_(options.unicode_box ? kUnicodeBox : kAsciiBox),
        grid_(options.grid_width, options.grid_height) {}

  /// True when the element gets a legend entry.
  bool draw(SketchElement& element) {
    const Node& node = *element.node;
    if (element.occluded || node.bounds.width < 1 || node.bounds.height < 1) return false;
    const Box box = place(node.bounds);
    if (box.x2 <= box.x1 || box.y2 <= box.y1) return false;
    element.bounds_grid = {box.x1, box.y1, box.x2, box.y2};
    const std::string role = normalize_role(node.role);
    draw_edges(box);
    if (options_.landmark_headers) draw_header(box, landmark_label(role), node.name);
    if (box.inner_width() < 1) return false;
    const bool badge = options_.tab_index_badges && element.tab_index.has_value();
    const std::u32string key = decode_utf8(element.legend_key);
    const bool key_fits = box.inner_width() >= static_cast<int>(key.size()) + 1;
    if (key_fits && box.inner_height() >= 1) {
      write(box.x2 - static_cast<int>(key.size()), box.y1 + 1, key, box);
    }
    if (badge && box.inner_height() >= 1) {
      write(box.x1 + 1, box.y1 + 1, tab_badge(*element.tab_index), box);
    }
    if (box.inner_height() < 1 || box.inner_width() < 3) {
      write((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2, std::u32string_view(key).substr(0, 2),
            box);
      return true;
    }
    const int first = box.y1 + (badge || key_fits ? 2 : 1);
    draw_label(box, first < box.y2 ? first : box.y1 + 1, node, role);
    return true;
  }

  [[nodiscard]] std::vector<std::string> rows() const { return grid_.rows(); }

  /// The text stays within the cells that it has on the screen.
  void draw_text(const SketchText& text) {
    if (text.bounds.empty() || !intersects(text.bounds, reference_)) return;
    const int y = row(text.bounds.y + text.bounds.height / 2);
    const int last = column(right_of(text.bounds));
    int x = column(text.bounds.x);
    for (const char32_t c : flatten_whitespace(decode_utf8(text.text))) {
      if (x > last) break;
      if (c != U' ') grid_.put_read(x, y, c, text.confidence);
      ++x;
    }
  }

 private:
  [[nodiscard]] static int cell(std::int64_t position, std::int64_t origin, std::int64_t size,
                                std::int64_t cells) {
    const std::int64_t scaled = (position - origin) * cells / std::max<std::int64_t>(size, 1);
    return static_cast<int>(std::clamp<std::int64_t>(scaled, 0, cells - 1));
  }
  [[nodiscard]] int column(std::int64_t x) const {
    return cell(x, reference_.x, reference_.width, options_.grid_width);
  }
  [[nodiscard]] int row(std::int64_t y) const {
    return cell(y, reference_.y, reference_.height, options_.grid_height);
  }

  [[nodiscard]] Box place(const Rect& bounds) const {
    const int x1 = column(bounds.x);
    const int y1 = row(bounds.y);
    return {x1, y1, std::min(std::max(x1 + 2, column(right_of(bounds))), options_.grid_width - 1),
            std::min(std::max(y1 + 2, row(bottom_of(bounds))), options_.grid_height - 1)};
  }

  void draw_edges(const Box& box) {
    for (int x = box.x1 + 1; x < box.x2; ++x) {
      grid_.put_blank(x, box.y1, style_.horizontal);
      grid_.put_blank(x, box.y2, style_.horizontal);
    }
    for (int y = box.y1 + 1; y < box.y2; ++y) {
      grid_.put_blank(box.x1, y, style_.vertical);
      grid_.put_blank(box.x2, y, style_.vertical);
    }
    grid_.put(box.x1, box.y1, style_.top_left);
    grid_.put(box.x2, box.y1, style_.top_right);
    grid_.put(box.x1, box.y2, style_.bottom_left);
    grid_.put(box.x2, box.y2, style_.bottom_right);
  }

  void draw_header(const Box& box, std::string_view label, const std::string& name) {
    if (label.empty() || box.x2 - box.x1 < kLandmarkLeastWidth) return;
    std::string header = ' ' + std::string(label) + ' ';
    if (!name.empty()) header += '"' + name + "\" ";
    int x = box.x1 + 1;
    for (const char32_t c : decode_utf8(header)) {
      if (x >= box.x2) break;
      grid_.put(x++, box.y1, c);
    }
  }

  /// Text stays right of the left edge and left of the right edge, and never covers anything.
  void write(int x, int y, std::u32string_view text, const Box& box) {
    for (const char32_t c : text) {
      if (x >= box.x2) break;
      if (x > box.x1) grid_.put_blank(x, y, c);
      ++x;
    }
  }

  /// The lines of text inside a box, as many as there may be rows.
  [[nodiscard]] std::vector<std::u32string> label_lines(const Node& node, const std::string& role,
                                                        int width, int rows) const {
    const auto room = static_cast<std::size_t>(width);
    const std::u32string glyph =
        options_.role_glyphs ? role_glyph_line(node, role, width) : std::u32string();
    if (!glyph.empty()) {
      std::vector<std::u32string> lines{glyph};
      if (rows >= kDescriptionLeastRows && node.description) {
        const auto wrapped = wrap_text(flatten_whitespace(decode_utf8(*node.description)), room);
        lines.insert(lines.end(), wrapped.begin(), wrapped.end());
      }
      return lines;
    }
    const std::u32string plain_role = decode_utf8(node.role);
    const std::string badges = sketch_badges(node);
    std::u32string first = badges.empty() ? plain_role : plain_role + U' ' + decode_utf8(badges);
    if (first.size() > room) first = plain_role.substr(0, room);
    std::vector<std::u32string> lines{first};
    if (!node.name.empty()) lines.push_back(quoted_name(node.name, room));
    if (node.value) {
      const auto wrapped = wrap_text(flatten_whitespace(decode_utf8(*node.value)), room);
      lines.insert(lines.end(), wrapped.begin(), wrapped.end());
    }
    return lines;
  }

  [[nodiscard]] static std::u32string quoted_name(const std::string& name, std::size_t room) {
    const std::u32string wide = decode_utf8(name);
    if (wide.size() + 2 <= room) return U'"' + wide + U'"';
    return U'"' + wide.substr(0, room >= 3 ? room - 3 : 0) + U"…\"";
  }

  void draw_label(const Box& box, int first_row, const Node& node, const std::string& role) {
    int y = first_row;
    for (const std::u32string& line :
         label_lines(node, role, box.inner_width(), box.y2 - first_row)) {
      if (y >= box.y2) break;
      write(box.x1 + 1, y++, line, box);
    }
  }

  Rect reference_;
  const SketchOptions& options_;
  BoxStyle style_;
  Grid grid_;
};

constexpr int kMostReadElements = 40;

/// Elements that say nothing of themselves get what was read on them.
void name_unnamed(std::vector<SketchElement>& elements, const std::vector<SketchText>& texts) {
  static constexpr std::string_view kSilent[] = {"image", "graphic", "custom", "group",
                                                 "pane",  "canvas",  "unknown"};
  int left = kMostReadElements;
  for (SketchElement& element : elements) {
    const Node& node = *element.node;
    const std::string role = normalize_role(node.role);
    const bool silent =
        node.name.empty() && !node.hidden &&
        std::find(std::begin(kSilent), std::end(kSilent), role) != std::end(kSilent);
    if (!silent || node.bounds.empty() || left-- <= 0) continue;
    for (const SketchText& text : texts) {
      const Rect& at = text.bounds;
      if (!node.bounds.contains(at.x + at.width / 2, at.y + at.height / 2)) continue;
      element.ocr_text += (element.ocr_text.empty() ? "" : " ") + text.text;
    }
  }
}

std::string legend_text(const std::vector<std::pair<std::string, std::string>>& legend) {
  std::string out = "\n\n  LEGEND\n  ";
  for (std::size_t i = 0; i < kLegendRuleWidth; ++i) out += "─";
  for (const auto& [key, label] : legend) {
    out += "\n  ";
    out.append(kLegendKeyWidth - std::min(kLegendKeyWidth, key.size()), ' ');
    out += key;
    out += "  ";
    out += label;
  }
  return out;
}

}  // namespace

Sketch draw_sketch(const Node& root, const Rect& reference, const SketchOptions& options) {
  Sketch sketch;
  Planner(options, sketch.elements).visit(root, false);
  if (!options.texts.empty()) name_unnamed(sketch.elements, options.texts);
  if (options.grid_width < 1 || options.grid_height < 1) return sketch;
  Painter painter(reference, options);
  for (SketchElement& element : sketch.elements) {
    if (painter.draw(element)) {
      sketch.legend.emplace_back(element.legend_key, legend_label(*element.node));
    }
  }
  for (const SketchText& text : options.texts) painter.draw_text(text);
  const std::vector<std::string> rows = painter.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) sketch.text += '\n';
    sketch.text += rows[i];
  }
  if (!sketch.legend.empty()) sketch.text += legend_text(sketch.legend);
  return sketch;
}

}  // namespace gantry::observation
