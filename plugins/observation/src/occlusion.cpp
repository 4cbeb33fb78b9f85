// SPDX-License-Identifier: Apache-2.0
#include "occlusion.hpp"

#include <algorithm>

namespace gantry::observation {
namespace {

// Observer contract 2.8 and 2.9.
constexpr Rect kWholeSpace{0, 0, 65535, 65535};
constexpr std::int32_t kLeftMargin = 90;    // room for an icon or menu in the title bar
constexpr std::int32_t kRightMargin = 160;  // room for the buttons
constexpr std::int32_t kNarrow = 260;
constexpr std::int32_t kTitleDepth = 12;

Rect from_edges(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom) {
  return {static_cast<std::int32_t>(left), static_cast<std::int32_t>(top),
          static_cast<std::int32_t>(right - left), static_cast<std::int32_t>(bottom - top)};
}

void add_strip(std::vector<Rect>& out, const Rect& strip) {
  if (!strip.empty()) out.push_back(strip);
}

/// The strips of `whole` around `cover`, which lies inside it.
void cut(const Rect& whole, const Rect& cover, std::vector<Rect>& out) {
  const auto left = std::int64_t{whole.x};
  const auto top = std::int64_t{whole.y};
  add_strip(out, from_edges(left, top, right_of(whole), cover.y));
  add_strip(out, from_edges(left, bottom_of(cover), right_of(whole), bottom_of(whole)));
  add_strip(out, from_edges(left, cover.y, cover.x, bottom_of(cover)));
  add_strip(out, from_edges(right_of(cover), cover.y, right_of(whole), bottom_of(cover)));
}

std::int64_t area(const Rect& r) { return std::int64_t{r.width} * r.height; }

ScreenPoint centre(const Rect& r) { return {r.x + r.width / 2, r.y + r.height / 2}; }

}  // namespace

Rect intersection(const Rect& a, const Rect& b) {
  if (!intersects(a, b)) return {};
  return from_edges(std::max(a.x, b.x), std::max(a.y, b.y), std::min(right_of(a), right_of(b)),
                    std::min(bottom_of(a), bottom_of(b)));
}

std::vector<Rect> subtract(const Rect& whole, std::span<const Rect> covers) {
  std::vector<Rect> parts;
  add_strip(parts, whole);
  for (const Rect& cover : covers) {
    std::vector<Rect> left;
    for (const Rect& part : parts) {
      const Rect common = intersection(part, cover);
      if (common.empty()) {
        left.push_back(part);
      } else {
        cut(part, common, left);
      }
    }
    parts = std::move(left);
  }
  return parts;
}

std::vector<Rect> frames_above(const std::vector<WindowInfo>& windows, const WindowInfo& window) {
  std::vector<Rect> frames;
  for (const WindowInfo& other : windows) {
    if (other.uid == window.uid || other.minimized || !other.mapped) continue;
    if (other.transient) {
      if (other.pid == 0 || other.pid == window.pid) continue;
    } else if (other.stacking <= window.stacking) {
      continue;
    }
    frames.push_back(reach(other));
  }
  return frames;
}

std::vector<Rect> visible_parts(const Rect& area, const std::optional<Rect>& screen,
                                std::span<const Rect> covers) {
  return subtract(intersection(area, screen.value_or(kWholeSpace)), covers);
}

ScreenPoint point_in(const Rect& bounds, std::span<const Rect> parts) {
  const ScreenPoint middle = centre(bounds);
  const auto sees = [&](const Rect& part) { return part.contains(middle.x, middle.y); };
  if (parts.empty() || std::any_of(parts.begin(), parts.end(), sees)) return middle;
  return centre(*std::max_element(parts.begin(), parts.end(),
                                  [](const Rect& a, const Rect& b) { return area(a) < area(b); }));
}

ScreenPoint raising_point(std::span<const Rect> parts, const std::optional<Rect>& title_bar) {
  if (title_bar) {
    for (const Rect& part : parts) {
      const Rect seen = intersection(*title_bar, part);
      if (seen.empty()) continue;
      const std::int32_t quarter = seen.width / 4;
      const std::int32_t lowest = seen.x + std::min(kLeftMargin, quarter);
      const std::int32_t highest = seen.x + seen.width - std::min(kRightMargin, quarter);
      return {std::clamp(seen.x + quarter, std::min(lowest, highest), std::max(lowest, highest)),
              seen.y + seen.height / 2};
    }
  }
  if (parts.empty()) return {};
  const Rect& best = *std::min_element(
      parts.begin(), parts.end(),
      [](const Rect& a, const Rect& b) { return a.y != b.y ? a.y < b.y : a.width > b.width; });
  const std::int32_t x = best.width < kNarrow
                             ? best.x + best.width / 2
                             : std::clamp(best.x + best.width / 4, best.x + kLeftMargin,
                                          best.x + best.width - kRightMargin);
  return {x, best.y + std::min(kTitleDepth, std::max(1, (best.height - 1) / 2))};
}

}  // namespace gantry::observation
