// SPDX-License-Identifier: Apache-2.0
#include "near_matches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>

#include "text.hpp"

namespace gantry::observation {
namespace {

/// Texts are compared by their first bytes only; enough to tell names apart.
constexpr std::size_t kCompared = 48;
/// Above this share of edits two texts are strangers.
constexpr double kTooFar = 0.4;

/// Edits that lead from one text to the other; two letters that changed places are one of them,
/// for that is the slip that typists make.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kCompared + 1>;
  std::array<Row, 3> rows{};  // of the last two letters of `a` and of this one
  std::iota(rows[0].begin(), rows[0].begin() + static_cast<std::ptrdiff_t>(b.size()) + 1,
            std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    Row& row = rows[i % 3];
    const Row& last = rows[(i - 1) % 3];
    const Row& before = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

/// A text to compare with, prepared once for a whole tree.
class Wanted {
 public:
  explicit Wanted(std::string_view text) : text_(lowered(text)) {}

  /// 0 for equal texts, above kTooFar for strangers.
  [[nodiscard]] double distance(std::string_view other) const {
    const std::string found = lowered(other);
    if (found == text_) return 0;
    if (found.empty() || text_.empty()) return 1;
    const bool contained =
        found.find(text_) != std::string::npos || text_.find(found) != std::string::npos;
    if (contained && std::min(found.size(), text_.size()) > 1) return 0.2;
    const double longer = static_cast<double>(std::max(found.size(), text_.size()));
    const double shorter = static_cast<double>(std::min(found.size(), text_.size()));
    if (longer - shorter > kTooFar * longer) return 1;
    return static_cast<double>(edit_distance(found, text_)) / longer;
  }

 private:
  static std::string lowered(std::string_view text) {
    return to_lower(text.substr(0, kCompared)).substr(0, kCompared);
  }
  std::string text_;
};

struct Candidate {
  double distance = 0;
  const Node* node = nullptr;
};

std::optional<Wanted> wanted_name(const SelectorStep& step) {
  for (const SelectorPredicate& predicate : step.predicates) {
    if (predicate.key == SelectorKey::Name && !predicate.text.empty()) {
      return Wanted(predicate.text);
    }
  }
  return std::nullopt;
}

}  // namespace

double name_distance(std::string_view wanted, std::string_view found) {
  return Wanted(wanted).distance(found);
}

std::vector<const Node*> near_matches(const Node& root, const Selector& selector,
                                      std::size_t limit) {
  const SelectorStep& last = selector.ast().steps.back();
  const std::optional<Wanted> name = wanted_name(last);
  const Wanted role(last.role);
  if (!name && last.any_role) return {};

  std::vector<Candidate> candidates;
  walk(root, [&](const Node& node, int) {
    const double by_role = last.any_role ? 0 : role.distance(node.role);
    // Who looks for a name mostly means it, whatever the role; else the role has to be near.
    const double distance = name ? name->distance(node.name) : by_role;
    if (distance <= kTooFar) candidates.push_back({distance + std::min(by_role, 1.0) / 4, &node});
  });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  std::vector<const Node*> out;
  for (const Candidate& candidate : candidates) {
    if (out.size() == limit) break;
    out.push_back(candidate.node);
  }
  return out;
}

RawJson near_matches_json(const Node& root, const std::vector<const Node*>& nodes) {
  JsonArray out;
  for (const Node* node : nodes) {
    JsonObject object;
    object.add("element_id", node->id);
    object.add("role", node->role);
    object.add("name", shorten(node->name, 80, 79));
    object.add("selector", derive_selector(root, *node));
    out.add(object);
  }
  return out.done();
}

void add_near_matches(JsonObject& context, const Node& root, const Selector& selector) {
  const std::vector<const Node*> near = near_matches(root, selector);
  if (!near.empty()) context.add("did_you_mean", near_matches_json(root, near));
  std::size_t nameless = 0;
  walk(root,
       [&nameless](const Node& node, int) { nameless += node.true_name() != node.name ? 1U : 0U; });
  if (nameless == 0) return;
  context.add("hint",
              fmt::format("rules hide the names of {} elements here, and nothing is found by "
                          "a hidden name; use element_id, role or position",
                          nameless));
}

}  // namespace gantry::observation
