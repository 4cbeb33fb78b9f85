// SPDX-License-Identifier: Apache-2.0
#include "observer_resources.hpp"

#include <gantry/mcp/json_rpc.hpp>
#include <gantry/mcp/json_text.hpp>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "fold.hpp"
#include "observer_answer.hpp"
#include "observer_arguments.hpp"
#include "observer_traces.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kWindowPrefix = "gantry://window/";
constexpr std::string_view kScreenUri = "gantry://screen";
constexpr std::string_view kPng = "image/png";
constexpr std::string_view kVariable = "window_uid";
constexpr std::size_t kMostValues = 100;

/// What is shown of one window.
struct WindowView {
  std::string_view suffix;
  std::string_view title;
  std::string_view media_type;
  std::string_view tool;
  std::string_view arguments;  ///< JSON members besides window_uid, with a comma before.
  std::string_view member;     ///< Of the answer, that is the contents; empty: all of it.
};
constexpr std::array<WindowView, 4> kViews{{
    {"/tree", "elements as short lines", "text/plain", "get_window_structure",
     R"(,"format":"lines","max_bytes":8000000)", "lines"},
    {"/tree.json", "accessibility tree", "application/json", "get_window_structure",
     R"(,"depth":64)", ""},
    {"/sketch", "drawn as text", "text/plain", "get_screen_sketch", "", "sketch"},
    {"/screenshot", "screenshot", kPng, "get_screenshot", "", ""},
}};

/// A resource that is the answer of one tool without arguments.
struct PlainView {
  std::string_view uri;
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view media_type;
  std::string_view tool;
};
constexpr std::array<PlainView, 2> kPlain{{
    {kWindowsUri, "windows", "Windows", "Every window: title, uid, process, place.",
     "application/json", "list_windows"},
    {kScreenUri, "screen", "Screen", "The whole desktop as a picture.", kPng,
     "get_full_screenshot"},
}};

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == ':';
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                        hex_value(text[i + 2]) >= 0;
    if (!escape) {
      out.push_back(text[i]);
      continue;
    }
    out.push_back(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
    i += 2;
  }
  return out;
}

/// An address of a window's view, taken apart.
struct WindowAddress {
  const WindowView* view = nullptr;
  std::string uid;
};

std::optional<WindowAddress> window_address(const std::string& uri) {
  if (!uri.starts_with(kWindowPrefix)) return std::nullopt;
  const std::string_view rest = std::string_view(uri).substr(kWindowPrefix.size());
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto* const view = std::find_if(kViews.begin(), kViews.end(), [&](const WindowView& one) {
    return rest.substr(slash) == one.suffix;
  });
  if (view == kViews.end()) return std::nullopt;
  return WindowAddress{&*view, percent_decoded(rest.substr(0, slash))};
}

struct Window {
  std::string uid, title;
};

std::vector<Window> windows_of(const ObserverToolResult& result) {
  std::vector<Window> out;
  boost::system::error_code problem;
  const json::value value = json::parse(result.result.text, problem);
  const json::object* object = problem ? nullptr : value.if_object();
  const json::value* windows = object == nullptr ? nullptr : member(*object, "windows");
  if (windows == nullptr || !windows->is_array()) return out;
  for (const json::value& window : windows->get_array()) {
    const json::object* one = window.if_object();
    const auto uid = one == nullptr ? std::nullopt : text_member(*one, "window_uid");
    if (uid) out.push_back({*uid, text_member(*one, "title").value_or("")});
  }
  return out;
}

void with_windows(ObserverSource& source, std::function<void(Result<std::vector<Window>>)> done) {
  ObserverToolRequest request;
  request.tool = "list_windows";
  request.caller = "mcp:resources";
  source.ask(std::move(request), [done = std::move(done)](Result<ObserverToolResult> result) {
    if (!result.ok()) return done(std::move(result).error());
    done(windows_of(*result));
  });
}

ResourceDescription describe(const WindowView& view, const Window& window) {
  ResourceDescription out;
  out.uri = std::string(kWindowPrefix) + percent_encoded(window.uid) + std::string(view.suffix);
  out.name = window.uid + std::string(view.suffix);
  out.title = window.title + ": " + std::string(view.title);
  out.media_type = view.media_type;
  return out;
}

/// The contents that a tool's answer is.
Result<ResourceContents> contents_of(const ObserverToolResult& result, const std::string& uri,
                                     std::string_view media_type, std::string_view member_name) {
  if (!result.ok) {
    const Code code = result.error_code == "WindowGone" ? Code::NotFound : Code::Unavailable;
    return Error{code, result.error_code + ": " + result.message, {}};
  }
  const ToolResult answer = observer_answer(result, {}, {});
  ContentBlock block;
  for (const ContentBlock& one : answer.content) {
    if (one.kind == ContentKind::Image) block = one;
  }
  block.kind = ContentKind::Resource;
  block.uri = uri;
  block.media_type = media_type;
  if (block.data.empty()) {
    block.text = result.result.text;
    boost::system::error_code problem;
    const json::value value = json::parse(result.result.text, problem);
    if (!member_name.empty() && !problem && value.is_object()) {
      block.text = text_member(value.get_object(), member_name).value_or("");
    }
  }
  ResourceContents out;
  out.contents.push_back(std::move(block));
  return out;
}

}  // namespace

void list_observer_resources(ObserverSource& source, Done<std::vector<ResourceDescription>> done) {
  with_windows(source, [self = source.shared_from_this(),
                        done = std::move(done)](Result<std::vector<Window>> windows) {
    std::vector<ResourceDescription> out;
    for (const PlainView& view : kPlain) {
      out.push_back({std::string(view.uri),
                     std::string(view.name),
                     std::string(view.title),
                     std::string(view.description),
                     std::string(view.media_type),
                     {},
                     {}});
    }
    // Without a desktop there are no windows, and the rest says why when it is read.
    if (windows.ok()) {
      for (const Window& window : *windows) {
        for (const WindowView& view : kViews) out.push_back(describe(view, window));
      }
    }
    list_trace_resources(
        *self, [out = std::move(out), done](std::vector<ResourceDescription> traces) mutable {
          std::move(traces.begin(), traces.end(), std::back_inserter(out));
          done(std::move(out));
        });
  });
}

std::vector<ResourceTemplate> observer_templates() {
  std::vector<ResourceTemplate> out;
  for (const WindowView& view : kViews) {
    ResourceTemplate one;
    one.uri_template = std::string(kWindowPrefix) + "{window_uid}" + std::string(view.suffix);
    one.name = "window" + std::string(view.suffix);
    one.title = "A window: " + std::string(view.title);
    one.media_type = view.media_type;
    out.push_back(std::move(one));
  }
  std::vector<ResourceTemplate> traces = trace_templates();
  std::move(traces.begin(), traces.end(), std::back_inserter(out));
  return out;
}

void read_observer_resource(ObserverSource& source, const ResourceReadRequest& request,
                            Done<ResourceContents> done) {
  const std::string& uri = request.uri;
  if (is_trace_resource(uri)) return read_trace_resource(source, request, std::move(done));
  ObserverToolRequest call;
  call.caller = request.caller;
  std::string_view media_type, member_name;
  const auto* const plain = std::find_if(kPlain.begin(), kPlain.end(),
                                         [&](const PlainView& view) { return view.uri == uri; });
  if (plain != kPlain.end()) {
    call.tool = plain->tool;
    media_type = plain->media_type;
  } else if (const auto address = window_address(uri)) {
    call.tool = address->view->tool;
    call.arguments = Json("{\"window_uid\":" + quoted(address->uid) +
                          std::string(address->view->arguments) + "}");
    media_type = address->view->media_type;
    member_name = address->view->member;
  } else {
    return done(not_found({}));
  }
  if (media_type == kPng) {
    call.arguments =
        Json(with_picture_size(call.arguments.text, source.settings().pictures, "png"));
  }
  source.ask(std::move(call), [uri, media_type, member_name,
                               done = std::move(done)](Result<ObserverToolResult> result) {
    if (!result.ok()) return done(std::move(result).error());
    done(contents_of(*result, uri, media_type, member_name));
  });
}

std::optional<WatchedResource> watched_resource(const std::string& uri) {
  using Kind = WatchedResource::Kind;
  if (uri == kWindowsUri) return WatchedResource{Kind::Windows, {}};
  if (uri == kScreenUri) return WatchedResource{Kind::Screen, {}};
  const auto address = window_address(uri);
  if (!address) return std::nullopt;
  return WatchedResource{address->view->media_type == kPng ? Kind::Picture : Kind::Tree,
                         address->uid};
}

void complete_observer(ObserverSource& source, const CompletionRequest& request,
                       Done<Completions> done) {
  if (is_trace_resource(request.uri_template)) {
    return complete_trace(source, request, std::move(done));
  }
  const bool window_template = request.uri_template.starts_with(kWindowPrefix);
  const bool prompt = request.prompt == "drive_desktop";
  if (!window_template && !prompt) return done(not_found({}));
  const bool uid = request.argument == kVariable;
  if (!uid) return done(Completions{{}, 0, false});
  with_windows(source, [value = request.value, title = folded(request.value),
                        done = std::move(done)](Result<std::vector<Window>> windows) {
    if (!windows.ok()) return done(std::move(windows).error());
    Completions out;
    for (const Window& window : *windows) {
      if (window.uid.starts_with(value) ||
          folded(window.title).find(title) != std::u32string::npos) {
        out.values.push_back(window.uid);
      }
    }
    out.total = static_cast<std::int64_t>(out.values.size());
    out.more = out.values.size() > kMostValues;
    out.values.resize(std::min(out.values.size(), kMostValues));
    done(std::move(out));
  });
}

}  // namespace gantry::mcp
