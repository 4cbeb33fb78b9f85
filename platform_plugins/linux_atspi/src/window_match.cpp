// SPDX-License-Identifier: Apache-2.0
#include "window_match.hpp"

#include "geometry.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace gantry::atspi {
namespace {

constexpr double kSameBox = 0.80;  // decorations of a small window cost up to a fifth of the union

// Invisible characters that toolkits or window managers put around titles: LRM, RLM, LRE…RLO, BOM.
constexpr std::array<std::string_view, 9> kMarks = {"\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa",
                                                    "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad",
                                                    "\xe2\x80\xae", "\xef\xbb\xbf", "\xe2\x81\xa9"};

std::string normalise(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto mark = std::find_if(kMarks.begin(), kMarks.end(),
                                   [&](std::string_view m) { return text.starts_with(m); });
    if (mark != kMarks.end()) {
      text.remove_prefix(mark->size());
      continue;
    }
    const bool nbsp = text.starts_with("\xc2\xa0");
    const bool blank = nbsp || text.front() == ' ' || text.front() == '\t';
    if (!blank) {
      out += text.front();
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
    text.remove_prefix(nbsp ? 2 : 1);
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

struct Evidence {
  bool pid = false;
  int title = 0;
  double box = 0;
  bool showing = false;
  // Ordered by what a coincidence would cost: the process first, then the exact title, then the
  // box.
  auto rank() const { return std::tuple(pid, title == 2, box >= kSameBox, title, box, showing); }
};

std::string rule_name(const Evidence& evidence, bool only_frame) {
  std::string rule = evidence.pid ? "pid" : "";
  const auto add = [&rule](const char* part) { rule.append(rule.empty() ? "" : "+").append(part); };
  if (evidence.title == 2) add("title");
  if (evidence.title == 1) add("similar_title");
  if (evidence.box >= kSameBox) add("bounds");
  if (evidence.pid && evidence.title == 0 && evidence.box < kSameBox) {
    add(only_frame ? "only_frame" : "best_frame");
  }
  return rule;
}

/// Without the process, a title or a box alone is too little unless they agree or stand alone.
bool defensible(const Evidence& evidence, const WindowHint& hint, std::size_t pid_matches) {
  if (evidence.pid) return evidence.title > 0 || evidence.box >= kSameBox || pid_matches == 1;
  if (evidence.title == 2) return !hint.bounds || evidence.box > 0.3 || hint.pid == 0;
  return evidence.title == 1 && evidence.box >= kSameBox;
}

}  // namespace

int title_likeness(std::string_view a, std::string_view b) {
  const std::string left = normalise(a);
  const std::string right = normalise(b);
  if (left.empty() || right.empty()) return left == right ? 1 : 0;
  if (left == right) return 2;
  const bool contained =
      left.find(right) != std::string::npos || right.find(left) != std::string::npos;
  return contained ? 1 : 0;
}

double bounds_likeness(const FrameCandidate& candidate, const Bounds& window) {
  if (!candidate.bounds) return 0;
  Bounds box = *candidate.bounds;
  if (candidate.window_relative) {
    // Position says nothing; a content box is up to two shadows smaller than the window.
    box.x = window.x + (window.width - box.width) / 2;
    box.y = window.y + (window.height - box.height) / 2;
  }
  return overlap(box, window);
}

std::optional<FrameMatch> match_frame(const WindowHint& hint,
                                      const std::vector<FrameCandidate>& candidates) {
  std::vector<Evidence> evidence(candidates.size());
  std::size_t pid_matches = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const FrameCandidate& candidate = candidates[i];
    Evidence& e = evidence[i];
    e.pid = hint.pid != 0 && candidate.pid == hint.pid;
    e.title = hint.title.empty() ? 0 : title_likeness(hint.title, candidate.name);
    e.box = hint.bounds ? bounds_likeness(candidate, *hint.bounds) : 0;
    e.showing = candidate.showing;
    pid_matches += e.pid ? 1 : 0;
  }
  std::optional<FrameMatch> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!defensible(evidence[i], hint, pid_matches)) continue;
    if (best && evidence[i].rank() <= evidence[best->index].rank()) {
      best->ambiguous |= evidence[i].rank() == evidence[best->index].rank();
      continue;
    }
    best = FrameMatch{i, rule_name(evidence[i], pid_matches == 1), false};
  }
  return best;
}

}  // namespace gantry::atspi
