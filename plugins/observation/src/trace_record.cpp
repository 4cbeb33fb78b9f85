// SPDX-License-Identifier: Apache-2.0
#include "trace_record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "arguments.hpp"
#include "json_object.hpp"
#include "time_units.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kMaxLine = 1U << 20U;
constexpr std::size_t kPreview = 2048;
constexpr int kMaxDepth = 32;

/// Members of an answer that a summary keeps, in this order; target and error follow.
constexpr std::array<std::string_view, 19> kKept{"ok",
                                                 "step_id",
                                                 "action",
                                                 "changed",
                                                 "matched_index",
                                                 "effective_mode",
                                                 "tree_hash",
                                                 "all_passed",
                                                 "node_count",
                                                 "duration_ms",
                                                 "ambiguous_matches",
                                                 "count",
                                                 "format",
                                                 "width",
                                                 "height",
                                                 "effect",
                                                 "route",
                                                 "tree_token",
                                                 "snapshot_id"};

/// A JSON object in the order in which it is added to: the recording's lines are read by people.
class OrderedObject {
 public:
  void text(std::string_view name, std::string_view value) {
    std::string json;
    append_json_string(json, value);
    raw(name, json);
  }
  void text_if(std::string_view name, const std::string& value) {
    if (!value.empty()) text(name, value);
  }
  void number(std::string_view name, std::int64_t value) { raw(name, fmt::format("{}", value)); }
  void raw(std::string_view name, std::string_view json) {
    members_ += members_.empty() ? "" : ",";
    append_json_string(members_, name);
    members_ += ':';
    members_ += json;
  }
  [[nodiscard]] std::string done() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

bool equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

bool listed(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& entry) { return equal_names(entry, name); });
}

/// Writes arguments anew without what must not be kept.
class Cleaner {
 public:
  Cleaner(const std::vector<std::string>& keys, const CleanText& clean, bool drop_underscored)
      : keys_(keys), clean_(clean), drop_underscored_(drop_underscored) {}

  [[nodiscard]] std::string object(const Arguments& object, int depth = 0) const {
    OrderedObject out;
    for (const std::string& name : object.names()) {
      if (drop_underscored_ && depth == 0 && name.starts_with('_')) continue;
      const std::string shown = clean_ ? clean_(name) : name;
      if (listed(keys_, name)) {
        out.text(shown, kRedacted);
      } else {
        out.raw(shown, member(object, name, depth + 1));
      }
    }
    return out.done();
  }

 private:
  [[nodiscard]] std::string member(const Arguments& holder, std::string_view name,
                                   int depth) const {
    if (depth > kMaxDepth) return json_string(kRedacted);
    if (holder.is_list(name)) return list(holder, name, depth);
    std::string json = holder.json(name);
    if (json.starts_with('{')) {
      const Outcome<Arguments> parsed = Arguments::parse(json);
      return parsed.ok() ? object(*parsed, depth) : json_string(kRedacted);
    }
    if (!clean_) return json;
    const std::string text = holder.text(name);  // a secret may be digits only
    std::string clean = clean_(text);
    return json.starts_with('"') || clean != text ? json_string(clean) : json;
  }

  [[nodiscard]] std::string list(const Arguments& holder, std::string_view name, int depth) const {
    std::string out;
    for (const std::string& element : holder.elements(name)) {
      // An element has no name of its own: it is read as the member of an object.
      const Outcome<Arguments> parsed = Arguments::parse("{\"v\":" + element + "}");
      out += out.empty() ? "" : ",";
      out += parsed.ok() ? member(*parsed, "v", depth + 1) : json_string(kRedacted);
    }
    return "[" + out + "]";
  }

  const std::vector<std::string>& keys_;
  const CleanText& clean_;
  bool drop_underscored_;
};

std::string part_of(const Arguments& answer, std::string_view name,
                    std::initializer_list<std::string_view> members, const CleanText& clean) {
  const Outcome<Arguments> object = answer.object(name);
  if (!object.ok()) return "{}";
  OrderedObject out;
  for (const std::string_view member : members) {
    if (!object->has(member)) continue;
    const std::string json = object->json(member);
    const bool cleaned = clean && json.starts_with('"');
    out.raw(member, cleaned ? json_string(clean(object->text(member))) : json);
  }
  return out.done();
}

TraceHeader header_of(const Arguments& line) {
  TraceHeader out;
  out.trace_id = line.text("trace_id");
  out.label = line.text("label");
  out.started_at = line.text("started_at");
  out.tool_version = line.text("tool_version");
  out.file = line.integer_or_nothing("file").value_or(1);
  return out;
}

/// Empty: the line is a row. Otherwise what keeps it from being one.
std::string read_row(const Arguments& line, TraceRow& row) {
  row.tool = line.text("tool");
  row.seq = line.integer_or_nothing("trace_seq").value_or(0);
  if (row.tool.empty()) return "has no tool";
  if (row.seq < 1) return "has no trace_seq";
  if (line.has("args") && !line.is_object("args")) return "its args are no object";
  if (line.has("result_summary") && !line.is_object("result_summary")) {
    return "its result_summary is no object";
  }
  row.step_id = line.integer_or_nothing("step_id");
  row.ts = line.text("ts");
  row.caller = line.text("caller");
  if (line.has("args")) row.args = line.json("args");
  if (line.has("result_summary")) row.summary = line.json("result_summary");
  row.hash_before = line.text("tree_hash_before");
  row.hash_after = line.text("tree_hash_after");
  row.duration_ms = line.integer_or_nothing("duration_ms").value_or(0);
  row.screenshot_full = line.text("screenshot_full_ref");
  row.screenshot_window = line.text("screenshot_window_ref");
  if (line.is_object("scenario")) row.scenario = line.json("scenario");
  return {};
}

std::string read_line(std::string_view text, TraceText& out) {
  if (text.size() > kMaxLine) return "is longer than 1 MiB";
  const Outcome<Arguments> line = Arguments::parse(text);
  if (!line.ok()) return "is no JSON object: " + line.failure().message;
  const std::string type = line->text("type");
  if (type == "header") {
    if (!out.header) out.header = header_of(*line);
    return {};
  }
  if (type == "footer") {
    out.footer =
        TraceFooter{line->text("stopped_at"), line->integer_or_nothing("step_count").value_or(0),
                    line->integer_or_nothing("duration_ms").value_or(0)};
    return {};
  }
  if (!type.empty()) return fmt::format("has the unknown type '{}'", type);
  TraceRow row;
  std::string problem = read_row(*line, row);
  if (problem.empty()) out.rows.push_back(std::move(row));
  return problem;
}

}  // namespace

std::string header_line(const TraceHeader& header) {
  OrderedObject out;
  out.text("type", "header");
  out.text("trace_id", header.trace_id);
  out.text("label", header.label);
  out.text("started_at", header.started_at);
  out.text("tool_version", header.tool_version);
  if (header.file > 1) out.number("file", header.file);
  return out.done() + "\n";
}

std::string row_line(const TraceRow& row) {
  OrderedObject out;
  out.raw("step_id", row.step_id ? fmt::format("{}", *row.step_id) : "null");
  out.number("trace_seq", row.seq);
  out.text("ts", row.ts);
  out.text("caller", row.caller);
  out.text("tool", row.tool);
  out.raw("args", row.args);
  out.raw("result_summary", row.summary);
  out.text("tree_hash_before", row.hash_before);
  out.text("tree_hash_after", row.hash_after);
  out.number("duration_ms", row.duration_ms);
  out.text_if("screenshot_full_ref", row.screenshot_full);
  out.text_if("screenshot_window_ref", row.screenshot_window);
  if (!row.scenario.empty()) out.raw("scenario", row.scenario);
  return out.done() + "\n";
}

std::string footer_line(const TraceFooter& footer) {
  OrderedObject out;
  out.text("type", "footer");
  out.text("stopped_at", footer.stopped_at);
  out.number("step_count", footer.step_count);
  out.number("duration_ms", footer.duration_ms);
  return out.done() + "\n";
}

std::string iso_time(std::int64_t wall_ns) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}+00:00",
                     fmt::gmtime(wall_ns / kNanosecondsPerSecond),
                     wall_ns % kNanosecondsPerSecond / 1000);
}

std::string summary_of(std::string_view answer, const CleanText& clean, std::optional<bool> ok) {
  const Outcome<Arguments> parsed = Arguments::parse(answer);
  OrderedObject out;
  if (!parsed.ok()) return out.done();
  if (ok && !parsed->has("ok")) out.raw("ok", *ok ? "true" : "false");
  for (const std::string_view name : kKept) {
    if (parsed->has(name) && !parsed->is_object(name) && !parsed->is_list(name)) {
      out.raw(name, parsed->json(name));
    }
  }
  if (parsed->is_object("target")) {
    out.raw("target", part_of(*parsed, "target", {"selector", "window_uid"}, clean));
  }
  if (parsed->is_object("error")) out.raw("error", part_of(*parsed, "error", {"code"}, {}));
  return out.done();
}

std::string recorded_args(std::string_view args, const std::vector<std::string>& redact_keys,
                          std::size_t max_bytes, const CleanText& clean) {
  const Outcome<Arguments> parsed = Arguments::parse(args);
  if (!parsed.ok()) return "{}";
  std::string out = Cleaner(redact_keys, clean, true).object(*parsed);
  if (out.size() <= max_bytes) return out;
  OrderedObject cut;
  cut.raw("__truncated", "true");
  cut.text("preview", std::string_view(out).substr(0, kPreview));  // ASCII, so no character is cut
  return cut.done();
}

std::string cleaned_args(std::string_view args, const CleanText& clean) {
  const Outcome<Arguments> parsed = Arguments::parse(args);
  if (!parsed.ok()) return "{}";
  const std::vector<std::string> no_keys;
  return Cleaner(no_keys, clean, false).object(*parsed);
}

void read_trace_lines(std::string_view text, const std::string& file, TraceText& out) {
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool torn = end == std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(torn ? text.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string problem = read_line(line, out);
    if (problem.empty()) continue;
    out.problems.push_back(fmt::format(
        "{}:{}: {}", file, number,
        torn ? "the last line was cut off; it is left out" : "left out, the line " + problem));
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const TraceRow& a, const TraceRow& b) { return a.seq < b.seq; });
}

}  // namespace gantry::observation
