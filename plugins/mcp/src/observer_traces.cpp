// SPDX-License-Identifier: Apache-2.0
#include "observer_traces.hpp"

#include <gantry/mcp/json_text.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "fold.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kPrefix = "gantry://trace/";
constexpr std::string_view kLines = "lines/";
constexpr std::string_view kPage = "page.html";
constexpr std::string_view kPictures = "screenshots/";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kCaller = "mcp:resources";
constexpr std::int64_t kListed = 50;          // among the resources
constexpr std::int64_t kMostSearched = 1000;  // by label
constexpr std::size_t kMostCompleted = 100;
constexpr std::int64_t kMostPages = 100'000;  // that are looked through for a completion

/// What an address asks for; nothing when it is of no recording.
std::optional<RecordingReadRequest> trace_request(std::string_view uri) {
  if (!uri.starts_with(kPrefix)) return std::nullopt;
  const std::string_view rest = uri.substr(kPrefix.size());
  const auto slash = rest.find('/');
  RecordingReadRequest out;
  out.trace_id = rest.substr(0, slash);
  if (slash == std::string_view::npos) return out;
  const std::string_view part = rest.substr(slash + 1);
  if (part == kPage) {
    out.form = RecordingForm::Page;
    return out;
  }
  if (part.starts_with(kPictures)) {
    out.form = RecordingForm::Picture;
    out.picture = part.substr(kPictures.size());
    return out;
  }
  if (!part.starts_with(kLines)) return std::nullopt;
  const std::string_view number = part.substr(kLines.size());
  out.form = RecordingForm::Lines;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out.page);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return out;
}

std::string info_json(const RecordingInfo& info) {
  const std::string uri = trace_uri(info.trace_id);
  ObjectText out;
  out.add("trace_id", info.trace_id).add("uri", uri).add_if("label", info.label);
  out.add_if("started_at", info.started_at).add_if("stopped_at", info.stopped_at);
  out.add("running", info.running);
  if (info.calls) out.add("calls", *info.calls);
  if (info.duration_ms) out.add("duration_ms", *info.duration_ms);
  out.add("bytes", info.bytes).add("page_count", info.pages);
  return out.take();
}

/// One recording, and where the rest of it is.
std::string whole_json(const RecordingInfo& info) {
  const std::string uri = trace_uri(info.trace_id);
  std::string out = info_json(info);
  out.pop_back();
  const std::string more = ObjectText()
                               .add("lines", uri + "/lines/{page}")
                               .add("html", uri + "/page.html")
                               .add("untrusted", true)
                               .text();
  return out + "," + more.substr(1);
}

std::string list_json(const RecordingInfos& infos) {
  ArrayText traces;
  for (const RecordingInfo& one : infos.traces) traces.raw(info_json(one));
  return ObjectText()
      .raw("traces", traces.text())
      .add("total", infos.total)
      .add("untrusted", true)
      .text();
}

ResourceContents contents(const std::string& uri, std::string_view media_type, std::string text) {
  ContentBlock block;
  block.kind = ContentKind::Resource;
  block.uri = uri;
  block.media_type = media_type;
  block.text = std::move(text);
  ResourceContents out;
  out.contents.push_back(std::move(block));
  return out;
}

ResourceContents contents_of(const std::string& uri, RecordingForm form,
                             const RecordingContents& trace) {
  switch (form) {
    case RecordingForm::Lines: return contents(uri, "application/x-ndjson", trace.text);
    case RecordingForm::Page: return contents(uri, "text/html", trace.text);
    case RecordingForm::Picture: {
      ResourceContents out = contents(uri, "image/png", {});
      out.contents.front().data = trace.data;
      return out;
    }
    case RecordingForm::Info: break;
  }
  return contents(uri, kJson, whole_json(trace.info));
}

ResourceDescription describe_trace(const RecordingInfo& info) {
  ResourceDescription out;
  out.uri = trace_uri(info.trace_id);
  out.name = info.trace_id;
  out.title = "Recording" + (info.label.empty() ? "" : ": " + info.label);
  out.description = info.running ? "Runs" : info.stopped_at.empty() ? "Not ended" : "Ended";
  if (!info.started_at.empty()) out.description += "; begun " + info.started_at;
  if (info.calls) out.description += "; " + std::to_string(*info.calls) + " calls";
  out.media_type = kJson;
  return out;
}

/// Which recording runs, or an address that means nothing: only for those who may read recordings.
void read_other(ObserverSource& source, const ResourceReadRequest& request,
                Done<ResourceContents> done) {
  source.may_read_recordings(request.caller, [self = source.shared_from_this(), request,
                                              done = std::move(done)](Result<void> may) mutable {
    if (!may.ok()) return done(std::move(may).error());
    if (request.uri != kTraceUri) return done(not_found({}));
    ObserverToolRequest status;
    status.tool = "trace_status";
    status.caller = request.caller;
    self->ask(std::move(status),
              [uri = request.uri, done = std::move(done)](Result<ObserverToolResult> result) {
                if (!result.ok()) return done(std::move(result).error());
                if (!result->ok)
                  return done(unavailable(result->error_code + ": " + result->message, ""));
                done(contents(uri, kJson, std::move(result->result.text)));
              });
  });
}

Completions completions(std::vector<std::string> values, std::int64_t total) {
  Completions out;
  out.total = total;
  out.more = static_cast<std::size_t>(total) > std::min(values.size(), kMostCompleted);
  values.resize(std::min(values.size(), kMostCompleted));
  out.values = std::move(values);
  return out;
}

/// By the beginning of the id, or, when it is none, by a part of the label in any case.
void complete_id(ObserverSource& source, const std::string& value, Done<Completions> done) {
  constexpr std::string_view kIdStart = "trace-";
  const bool by_id = value.starts_with(kIdStart) || kIdStart.starts_with(value);
  RecordingListRequest request{by_id ? value : "",
                               by_id ? std::int64_t{kMostCompleted} : kMostSearched,
                               std::string(kCaller)};
  source.recordings(std::move(request), [by_id, label = folded(value),
                                         done = std::move(done)](Result<RecordingInfos> infos) {
    if (!infos.ok()) return done(std::move(infos).error());
    std::vector<std::string> ids;
    for (const RecordingInfo& one : infos->traces) {
      if (by_id || folded(one.label).find(label) != std::u32string::npos)
        ids.push_back(one.trace_id);
    }
    const auto found = static_cast<std::int64_t>(ids.size());
    done(completions(std::move(ids), by_id ? infos->total : found));
  });
}

void complete_page(ObserverSource& source, const CompletionRequest& request,
                   Done<Completions> done) {
  const auto id = request.context.find("trace_id");
  if (id == request.context.end()) return done(Completions{{}, 0, false});
  RecordingReadRequest read;
  read.trace_id = id->second;
  read.caller = kCaller;
  source.recording(std::move(read), [value = request.value,
                                     done = std::move(done)](Result<RecordingContents> trace) {
    if (!trace.ok()) return done(std::move(trace).error());
    std::vector<std::string> pages;
    std::int64_t total = 0;
    const std::int64_t last = std::min(trace->info.pages, kMostPages);
    for (std::int64_t page = 1; page <= last; ++page) {
      std::string text = std::to_string(page);
      if (!text.starts_with(value)) continue;
      if (++total <= static_cast<std::int64_t>(kMostCompleted)) pages.push_back(std::move(text));
    }
    done(completions(std::move(pages), total));
  });
}

}  // namespace

std::string trace_uri(std::string_view trace_id) {
  return std::string(kPrefix) + std::string(trace_id);
}

void list_trace_resources(ObserverSource& source,
                          std::function<void(std::vector<ResourceDescription>)> done) {
  source.recordings({"", kListed, std::string(kCaller)},
                    [done = std::move(done)](Result<RecordingInfos> infos) {
                      std::vector<ResourceDescription> out;
                      out.push_back({kTraceUri,
                                     "trace",
                                     "Running recording",
                                     "Which recording runs, and where it is written.",
                                     std::string(kJson),
                                     {},
                                     {}});
                      out.push_back({kTracesUri,
                                     "traces",
                                     "Recordings",
                                     "The recordings, the newest first.",
                                     std::string(kJson),
                                     {},
                                     {}});
                      if (infos.ok()) {
                        for (const RecordingInfo& one : infos->traces)
                          out.push_back(describe_trace(one));
                      }
                      done(std::move(out));
                    });
}

std::vector<ResourceTemplate> trace_templates() {
  const std::string one = trace_uri("{trace_id}");
  return {
      {one, "trace", "A recording: when, how many calls, its pages", {}, std::string(kJson)},
      {one + "/lines/{page}", "trace/lines", "A recording: a page of its lines, one call each",
       "Pages from 1 to page_count; lines are whole.", "application/x-ndjson"},
      {one + "/page.html",
       "trace/page.html",
       "A recording: one page with its pictures",
       {},
       "text/html"},
      {one + "/screenshots/{picture}", "trace/screenshots", "A recording: a picture",
       "Named by the lines, as screenshots/step-00001-full.png.", "image/png"},
  };
}

bool is_trace_resource(std::string_view uri) {
  return uri == kTraceUri || uri == kTracesUri || uri.starts_with(kPrefix);
}

void read_trace_resource(ObserverSource& source, const ResourceReadRequest& request,
                         Done<ResourceContents> done) {
  const std::string& uri = request.uri;
  if (uri == kTracesUri) {
    return source.recordings({"", 100, request.caller},
                             [uri, done = std::move(done)](Result<RecordingInfos> infos) {
                               if (!infos.ok()) return done(std::move(infos).error());
                               done(contents(uri, kJson, list_json(*infos)));
                             });
  }
  auto read = uri == kTraceUri ? std::nullopt : trace_request(uri);
  if (!read) return read_other(source, request, std::move(done));
  read->caller = request.caller;
  // Quotes and base64 make it longer on the wire.
  read->most_bytes = source.settings().max_resource_bytes / 2;
  const RecordingForm form = read->form;
  source.recording(std::move(*read),
                   [uri, form, done = std::move(done)](Result<RecordingContents> trace) {
                     if (!trace.ok()) return done(std::move(trace).error());
                     done(contents_of(uri, form, *trace));
                   });
}

void complete_trace(ObserverSource& source, const CompletionRequest& request,
                    Done<Completions> done) {
  source.may_read_recordings(std::string(kCaller), [self = source.shared_from_this(), request,
                                                    done = std::move(done)](Result<void> may) {
    if (!may.ok()) return done(std::move(may).error());
    if (request.argument == "trace_id") return complete_id(*self, request.value, done);
    if (request.argument == "page") return complete_page(*self, request, done);
    done(Completions{{}, 0, false});
  });
}

}  // namespace gantry::mcp
