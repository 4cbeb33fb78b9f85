// SPDX-License-Identifier: Apache-2.0
#include "trace_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "arguments.hpp"
#include "base64.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kMaxPicture = 32U << 20U;
constexpr std::size_t kMaxShown = 4000;  // bytes of one JSON value on the page
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n";

/// For text and quoted attributes alike.
std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char character : text) {
    switch (character) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += character;
    }
  }
  return out;
}

/// What the page says of one call, read from its summary.
struct Facts {
  bool ok = false;
  std::string error;
  std::string target;
  bool changed = false;
};

Facts facts_of(const TraceRow& row) {
  Facts out;
  const Outcome<Arguments> summary = Arguments::parse(row.summary);
  if (!summary.ok()) return out;
  out.ok = summary->flag("ok") || !summary->has("ok");
  out.changed = summary->flag("changed") || row.hash_before != row.hash_after;
  if (summary->is_object("error")) {
    const Outcome<Arguments> error = summary->object("error");
    if (error.ok()) out.error = error->text("code");
  }
  if (summary->is_object("target")) {
    const Outcome<Arguments> target = summary->object("target");
    if (target.ok()) out.target = target->text("selector");
  }
  return out;
}

std::string_view class_of(const Facts& facts) {
  if (!facts.ok) return "bad";
  return facts.changed ? "moved" : "calm";
}

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<style>
:root{--ink:#1b1f2a;--soft:#5d6778;--line:#dde2e9;--paper:#fff;--ground:#f4f5f7;--calm:#8c97a6;--moved:#2a7f9e;--bad:#c0392b}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ef;--soft:#9aa5b6;--line:#323a48;--paper:#1c212b;--ground:#14181f;--calm:#6b7687;--moved:#4fa3c5;--bad:#e57364}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.4rem;margin:0 0 .25rem}
p.meta{margin:0 0 1rem;color:var(--soft)}
nav{position:sticky;top:0;display:flex;gap:2px;flex-wrap:wrap;padding:.6rem 0;background:var(--ground);z-index:1}
nav a{display:block;min-width:10px;height:22px;flex:1 1 10px;max-width:48px;border-radius:3px;background:var(--calm)}
nav a.moved,.tag.moved{background:var(--moved)}
nav a.bad,.tag.bad{background:var(--bad)}
nav a:hover,nav a:focus{outline:2px solid var(--ink)}
article{background:var(--paper);border:1px solid var(--line);border-left:4px solid var(--calm);border-radius:6px;margin:0 0 .75rem;padding:.7rem 1rem;scroll-margin-top:4rem}
article.moved{border-left-color:var(--moved)}
article.bad{border-left-color:var(--bad)}
article:target{outline:2px solid var(--moved)}
header{display:flex;gap:.75rem;flex-wrap:wrap;align-items:baseline}
header b{font-size:1.02rem}
header span{color:var(--soft);font-variant-numeric:tabular-nums}
.tag{color:#fff!important;border-radius:4px;padding:0 .45rem;font-size:.85rem}
pre{margin:.4rem 0 0;padding:.5rem .7rem;background:var(--ground);border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.45 ui-monospace,monospace}
summary{cursor:pointer;color:var(--soft);margin-top:.4rem}
figure{display:inline-block;margin:.6rem .6rem 0 0;max-width:100%}
figure img{max-width:min(100%,30rem);height:auto;border:1px solid var(--line);border-radius:4px;display:block}
figcaption{color:var(--soft);font-size:.85rem}
ul.problems{color:var(--bad)}
</style>
)";

std::string json_block(std::string_view title, const std::string& json, bool open) {
  if (json.empty() || json == "{}") return {};
  const bool cut = json.size() > kMaxShown;
  return fmt::format("<details{}><summary>{}</summary><pre>{}{}</pre></details>\n",
                     open ? " open" : "", title,
                     escaped(std::string_view(json).substr(0, kMaxShown)), cut ? "…" : "");
}

std::string figure(const std::string& reference, std::string_view caption, std::int64_t seq,
                   const std::function<std::optional<std::string>(const std::string&)>& picture) {
  if (reference.empty()) return {};
  const std::optional<std::string> png = picture(reference);
  if (!png) {
    return fmt::format("<p class=\"meta\">{}: the picture {} is missing</p>\n", caption,
                       escaped(reference));
  }
  return fmt::format(
      "<figure><img alt=\"{0} after call {1}\" src=\"data:image/png;base64,{2}\">"
      "<figcaption>{0} after call {1}</figcaption></figure>\n",
      caption, seq, *png);
}

std::string article(const TraceRow& row,
                    const std::function<std::optional<std::string>(const std::string&)>& picture) {
  const Facts facts = facts_of(row);
  std::string out =
      fmt::format("<article id=\"c{}\" class=\"{}\"><header><span>#{}</span><b>{}</b>", row.seq,
                  class_of(facts), row.seq, escaped(row.tool));
  if (!facts.ok) {
    out += fmt::format("<span class=\"tag bad\">{}</span>",
                       facts.error.empty() ? "failed" : escaped(facts.error));
  } else if (facts.changed) {
    out += "<span class=\"tag moved\">changed</span>";
  }
  out += fmt::format("<span>{} ms</span><span>{}</span><span>{}</span></header>\n", row.duration_ms,
                     escaped(row.ts), escaped(row.caller));
  if (!facts.target.empty()) out += fmt::format("<div>{}</div>\n", escaped(facts.target));
  out += json_block("arguments", row.args, true);
  out += json_block("result", row.summary, false);
  out += json_block("scenario", row.scenario, true);
  out += figure(row.screenshot_full, "Screen", row.seq, picture);
  out += figure(row.screenshot_window, "Window", row.seq, picture);
  return out + "</article>\n";
}

std::string timeline(const TraceText& trace) {
  std::string out = "<nav aria-label=\"Calls\">";
  for (const TraceRow& row : trace.rows) {
    out += fmt::format(
        "<a class=\"{0}\" href=\"#c{1}\" title=\"#{1} {2}, {3} ms\" "
        "aria-label=\"Call {1}, {2}\"></a>",
        class_of(facts_of(row)), row.seq, escaped(row.tool), row.duration_ms);
  }
  return out + "</nav>\n";
}

/// Reads the pictures of one recording, as long as there is room for them.
class PictureReader {
 public:
  PictureReader(const TraceFolder& folder, std::size_t most, std::vector<std::string>& problems)
      : folder_(folder), most_(most), problems_(problems) {}

  std::optional<std::string> read(const std::string& reference) {
    if (most_ == 0) return missing(reference, "may not be shown");
    if (!is_picture_reference(reference)) return missing(reference, "is not the name of a picture");
    const PlainFile file = folder_.picture(reference);
    if (!file.ok()) return missing(reference, "is not there");
    const std::int64_t size = file.size();
    const std::size_t encoded = (static_cast<std::size_t>(size) + 2) / 3 * 4;
    if (static_cast<std::size_t>(size) > kMaxPicture || encoded > most_ - total_) {
      return missing(reference, "is too large for the page");
    }
    total_ += encoded;
    const std::string bytes = file.read(0, size);
    if (!is_png(bytes)) return missing(reference, "is no PNG");
    return encode_base64({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }

 private:
  std::optional<std::string> missing(const std::string& reference, std::string_view why) {
    problems_.push_back(fmt::format("{} {}", reference, why));
    return std::nullopt;
  }

  const TraceFolder& folder_;
  std::size_t most_;
  std::vector<std::string>& problems_;
  std::size_t total_ = 0;
};

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with(kPngStart); }

/// Only names that the recorder gives: a recording from elsewhere cannot name another file.
bool is_picture_reference(std::string_view reference) {
  constexpr std::string_view kFolder = "screenshots/step-";
  if (!reference.starts_with(kFolder) || !reference.ends_with(".png")) return false;
  const std::string_view rest = reference.substr(kFolder.size());
  return rest.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz-.") ==
             std::string_view::npos &&
         rest.find("..") == std::string_view::npos;
}

std::string trace_page(
    const TraceText& trace,
    const std::function<std::optional<std::string>(const std::string&)>& picture) {
  const TraceHeader header = trace.header.value_or(TraceHeader{});
  const std::string title = header.label.empty() ? header.trace_id : header.label;
  std::string calls;
  std::size_t failed = 0;
  for (const TraceRow& row : trace.rows) {
    calls += article(row, picture);
    if (!facts_of(row).ok) ++failed;
  }
  std::string out(kHead);
  out += fmt::format("<title>{}</title></head>\n<body><main><h1>{}</h1>\n", escaped(title),
                     escaped(title));
  out += fmt::format("<p class=\"meta\">{}, from {}, {} calls, {} failed", escaped(header.trace_id),
                     escaped(header.started_at), trace.rows.size(), failed);
  if (trace.footer)
    out += fmt::format(", {:.1f} s", static_cast<double>(trace.footer->duration_ms) / 1000);
  out += trace.footer ? "</p>\n" : ", not ended</p>\n";
  if (!trace.problems.empty()) {
    out += "<ul class=\"problems\">";
    for (const std::string& problem : trace.problems) {
      out += fmt::format("<li>{}</li>", escaped(problem));
    }
    out += "</ul>\n";
  }
  return out + timeline(trace) + calls + "</main></body></html>\n";
}

namespace {

TracePage page_of(const TraceText& trace, const TraceFolder& folder, const PageLimits& limits) {
  TracePage page;
  page.problems = trace.problems;
  PictureReader pictures(folder, limits.pictures, page.problems);
  page.html =
      trace_page(trace, [&](const std::string& reference) { return pictures.read(reference); });
  page.calls = static_cast<std::int64_t>(trace.rows.size());
  return page;
}

}  // namespace

Result<TracePage> export_trace(const TraceFolder& folder, const PageLimits& limits) {
  GANTRY_ASSIGN(const TraceText trace, load_trace(folder, limits.lines));
  return page_of(trace, folder, limits);
}

Result<TracePage> export_trace(const std::string& folder, const PageLimits& limits) {
  GANTRY_ASSIGN(const NamedTrace named, open_named_trace(folder, TraceFolder::Links::Follow));
  const Result<TraceText> trace = load_trace(named, limits.lines);
  if (!trace.ok()) return Error{trace.error().code, folder + " " + trace.error().message, {}};
  return page_of(*trace, named.folder, limits);
}

}  // namespace gantry::observation
