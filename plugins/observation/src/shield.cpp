// SPDX-License-Identifier: Apache-2.0
#include "shield.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "occlusion.hpp"
#include "paint_over.hpp"
#include "screens.hpp"
#include "trees.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kMaxKinds = 64;
constexpr std::size_t kMaxTitles = 1024;
constexpr std::size_t kMinTitle = 4;
/// Borders and shadows of a field show where its text is, and text may overhang.
constexpr std::int32_t kMargin = 2;

Rect with_margin(const Rect& area) {
  return {area.x - kMargin, area.y - kMargin, area.width + 2 * kMargin, area.height + 2 * kMargin};
}

std::uint64_t mark_of(const std::vector<Rect>& areas) {
  std::uint64_t mark = areas.empty() ? 0 : 1469598103934665603U;
  for (const Rect& area : areas) {
    for (const std::int32_t part : {area.x, area.y, area.width, area.height}) {
      mark = (mark ^ static_cast<std::uint32_t>(part)) * 1099511628211U;
    }
  }
  return mark;
}

/// Whether a picture of this kind can show something of the window.
bool may_show(const CaptureRequest& request, const WindowInfo& window,
              const std::vector<WindowInfo>& all) {
  if (window.minimized || !window.mapped) return false;
  if (request.region && intersection(*request.region, reach(window)).empty()) return false;
  if (request.target != CaptureTarget::Window || window.handle == request.handle) return true;
  const auto target = std::find_if(all.begin(), all.end(), [&](const WindowInfo& other) {
    return other.handle == request.handle;
  });
  if (target == all.end()) return true;
  const bool above = window.transient || window.stacking > target->stacking;
  return above && !intersection(reach(*target), reach(window)).empty();
}

}  // namespace

std::string Shield::true_title(const std::string& handle, std::string_view shown) const {
  const auto found = titles_.find(handle);
  return found != titles_.end() ? found->second : std::string(shown);
}

void Shield::take_titles_out(std::string& text) const {
  const std::string& with = redaction_.rules().replacement;
  for (const std::string& title : hidden_titles_) {
    for (std::size_t at = text.find(title); at != std::string::npos; at = text.find(title, at)) {
      // A short title is a word like any other unless it stands in quotes.
      const bool quoted = at > 0 && (text[at - 1] == '\'' || text[at - 1] == '"');
      if (title.size() < kMinTitle && !quoted) {
        at += title.size();
        continue;
      }
      text.replace(at, title.size(), with);
      at += with.size();
    }
  }
}

std::string Shield::scrubbed(std::string_view text) {
  std::string whole(text);  // titles go first: a pattern may fit a part of one
  take_titles_out(whole);
  return redaction_.text(whole);
}

std::string Shield::recorded(std::string_view text) {
  std::string whole(text);
  take_titles_out(whole);
  return redaction_.recorded(whole);
}

Task<bool> Shield::learn_titles() {
  if (!redaction_.active()) co_return false;
  const Answer<WindowList> all = co_await inner_.all_windows();
  (void)shown(all);
  co_return true;
}

Error Shield::scrubbed(const Error& error) {
  Error out = error;
  out.message = scrubbed(error.message);
  return out;
}

Answer<WindowList> Shield::shown(Answer<WindowList> answer) {
  if (!answer.ok()) return scrubbed(answer.error());
  if (titles_.size() > kMaxTitles) titles_.clear();
  std::vector<std::string> titles;
  bool differs = false;
  for (const WindowInfo& window : (*answer)->windows) {
    titles.push_back(redaction_.title(window.title));
    if (titles.back() == window.title) {
      titles_.erase(window.handle);
      continue;
    }
    differs = true;
    titles_[window.handle] = window.title;
    if (window.title.empty()) continue;
    std::erase(hidden_titles_, window.title);
    hidden_titles_.push_back(window.title);
    if (hidden_titles_.size() > kMaxTitles) hidden_titles_.pop_front();
  }
  if (!differs) return answer;
  WindowList list = **answer;
  for (std::size_t i = 0; i < titles.size(); ++i) list.windows[i].title = std::move(titles[i]);
  return make_body<WindowList>(std::move(list));
}

Task<Answer<WindowList>> Shield::windows() {
  Answer<WindowList> answer = co_await inner_.windows();
  co_return shown(std::move(answer));
}

Task<Answer<WindowList>> Shield::all_windows() {
  Answer<WindowList> answer = co_await inner_.all_windows();
  co_return shown(std::move(answer));
}

Task<Answer<A11yTree>> Shield::tree(A11yTreeRequest request) {
  request.title = true_title(request.handle, request.title);  // adapters find trees by it
  Answer<A11yTree> answer = co_await inner_.tree(std::move(request));
  if (!answer.ok()) co_return scrubbed(answer.error());
  co_return answer;
}

template <class T>
Task<Answer<T>> Shield::scrubbed_answer(Answer<T> answer, std::string T::*one,
                                        std::string T::*two) {
  (void)co_await learn_titles();
  if (!answer.ok()) co_return scrubbed(answer.error());
  T value = **answer;
  std::string first = scrubbed(value.*one);
  std::string second = scrubbed(value.*two);
  if (first == value.*one && second == value.*two) co_return answer;
  value.*one = std::move(first);
  value.*two = std::move(second);
  co_return make_body<T>(std::move(value));
}

Task<Answer<ActivateWindowResult>> Shield::activate(ActivateWindowRequest request) {
  Answer<ActivateWindowResult> answer = co_await inner_.activate(std::move(request));
  co_return co_await scrubbed_answer(std::move(answer), &ActivateWindowResult::route,
                                     &ActivateWindowResult::evidence);
}

Task<Answer<A11yActionResult>> Shield::act(A11yActionRequest request) {
  Answer<A11yActionResult> answer = co_await inner_.act(std::move(request));
  co_return co_await scrubbed_answer(std::move(answer), &A11yActionResult::text,
                                     &A11yActionResult::evidence);
}

Task<Answer<InputReceipt>> Shield::pointer(PointerRequest request) {
  Answer<InputReceipt> answer = co_await inner_.pointer(std::move(request));
  co_return co_await scrubbed_answer(std::move(answer), &InputReceipt::evidence,
                                     &InputReceipt::note);
}

Task<Answer<InputReceipt>> Shield::key(KeyRequest request) {
  Answer<InputReceipt> answer = co_await inner_.key(std::move(request));
  co_return co_await scrubbed_answer(std::move(answer), &InputReceipt::evidence,
                                     &InputReceipt::note);
}

Task<Answer<InputReceipt>> Shield::type(TextRequest request) {
  Answer<InputReceipt> answer = co_await inner_.type(std::move(request));
  co_return co_await scrubbed_answer(std::move(answer), &InputReceipt::evidence,
                                     &InputReceipt::note);
}

Task<std::vector<Rect>> Shield::hidden_in(const WindowInfo& window,
                                          const std::vector<WindowInfo>& all, bool stacked,
                                          Hide hide) {
  const bool everything = hide == Hide::WhateverTreesHide;
  const bool blur = redaction_.active() && (everything || redaction_.rules().blur_screenshots);
  std::vector<Rect> areas;
  const auto add = [&](const Rect& area) {
    const std::vector<Rect> covers = stacked ? frames_above(all, window) : std::vector<Rect>();
    const std::vector<Rect> seen = visible_parts(with_margin(area), std::nullopt, covers);
    areas.insert(areas.end(), seen.begin(), seen.end());
  };
  // A title that is not shown as it is stands in the window's decoration.
  if (blur && titles_.contains(window.handle)) {
    add(reach(window));
    co_return areas;
  }
  // What the operator wants painted over is looked up anew, because things move.
  const Outcome<TreeCapture> capture =
      co_await trees_->reported(window, blur ? Freshness::Fresh : Freshness::Cached);
  if (!capture.ok()) {
    // An application that does not answer may hide anything; one without a tree has no elements.
    if (blur && capture.failure().fault == Fault::Timeout) add(reach(window));
    co_return areas;
  }
  walk(capture->tree->root, [&](const Node& node, int) {
    // Without a rule an element is hidden where it repeats what was typed in secret.
    const bool secret = is_password(node) || ((blur || everything) && node.hidden != nullptr);
    if (secret && node.visible && !node.bounds.empty()) add(node.bounds);
  });
  co_return areas;
}

Task<std::vector<Rect>> Shield::hidden_areas(const CaptureRequest& request, Hide hide) {
  std::vector<Rect> areas;
  if (trees_ == nullptr) co_return areas;
  const Answer<WindowList> all = co_await all_windows();
  if (!all.ok()) co_return areas;
  const bool stacked = !(*all)->is_mock;  // the made-up desktops have no stacking order
  for (const WindowInfo& window : (*all)->windows) {
    if (window.transient || !may_show(request, window, (*all)->windows)) continue;
    const std::vector<Rect> inside = co_await hidden_in(window, (*all)->windows, stacked, hide);
    areas.insert(areas.end(), inside.begin(), inside.end());
  }
  co_return areas;
}

Task<Answer<Capture>> Shield::capture(CaptureRequest request) {
  const std::vector<Rect> areas = co_await hidden_areas(request, Hide::AsConfigured);
  const std::uint64_t mark = mark_of(areas);
  if (painted_.size() > kMaxKinds) painted_.clear();
  std::uint64_t& known = painted_[capture_key(request)];
  if (known != mark) request.unless_serial = 0;
  known = mark;
  co_return co_await painted(std::move(request), areas);
}

Task<Answer<Capture>> Shield::capture_for_words(CaptureRequest request) {
  request.unless_serial = 0;  // what is known was painted over otherwise
  const std::vector<Rect> areas = co_await hidden_areas(request, Hide::WhateverTreesHide);
  co_return co_await painted(std::move(request), areas);
}

Task<Answer<Capture>> Shield::painted(CaptureRequest request, const std::vector<Rect>& areas) {
  Answer<Capture> answer = co_await inner_.capture(std::move(request));
  if (!answer.ok()) co_return scrubbed(answer.error());
  if ((*answer)->unchanged || areas.empty()) co_return answer;
  Capture painted = **answer;
  std::function<void()> work = [&] { painted.image = paint_over(painted, areas); };
  const Result<void> done = co_await inner_.offload(std::move(work));
  if (!done.ok()) co_return done.error();
  co_return make_body<Capture>(std::move(painted));
}

}  // namespace gantry::observation
