// SPDX-License-Identifier: Apache-2.0
#include "choose.hpp"

#include <gantry/contract.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>

#include "alike.hpp"
#include "boxes.hpp"

namespace gantry::vision_ground {
namespace {

constexpr double kLeastLikeness = 0.6;
constexpr double kGroup = 0.88;  // of the best: what an ordinal or a place chooses among
constexpr double kEqual = 0.93;  // of the best: as good
constexpr double kLined =
    0.7;                    // of the best: what an ordinal counts if it stands in line with those
constexpr int kInLine = 3;  // pixels
constexpr double kInLane = 0.6;  // what lies beyond an anchor, however far away
constexpr double kOther = 0.5;   // what the others of such a group keep
constexpr std::size_t kAnchors = 5;
constexpr std::size_t kNear = 5;

struct Ranked {
  const Thing* thing = nullptr;
  double confidence = 0;
  double likeness = 0;
  std::string reason;

  void say(const std::string& more) { reason += (reason.empty() ? "" : "; ") + more; }
};
using Ranking = std::vector<Ranked>;

/// What is looked for, with its words sorted, or all of them as a text.
struct Reading {
  const Phrase* phrase;
  bool literal = false;

  [[nodiscard]] const std::string& text() const { return literal ? phrase->literal : phrase->text; }
};

double centre_x(const Rect& box) { return box.x + box.width / 2.0; }
double centre_y(const Rect& box) { return box.y + box.height / 2.0; }

/// How much of the shorter one two stretches have in common; negative: the gap, in pixels.
double shared(std::int32_t a, std::int32_t a_size, std::int32_t b, std::int32_t b_size) {
  const double both = std::min(a + a_size, b + b_size) - std::max(a, b);
  return both > 0 ? both / std::max(1, std::min(a_size, b_size)) : both;
}

double closeness(double distance, double reach) {
  return kInLane + (1 - kInLane) * std::exp(-std::max(0.0, distance) / reach);
}

// What lies beyond an anchor on one axis: `gap` from it, `common` with it on the other axis.
double beyond(double gap, double common, double slack) {
  if (gap < -slack) return 0;
  if (common > 0.3) return closeness(gap, 80);
  return common > -12 ? 0.59 * closeness(gap, 80) : 0;
}

double gap_between(const Rect& a, const Rect& b) {
  const double across = -shared(a.x, a.width, b.x, b.width);
  const double down = -shared(a.y, a.height, b.y, b.height);
  return std::hypot(std::max(0.0, across), std::max(0.0, down));
}

double relation_fit(Relation relation, const Rect& box, const Rect& anchor) {
  const double rows = shared(box.y, box.height, anchor.y, anchor.height);
  const double columns = shared(box.x, box.width, anchor.x, anchor.width);
  const double inside_x = anchor.width * 0.35;
  switch (relation) {
    case Relation::RightOf: return beyond(box.x - (anchor.x + anchor.width), rows, inside_x);
    case Relation::LeftOf: return beyond(anchor.x - (box.x + box.width), rows, inside_x);
    case Relation::Below: return beyond(box.y - (anchor.y + anchor.height), columns, 3);
    case Relation::Above: return beyond(anchor.y - (box.y + box.height), columns, 3);
    case Relation::Near:
      return gap_between(box, anchor) > 400 ? 0 : closeness(gap_between(box, anchor), 60);
    case Relation::Inside: return middle_in(box, anchor) ? 1 : 0;
    case Relation::None: return 1;
  }
  return 1;
}

bool has_role(const RoleWord& wish, const std::string& role) {
  return std::find(wish.roles.begin(), wish.roles.end(), role) != wish.roles.end();
}

bool is_toggle_role(const std::string& role) { return role == "CheckBox" || role == "RadioButton"; }

/// Guesses of the eye: a button can be an icon, and a ticked box of an unknown theme looks like
/// one.
double guess_fit(const RoleWord& wish, const Thing& thing) {
  const bool toggle_wished = has_role(wish, "CheckBox") || has_role(wish, "RadioButton");
  if (toggle_wished && thing.kind == "icon") return thing.label.empty() ? 0.5 : 0.85;
  // Round and square can be mistaken for each other where there is no other of the kind.
  if (toggle_wished && is_toggle_role(thing.role)) return 0.75;
  if (thing.role.empty()) return 0.85;
  if (thing.kind == "icon" && has_role(wish, "Button")) return 0.85;
  return thing.kind == "control" ? 0.7 : 0.55;
}

double role_fit(const Phrase& phrase, const Thing& thing) {
  if (phrase.roles == nullptr) {
    if (thing.kind == "region") return 0.6;
    return thing.kind == "text" ? 0.9 : 1.0;
  }
  const bool seen_only = thing.source.find("a11y") == std::string::npos;
  if (!phrase.roles->kind.empty() && thing.kind == phrase.roles->kind) return 1;
  const bool icon_wished = phrase.roles->kind == "icon";
  if (icon_wished && seen_only && thing.kind != "icon") return thing.text.empty() ? 0.7 : 0.5;
  if (has_role(*phrase.roles, thing.role)) return 1;
  if (thing.kind == "region") return 0.3;
  if (thing.kind == "text") return 0.7;
  return seen_only ? guess_fit(*phrase.roles, thing) : thing.role.empty() ? 0.85 : 0.35;
}

void weigh_text(const Reading& reading, Ranked& out) {
  const std::string& wish = reading.text();
  if (wish.empty()) return;
  const double own = likeness(wish, out.thing->plain_text);
  const double label = 0.95 * likeness(wish, out.thing->label);
  out.likeness = std::max(own, label);
  double fit = out.likeness;
  if (reading.phrase->quoted && fit < 0.9) fit *= 0.8;
  out.confidence *= fit < kLeastLikeness ? 0 : fit;
  const std::string& found = own >= label ? out.thing->text : out.thing->label;
  out.say(fmt::format("{} \"{}\" {} \"{}\"", own >= label ? "text" : "label", found,
                      out.likeness >= 0.94 ? "is" : "is like", wish));
}

void weigh_role(const Phrase& phrase, Ranked& out) {
  const double fit = role_fit(phrase, *out.thing);
  out.confidence *= fit;
  if (phrase.roles == nullptr) return;
  const std::string what = out.thing->role.empty() ? out.thing->kind : out.thing->role;
  out.say(fmt::format("{} {} \"{}\"", what, fit > 0.8 ? "fits" : "hardly fits", phrase.role));
}

void weigh_colour(const Reading& reading, Ranked& out) {
  const std::string& wish = reading.phrase->colour;
  if (wish.empty() || reading.literal) return;
  if (out.thing->colour.empty()) {
    out.confidence *= 0.5;
    out.say("its colour is not known");
    return;
  }
  const double fit = colour_fit(wish, out.thing->colour);
  out.confidence *= fit == 0 ? 0.25 : fit;
  out.say(fmt::format("{} {} {}", out.thing->colour, fit == 1 ? "is" : "is not", wish));
}

Ranking rank(const Phrase& phrase, const std::vector<Thing>& things, const Wanted& wanted);

void weigh_relation(const Phrase& phrase, const Ranking& anchors, Ranked& out) {
  if (phrase.relation == Relation::None) return;
  double best = 0;
  const Thing* by = nullptr;
  for (const Ranked& anchor : anchors) {
    const Rect& box = anchor.thing->box;
    if (anchor.thing == out.thing ||
        (phrase.relation != Relation::Inside && middle_in(box, out.thing->box))) {
      continue;
    }
    double fit = relation_fit(phrase.relation, out.thing->box, box);
    // The second one below something is further away from it than the first.
    if (phrase.ordinal != 0 && fit >= kInLane) fit = 1;
    fit *= anchor.confidence;
    if (fit <= best) continue;
    best = fit;
    by = anchor.thing;
  }
  out.confidence *= best;
  if (by == nullptr) return;
  const std::string& name = by->text.empty() ? by->label : by->text;
  out.say(fmt::format("{} {}", relation_words(phrase.relation),
                      name.empty() ? by->kind : '"' + name + '"'));
}

void sort_by_confidence(Ranking& ranking) {
  std::stable_sort(ranking.begin(), ranking.end(),
                   [](const Ranked& a, const Ranked& b) { return a.confidence > b.confidence; });
}

/// The first ones, which fit about as well as the best.
std::size_t group_of(const Ranking& ranking) {
  const auto past = std::find_if(ranking.begin(), ranking.end(), [&](const Ranked& row) {
    return row.confidence < kGroup * ranking.front().confidence;
  });
  return static_cast<std::size_t>(past - ranking.begin());
}

/// 0 at the place that is meant, up to 1 at the other end.
double away_from(const Phrase& phrase, const Rect& box, const Rect& area) {
  const double x = (centre_x(box) - area.x) / std::max(1, area.width);
  const double y = (centre_y(box) - area.y) / std::max(1, area.height);
  const auto axis = [&](int wish, double at) {
    if (wish == 0) return phrase.centre ? std::abs(at - 0.5) * 2 : 0.0;
    return wish < 0 ? at : 1 - at;
  };
  return std::hypot(axis(phrase.across, x), axis(phrase.down, y)) / std::sqrt(2.0);
}

void apply_place(const Phrase& phrase, const Rect& area, Ranking& ranking) {
  if ((phrase.across == 0 && phrase.down == 0 && !phrase.centre) || ranking.empty()) return;
  const std::size_t group = group_of(ranking);
  double least = 2;
  for (std::size_t i = 0; i < group; ++i) {
    least = std::min(least, away_from(phrase, ranking[i].thing->box, area));
  }
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    const double away = away_from(phrase, ranking[i].thing->box, area);
    double fit = std::max(0.4, 1 - 0.7 * away);
    if (i >= group) {
      fit *= kOther;
    } else if (away > least) {
      fit *= 0.9;
    } else {
      ranking[i].say("of those the nearest to the place that is named");
    }
    ranking[i].confidence *= fit;
  }
  sort_by_confidence(ranking);
}

/// From the top to the bottom, and in a row from the left to the right.
void sort_in_reading_order(Ranking& group) {
  std::stable_sort(group.begin(), group.end(), [](const Ranked& a, const Ranked& b) {
    return centre_y(a.thing->box) < centre_y(b.thing->box);
  });
  for (auto begin = group.begin(); begin != group.end();) {
    const double limit = centre_y(begin->thing->box) + 0.6 * begin->thing->box.height;
    const auto end = std::find_if(
        begin, group.end(), [&](const Ranked& row) { return centre_y(row.thing->box) > limit; });
    std::stable_sort(begin, end, [](const Ranked& a, const Ranked& b) {
      return a.thing->box.x < b.thing->box.x;
    });
    begin = end;
  }
}

/// About as large, and in one column or one row.
bool in_line(const Rect& a, const Rect& b) {
  const auto near = [](double one, double other) { return std::abs(one - other) <= kInLine; };
  if (std::abs(a.height - b.height) * 10 > std::max(a.height, b.height) * 4) return false;
  return near(a.x, b.x) || near(centre_x(a), centre_x(b)) || near(centre_y(a), centre_y(b));
}

/// What is not told for certain to be something else, and stands in line with two that fit, or the
/// only one.
bool is_one_more(const Ranked& row, const Ranking& group, double best) {
  const Thing& thing = *row.thing;
  if (row.confidence < kLined * best || !(thing.role.empty() || thing.kind == "icon")) return false;
  const bool labelled = group.front().thing->label.empty() || !thing.label.empty();
  const auto beside = std::count_if(group.begin(), group.end(), [&](const Ranked& one) {
    return in_line(thing.box, one.thing->box);
  });
  return labelled && std::cmp_greater_equal(beside, std::min<std::size_t>(2, group.size()));
}

/// What an ordinal counts: those that fit about as well as the best, and those of the others that
/// are one more of them by where they stand.
Ranking counted(const Ranking& ranking) {
  const auto end = ranking.begin() + static_cast<std::ptrdiff_t>(group_of(ranking));
  const Ranking sure(ranking.begin(), end);
  Ranking out = sure;
  std::copy_if(end, ranking.end(), std::back_inserter(out), [&](const Ranked& row) {
    return is_one_more(row, sure, ranking.front().confidence);
  });
  sort_in_reading_order(out);
  return out;
}

void apply_ordinal(const Phrase& phrase, Ranking& ranking) {
  if (phrase.ordinal == 0 || ranking.empty()) return;
  const Ranking group = counted(ranking);
  const std::size_t count = group.size();
  if (std::cmp_greater(phrase.ordinal, count)) {
    for (Ranked& row : ranking) row.confidence = 0;  // there are not that many
    return;
  }
  const std::size_t wish =
      phrase.ordinal < 0 ? count - 1 : static_cast<std::size_t>(phrase.ordinal) - 1;
  for (Ranked& row : ranking) {
    if (row.thing != group[wish].thing)
      row.confidence *= kOther;
    else
      row.say(fmt::format("number {} of {}", wish + 1, count));
  }
  sort_by_confidence(ranking);
}

Ranking rank_as(const Reading& reading, const std::vector<Thing>& things, const Ranking& anchors,
                const Wanted& wanted) {
  Ranking out;
  for (const Thing& thing : things) {
    Ranked row;
    row.thing = &thing;
    row.confidence = 0.85 + 0.15 * thing.certain;
    weigh_text(reading, row);
    weigh_role(*reading.phrase, row);
    weigh_colour(reading, row);
    weigh_relation(*reading.phrase, anchors, row);
    if (row.confidence > 0 || row.likeness > 0.3) out.push_back(std::move(row));
  }
  sort_by_confidence(out);
  if (reading.literal || out.empty() || out.front().confidence == 0) return out;
  apply_place(*reading.phrase, wanted.area, out);
  apply_ordinal(*reading.phrase, out);
  return out;
}

Ranking rank(const Phrase& phrase, const std::vector<Thing>& things, const Wanted& wanted) {
  Ranking anchors;
  if (phrase.anchor != nullptr) {
    anchors = rank(*phrase.anchor, things, wanted);
    if (anchors.size() > kAnchors) anchors.resize(kAnchors);
  }
  Ranking sorted = rank_as({&phrase, false}, things, anchors, wanted);
  if (phrase.literal.empty() || phrase.literal == phrase.text) return sorted;
  // Words for colours, places and numbers may be part of a text: "First name", "Orange".
  Ranking literal = rank_as({&phrase, true}, things, anchors, wanted);
  const bool better = !literal.empty() && literal.front().likeness >= 0.9 &&
                      literal.front().confidence >= wanted.min_confidence;
  return better ? literal : sorted;
}

VisionMatch match_of(const Ranked& row) {
  VisionMatch out;
  const Thing& thing = *row.thing;
  out.x = thing.box.x + thing.box.width / 2;
  out.y = thing.box.y + thing.box.height / 2;
  out.bbox = thing.box;
  out.kind = thing.kind;
  out.role = thing.role;
  out.text = thing.text.empty() ? thing.label : thing.text;
  out.confidence = std::round(std::clamp(row.confidence, 0.0, 1.0) * 1000) / 1000;
  out.source = thing.source;
  out.reason = row.reason.empty() ? "nothing else was asked of it" : row.reason;
  return out;
}

bool same_place(const Rect& a, const Rect& b) { return middle_in(a, b) || middle_in(b, a); }

Error error_of(Code code, std::string message, std::string reason, std::vector<VisionMatch> rows) {
  VisionLocateDetail detail;
  detail.reason = std::move(reason);
  detail.matches = std::move(rows);
  return {code, std::move(message), to_json(detail)};
}

Error nothing_fits(Ranking ranking) {
  std::stable_sort(ranking.begin(), ranking.end(), [](const Ranked& a, const Ranked& b) {
    return std::max(a.confidence, a.likeness * 0.5) > std::max(b.confidence, b.likeness * 0.5);
  });
  std::vector<VisionMatch> near;
  std::string names;
  for (const Ranked& row : ranking) {
    if (near.size() >= kNear) break;
    near.push_back(match_of(row));
    if (!near.back().text.empty()) {
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", near.back().text);
    }
  }
  return error_of(Code::NotFound,
                  "nothing in the picture fits the description" +
                      (names.empty() ? std::string() : "; the nearest are " + names),
                  "not_found", std::move(near));
}

}  // namespace

Result<std::vector<VisionMatch>> choose(const Phrase& phrase, const std::vector<Thing>& things,
                                        const Wanted& wanted) {
  Ranking ranking = rank(phrase, things, wanted);
  if (ranking.empty() || ranking.front().confidence < wanted.min_confidence) {
    return nothing_fits(std::move(ranking));
  }
  std::vector<VisionMatch> out;
  std::vector<VisionMatch> equal;
  const double best = ranking.front().confidence;
  for (const Ranked& row : ranking) {
    if (row.confidence < wanted.min_confidence || out.size() >= 100) break;
    const bool covered = std::any_of(out.begin(), out.end(), [&](const VisionMatch& other) {
      return same_place(row.thing->box, other.bbox);
    });
    if (covered) continue;
    out.push_back(match_of(row));
    if (row.confidence >= kEqual * best) equal.push_back(out.back());
  }
  if (wanted.unique && equal.size() > 1) {
    const std::size_t count = equal.size();
    return error_of(Code::FailedPrecondition,
                    fmt::format("{} things fit the description equally well; say more of the one "
                                "that is meant, such as its place or what is next to it",
                                count),
                    "ambiguous", std::move(equal));
  }
  const auto limit = static_cast<std::size_t>(std::clamp(wanted.max_results, 1, 100));
  if (out.size() > limit) out.resize(limit);
  return out;
}

}  // namespace gantry::vision_ground
