// SPDX-License-Identifier: Apache-2.0
#include "child_match.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace gantry::observation {
namespace {

/// More moves than this among the children of one node cost more than sending those children anew.
constexpr std::size_t kMaxMoves = 256;

void mix(std::uint64_t& print, std::uint64_t value) {
  print ^= value + 0x9E3779B97F4A7C15U + (print << 6) + (print >> 2);
  print *= 0xFF51AFD7ED558CCDU;
}

void mix_text(std::uint64_t& print, std::string_view text) {
  mix(print, std::hash<std::string_view>{}(text));
}

template <class T>
void mix_optional(std::uint64_t& print, const std::optional<T>& value) {
  mix(print, value ? std::hash<T>{}(*value) + 1 : 0);
}

std::uint64_t identity_of(const Node& node) {
  std::uint64_t print = 1;
  mix_text(print, node.role);
  mix_text(print, node.name);
  return print;
}

std::uint64_t own_content(const Node& node) {
  std::uint64_t print = identity_of(node);
  mix_optional(print, node.value);
  for (const int side : {node.bounds.x, node.bounds.y, node.bounds.width, node.bounds.height}) {
    mix(print, static_cast<std::uint64_t>(static_cast<std::int64_t>(side)));
  }
  mix(print, (node.enabled ? 1U : 0U) + (node.focused ? 2U : 0U));
  mix_optional(print, node.selected);
  mix_optional(print, node.expanded);
  mix_optional(print, node.value_now);
  mix_optional(print, node.keyboard_shortcut);
  mix_optional(print, node.description);
  mix_optional(print, node.cut_children);
  return print;
}

/// Half-open ranges of children that are not matched yet, old and new, between two partners.
struct Gap {
  std::size_t old_begin, old_end, new_begin, new_end;
  [[nodiscard]] bool one_sided() const { return old_begin == old_end || new_begin == new_end; }
};

class Matcher {
 public:
  Matcher(const std::vector<Node>& before, const std::vector<Node>& after, const NodePrints& prints)
      : before_(before), after_(after) {
    match_.new_position.resize(before.size());
    match_.known.resize(after.size());
    match_.moved.resize(before.size());
    old_.reserve(before.size());
    new_.reserve(after.size());
    for (const Node& node : before) old_.push_back(prints.at(&node));
    for (const Node& node : after) new_.push_back(prints.at(&node));
  }

  ChildMatch run() {
    match_content({0, before_.size(), 0, after_.size()}, true);
    for (const Gap& gap : gaps())
      match_in_order(gap, [](const NodePrint& p) { return p.identity; });
    for (const Gap& gap : gaps()) match_containers(gap);
    match_anywhere([](const NodePrint& p) { return p.content; });
    match_anywhere([](const NodePrint& p) { return p.identity; });
    mark_moves();
    return std::move(match_);
  }

 private:
  void pair_up(std::size_t old_at, std::size_t new_at) {
    match_.new_position[old_at] = new_at;
    match_.known[new_at] = true;
  }

  /// Equal children at both ends, then those that occur once on each side, in order, then again
  /// between these.
  void match_content(Gap gap, bool look_for_anchors) {
    while (!gap.one_sided() && old_[gap.old_begin].content == new_[gap.new_begin].content) {
      pair_up(gap.old_begin++, gap.new_begin++);
    }
    while (!gap.one_sided() && old_[gap.old_end - 1].content == new_[gap.new_end - 1].content) {
      pair_up(--gap.old_end, --gap.new_end);
    }
    if (gap.one_sided() || !look_for_anchors) return;
    std::size_t old_at = gap.old_begin;
    std::size_t new_at = gap.new_begin;
    for (const auto& [old_anchor, new_anchor] : anchors(gap)) {
      pair_up(old_anchor, new_anchor);
      match_content({old_at, old_anchor, new_at, new_anchor}, false);
      old_at = old_anchor + 1;
      new_at = new_anchor + 1;
    }
    match_content({old_at, gap.old_end, new_at, gap.new_end}, false);
  }

  /// Pairs of children whose content is unique on both sides, in the same order on both.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> anchors(const Gap& gap) const {
    struct Places {
      std::size_t olds = 0, news = 0, new_at = 0;
    };
    std::unordered_map<std::uint64_t, Places> places;
    for (std::size_t i = gap.old_begin; i < gap.old_end; ++i) ++places[old_[i].content].olds;
    for (std::size_t i = gap.new_begin; i < gap.new_end; ++i) {
      Places& place = places[new_[i].content];
      ++place.news;
      place.new_at = i;
    }
    std::vector<std::pair<std::size_t, std::size_t>> unique;
    std::vector<std::size_t> targets;
    for (std::size_t i = gap.old_begin; i < gap.old_end; ++i) {
      const Places& place = places[old_[i].content];
      if (place.olds != 1 || place.news != 1) continue;
      unique.emplace_back(i, place.new_at);
      targets.push_back(place.new_at);
    }
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (const std::size_t i : longest_ascending(targets)) out.push_back(unique[i]);
    return out;
  }

  /// The unmatched runs between partners. Partners are in the same order here.
  [[nodiscard]] std::vector<Gap> gaps() const {
    std::vector<Gap> out;
    Gap gap{0, 0, 0, 0};
    const auto close = [&] {
      if (!gap.one_sided()) out.push_back(gap);
    };
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const std::optional<std::size_t> partner = match_.new_position[i];
      if (!partner) continue;
      gap.old_end = i;
      gap.new_end = *partner;
      close();
      gap.old_begin = i + 1;
      gap.new_begin = *partner + 1;
    }
    gap.old_end = before_.size();
    gap.new_end = after_.size();
    close();
    return out;
  }

  /// Pairs equal keys within the gap, each new child with the next old one that does not cross the
  /// pair before.
  template <typename Key>
  void match_in_order(const Gap& gap, Key key) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;  // old, descending
    for (std::size_t i = gap.old_end; i-- > gap.old_begin;) places[key(old_[i])].push_back(i);
    std::size_t next = gap.old_begin;
    for (std::size_t i = gap.new_begin; i < gap.new_end; ++i) {
      const auto found = places.find(key(new_[i]));
      if (found == places.end()) continue;
      std::vector<std::size_t>& candidates = found->second;
      while (!candidates.empty() && candidates.back() < next) candidates.pop_back();
      if (candidates.empty()) continue;
      next = candidates.back() + 1;
      pair_up(candidates.back(), i);
    }
  }

  /// A container whose name changed is still the same container when it is alone of its role in the
  /// gap; otherwise everything in it would be sent again.
  void match_containers(const Gap& gap) {
    const auto only = [](const std::vector<Node>& nodes, std::size_t begin, std::size_t end,
                         const std::string& role) {
      const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = nodes.begin() + static_cast<std::ptrdiff_t>(end);
      return std::count_if(first, last, [&](const Node& n) { return n.role == role; }) == 1;
    };
    if (gap.old_end - gap.old_begin > kMaxMoves || gap.new_end - gap.new_begin > kMaxMoves) return;
    for (std::size_t i = gap.old_begin; i < gap.old_end; ++i) {
      const Node& node = before_[i];
      if (node.children.empty() || !only(before_, gap.old_begin, gap.old_end, node.role)) continue;
      for (std::size_t j = gap.new_begin; j < gap.new_end; ++j) {
        const bool same = after_[j].role == node.role && !after_[j].children.empty();
        if (same && only(after_, gap.new_begin, gap.new_end, node.role)) pair_up(i, j);
      }
    }
  }

  /// Pairs what is left and unique on both sides, wherever it is: these are the moves.
  template <typename Key>
  void match_anywhere(Key key) {
    struct Places {
      std::size_t olds = 0, news = 0, old_at = 0, new_at = 0;
    };
    std::unordered_map<std::uint64_t, Places> places;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (match_.new_position[i]) continue;
      Places& place = places[key(old_[i])];
      ++place.olds;
      place.old_at = i;
    }
    for (std::size_t i = 0; i < after_.size(); ++i) {
      if (match_.known[i]) continue;
      Places& place = places[key(new_[i])];
      ++place.news;
      place.new_at = i;
    }
    for (const auto& [print, place] : places) {
      if (place.olds == 1 && place.news == 1) pair_up(place.old_at, place.new_at);
    }
  }

  void mark_moves() {
    std::vector<std::size_t> olds;
    std::vector<std::size_t> targets;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (!match_.new_position[i]) continue;
      olds.push_back(i);
      targets.push_back(*match_.new_position[i]);
    }
    std::vector<bool> stays(olds.size());
    for (const std::size_t i : longest_ascending(targets)) stays[i] = true;
    std::size_t moves = 0;
    for (std::size_t i = 0; i < olds.size(); ++i) {
      if (stays[i]) continue;
      if (++moves <= kMaxMoves) {
        match_.moved[olds[i]] = true;
      } else {
        match_.known[targets[i]] = false;
        match_.new_position[olds[i]].reset();
      }
    }
  }

  const std::vector<Node>& before_;
  const std::vector<Node>& after_;
  std::vector<NodePrint> old_;
  std::vector<NodePrint> new_;
  ChildMatch match_;
};

}  // namespace

NodePrint add_prints(const Node& node, NodePrints& prints) {
  NodePrint print{own_content(node), identity_of(node)};
  for (const Node& child : node.children) mix(print.content, add_prints(child, prints).content);
  prints[&node] = print;
  return print;
}

ChildMatch match_children(const std::vector<Node>& before, const std::vector<Node>& after,
                          const NodePrints& prints) {
  return Matcher(before, after, prints).run();
}

std::vector<std::size_t> longest_ascending(const std::vector<std::size_t>& values) {
  std::vector<std::size_t> tails;  // positions of the smallest last value, by length
  std::vector<std::size_t> previous(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place =
        std::lower_bound(tails.begin(), tails.end(), values[i],
                         [&](std::size_t at, std::size_t value) { return values[at] < value; });
    previous[i] = place == tails.begin() ? i : *(place - 1);
    if (place == tails.end()) {
      tails.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<std::size_t> out(tails.size());
  if (tails.empty()) return out;
  for (std::size_t i = out.size(), at = tails.back(); i-- > 0; at = previous[at]) out[i] = at;
  return out;
}

}  // namespace gantry::observation
