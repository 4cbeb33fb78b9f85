// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arguments.hpp"

namespace gantry::observation {
namespace {

/// What is compared for a tool, with blanks between; tools without a row compare "ok".
struct Rule {
  std::string_view tools;
  std::string_view fields;
};
constexpr std::array<Rule, 11> kRules{{
    {"list_windows", "count"},
    {"get_window_structure", "node_count tree_hash"},
    {"find_element", "ok error.code ambiguous_matches>0"},
    {"click_element focus_element invoke_element set_value select_option",
     "ok error.code target.selector changed"},
    {"click_at hover_at drag type_text press_key scroll", "ok error.code"},
    {"get_screen_description", "ok effective_mode"},
    // Pixels are never the same twice on a real desktop: a clock in a panel is enough.
    {"get_screenshot get_full_screenshot get_screenshot_cropped", "ok width height"},
    {"wait_for", "ok matched_index"},
    {"assert_state", "ok all_passed"},
    {"observe_window", "ok format"},
    {"click_element_and_observe", "ok target.selector changed"},
}};
constexpr std::string_view kDefault = "ok";
constexpr std::string_view kPositive = ">0";

/// Calls `visit(word)` for each word of a text with blanks.
template <class Visit>
void each_word(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view fields_of(std::string_view tool) {
  const auto fits = [&](const Rule& rule) {
    bool found = false;
    each_word(rule.tools, [&](std::string_view word) { found = found || word == tool; });
    return found;
  };
  const auto* const row = std::find_if(kRules.begin(), kRules.end(), fits);
  return row != kRules.end() ? row->fields : kDefault;
}

/// The value at "a" or "a.b", as JSON; "null" when it is not there.
std::string value_at(const Arguments& summary, std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return summary.has(path) ? summary.json(path) : "null";
  if (!summary.is_object(path.substr(0, dot))) return "null";
  const Outcome<Arguments> inner = summary.object(path.substr(0, dot));
  return inner.ok() ? value_at(*inner, path.substr(dot + 1)) : "null";
}

std::string field_of(const Arguments& summary, std::string_view field) {
  if (!field.ends_with(kPositive)) return value_at(summary, field);
  const auto number = summary.integer_or_nothing(field.substr(0, field.size() - kPositive.size()));
  return number.value_or(0) > 0 ? "true" : "false";
}

constexpr std::array<std::string_view, 2> kNames{"tree_token", "snapshot_id"};

}  // namespace

std::vector<Difference> compare_summaries(std::string_view tool, std::string_view recorded,
                                          std::string_view actual, bool everything) {
  std::vector<Difference> out;
  const Outcome<Arguments> want = Arguments::parse(recorded);
  const Outcome<Arguments> got = Arguments::parse(actual);
  if (!want.ok() || !got.ok()) return {{"result_summary", "null", "null"}};
  each_word(everything ? fields_of(tool) : kDefault, [&](std::string_view field) {
    // Routes that do not say whether it went well were once recorded as they are.
    if (field == kDefault && !want->has(field)) return;
    std::string there = field_of(*want, field);
    std::string here = field_of(*got, field);
    if (there != here) out.push_back({std::string(field), std::move(there), std::move(here)});
  });
  return out;
}

RawJson differences_json(const std::vector<Difference>& differences) {
  JsonArray out;
  for (const Difference& one : differences) {
    JsonObject entry;
    entry.add("path", one.path);
    entry.add("want", RawJson{one.want});
    entry.add("got", RawJson{one.got});
    out.add(entry);
  }
  return out.done();
}

void Replay::learn(std::string_view recorded, std::string_view actual) {
  const Outcome<Arguments> then = Arguments::parse(recorded);
  const Outcome<Arguments> now = Arguments::parse(actual);
  if (!then.ok() || !now.ok()) return;
  for (const std::string_view name : kNames) {
    const std::string old_name = then->text(name);
    const std::string new_name = now->text(name);
    if (!old_name.empty() && !new_name.empty()) now_called[old_name] = new_name;
  }
}

std::string Replay::arguments_now(const TraceRow& row) const {
  const Outcome<Arguments> arguments = Arguments::parse(row.args);
  if (!arguments.ok()) return "{}";
  const auto secret = secrets.find(row.seq);
  const std::vector<std::string> names = arguments->names();
  JsonObject out;
  for (const std::string& name : names) {
    const std::string text = arguments->text(name);
    const auto renamed = now_called.find(text);
    if (text == kRedacted && secret != secrets.end()) {
      out.add(name, secret->second);
    } else if (renamed != now_called.end()) {
      out.add(name, renamed->second);
    } else {
      out.add(name, RawJson{arguments->json(name)});
    }
  }
  return out.text();
}

Outcome<std::shared_ptr<Replay>> Replays::open(Replay replay) {
  if (open_.size() >= kMostOpen) {
    return failure(Fault::BadRequest,
                   fmt::format("{} replays are open; stop one with replay_stop", open_.size()));
  }
  replay.id = fmt::format("rep:{}", ++opened_);
  auto shared = std::make_shared<Replay>(std::move(replay));
  open_.emplace(shared->id, shared);
  return shared;
}

Outcome<std::shared_ptr<Replay>> Replays::find(const std::string& id) const {
  const auto found = open_.find(id);
  if (found != open_.end()) return found->second;
  Failure why = failure(Fault::BadRequest, "unknown replay_id");
  JsonObject context;  // as published: also when it is empty
  context.add("replay_id", id);
  why.context = context.text();
  return why;
}

}  // namespace gantry::observation
