// SPDX-License-Identifier: Apache-2.0
#include "grounding.hpp"

#include <gantry/llm/json.hpp>

#include <algorithm>
#include <array>

#include "sight.hpp"
#include "tools.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;
using observed::Element;

constexpr std::size_t kMostTargets = 10;

/// How something is found, and the argument that says what.
struct Method {
  std::string_view name;
  std::string_view argument;
};
constexpr std::array<Method, 5> kMethods{{{"candidate", "candidate_id"},
                                          {"element", "element_id"},
                                          {"ocr", "ocr_text"},
                                          {"prediction", "source_description"},
                                          {"manual", "x"}}};

Grounded refuse(std::string_view code, const std::string& message, json::object context = {}) {
  return {std::nullopt, failed(code, message, std::move(context))};
}

Target target_of(const Element& element, const std::string& window_uid, std::string_view method) {
  Target out;
  out.element_id = element.id;
  out.window_uid = window_uid;
  out.x = element.x + element.width / 2;
  out.y = element.y + element.height / 2;
  out.words = observed::describe(element);
  out.method = method;
  out.source = "tree";
  return out;
}

/// Lets the caller choose, by ids that the next call takes. `how` they fit: "are called".
Grounded ambiguous(Run& run, const std::string& name, std::string_view how,
                   std::vector<Target> targets) {
  const std::size_t all = targets.size();
  if (targets.size() > kMostTargets) targets.resize(kMostTargets);
  const std::vector<Target> shown = targets;
  const std::vector<std::string> ids =
      run.desk().candidates.offer(run.request().session, std::move(targets));
  json::array list;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    list.push_back(json::object{{"candidate_id", ids[i]},
                                {"what", shown[i].words},
                                {"x", shown[i].x},
                                {"y", shown[i].y},
                                {"source", shown[i].source}});
  }
  return refuse("AmbiguousTarget",
                std::to_string(all) + " things " + std::string(how) + " '" + name +
                    "'; nothing was done. Choose one by its candidate_id",
                {{"candidates", std::move(list)}});
}

/// Finds by name in one window.
class Search {
 public:
  Search(Run& run, std::string name, std::string method)
      : run_(run), name_(std::move(name)), method_(std::move(method)) {
    // A text is what it is; a description is what a person says.
    if (method_ != "ocr") name_ = std::string(observed::without_article(name_));
  }

  /// Elements by their names, then the window's picture: for a text what is written in it, for a
  /// description what fits it.
  Task<Grounded> find() {
    const std::string pattern = observed::name_pattern(name_).substr(kIgnoreCase.size());
    for (const std::string& whole : {pattern + R"((\.\.\.|…|:)?)", ".*" + pattern + ".*"}) {
      std::string expression = whole;
      const bool usable = co_await ask(std::move(expression));
      if (!usable) co_return Grounded{std::nullopt, failed(seen_)};
      const std::vector<Element> found = observed::match_elements(elements_, name_, true);
      if (!found.empty()) co_return choose(targets(found));
    }
    if (method_ == "ocr") co_return co_await read_picture();
    co_return co_await search_picture();
  }

 private:
  static constexpr std::string_view kIgnoreCase = "(?i)";

  /// False: the window cannot be searched; an empty result is one.
  Task<bool> ask(std::string expression) {
    json::object arguments{{"selector", "//*[name~=\"(?i)" + expression + "\"]"}};
    add_window(run_.arguments, arguments);
    std::string tool = "find_element";
    seen_ = co_await run_.observe(std::move(tool), std::move(arguments));
    elements_.clear();
    const json::value answer(seen_.answer);
    note_window(answer);
    for (const json::value& match : llm::array_of(answer, "all_matches")) {
      elements_.push_back(element_of(match));
    }
    // A window without a tree may still have a picture to look at.
    const bool no_tree = seen_.code == "PlatformUnsupported" || seen_.code == "Timeout";
    co_return seen_.ok || seen_.code == "ElementNotFound" || no_tree;
  }

  void note_window(const json::value& answer) {
    std::string_view uid = llm::text_of(answer, "window_uid");
    if (const json::value* context = llm::at(answer, {"error", "context"});
        uid.empty() && context) {
      uid = llm::text_of(*context, "window_uid");
    }
    if (!uid.empty()) window_uid_ = uid;
  }

  static Element element_of(const json::value& match) {
    Element out;
    out.id = llm::text_of(match, "element_id");
    out.role = llm::text_of(match, "role");
    out.name = llm::text_of(match, "name");
    if (const json::value* bounds = llm::member(match, "bounds")) {
      const auto side = [&](std::string_view name) {
        return static_cast<int>(llm::number_of(*bounds, name).value_or(0));
      };
      out.x = side("x");
      out.y = side("y");
      out.width = side("width");
      out.height = side("height");
    }
    return out;
  }

  [[nodiscard]] std::vector<Target> targets(const std::vector<Element>& elements) const {
    std::vector<Target> out;
    const std::string_view method = method_ == "ocr" ? "text" : "description";
    for (const Element& element : elements) out.push_back(target_of(element, window_uid_, method));
    return out;
  }

  Grounded choose(std::vector<Target> found, std::string_view how = "are called") {
    if (found.size() == 1) return {std::move(found.front()), std::nullopt};
    return ambiguous(run_, name_, how, std::move(found));
  }

  Task<bool> know_window() {
    if (!window_uid_.empty()) co_return true;
    std::string tool = "list_windows";
    json::object none;
    const Seen listed = co_await run_.observe(std::move(tool), std::move(none));
    const auto windows = observed::match_windows(observed::read_windows(listed.text),
                                                 run_.arguments.text("window_title"));
    if (!windows.empty()) window_uid_ = windows.front().uid;
    co_return !window_uid_.empty();
  }

  Task<Grounded> search_picture() {
    const bool known = co_await know_window();
    if (!known) co_return refuse("WindowGone", "there is no window to look at");
    std::string window = window_uid_;
    std::string description = name_;
    PictureMatches seen = co_await look_for(run_, std::move(window), std::move(description));
    if (seen.targets.empty()) {
      co_return refuse(seen.code, "no element is called '" + name_ + "', and " + seen.message);
    }
    co_return choose(std::move(seen.targets), "fit");
  }

  Task<Grounded> read_picture() {
    const bool known = co_await know_window();
    if (!known) co_return refuse("WindowGone", "there is no window to read");
    json::object arguments{{"window_uid", window_uid_}};
    std::string tool = "get_ocr";
    const Seen read = co_await run_.observe(std::move(tool), std::move(arguments));
    const std::string missed = "no element is called '" + name_ + '\'';
    if (!read.ok) {
      co_return refuse(
          "ElementNotFound",
          missed + ", and the words of the picture could not be read: " + read.message);
    }
    std::vector<Target> found = find_words(read_words(read.answer), name_);
    if (found.empty()) {
      co_return refuse("ElementNotFound", missed + ", and the picture has no such words");
    }
    for (Target& target : found) target.window_uid = window_uid_;
    co_return choose(std::move(found));
  }

  Run& run_;
  std::string name_;
  std::string method_;
  Seen seen_;
  std::vector<Element> elements_;
  std::string window_uid_;
};

/// The method that the arguments name, or the first whose argument is there; empty: none.
std::string method_of(const Arguments& arguments, const std::string& prefix) {
  if (std::string named = arguments.text(prefix + "find_coordinates_by"); !named.empty()) {
    // A candidate was found by some method; its id is enough.
    return arguments.has(prefix + "candidate_id") ? "candidate" : named;
  }
  for (const Method& method : kMethods) {
    if (arguments.has(prefix + std::string(method.argument))) return std::string(method.name);
  }
  return arguments.has(prefix + "y") ? "manual" : std::string();
}

Grounded by_point(const Arguments& arguments, const std::string& prefix) {
  const auto x = arguments.integer(prefix + "x"), y = arguments.integer(prefix + "y");
  if (!x || !y) return refuse("BadRequest", prefix + "x and " + prefix + "y belong together");
  Target out;
  out.window_uid = arguments.text("window_uid");
  out.x = *x;
  out.y = *y;
  out.words = '(' + std::to_string(*x) + ", " + std::to_string(*y) + ')';
  out.method = "manual";
  return {std::move(out), std::nullopt};
}

Grounded by_candidate(Run& run, const std::string& id) {
  std::optional<Target> target = run.desk().candidates.find(run.request().session, id);
  if (target) return {std::move(target), std::nullopt};
  return refuse("StaleCandidate", "candidate '" + id +
                                      "' is not of the last answer with candidates: frame changed, "
                                      "re-ground required");
}

}  // namespace

Task<Grounded> ground(Run& run, std::string prefix) {
  const Arguments& arguments = run.arguments;
  const std::string method = method_of(arguments, prefix);
  if (method.empty()) co_return Grounded{};
  if (method == "manual") co_return by_point(arguments, prefix);
  const auto* const row = std::find_if(kMethods.begin(), kMethods.end(),
                                       [&](const Method& one) { return one.name == method; });
  std::string given = arguments.text(prefix + std::string(row->argument));
  if (given.empty()) {
    co_return refuse("BadRequest", prefix + std::string(row->argument) +
                                       " must say what is meant when it is found by " + method);
  }
  if (method == "candidate") co_return by_candidate(run, given);
  if (method != "element") {
    std::string how = method;
    Search search(run, std::move(given), std::move(how));
    co_return co_await search.find();
  }
  Target target;
  target.element_id = given;
  target.window_uid = arguments.text("window_uid");
  target.words = "element " + given;
  target.method = "element";
  co_return Grounded{std::move(target), std::nullopt};
}

std::vector<Word> read_words(const json::object& answer) {
  const json::value value(answer);
  std::vector<Word> out;
  for (const json::value& entry : llm::array_of(value, "words")) {
    Word word;
    word.text = llm::text_of(entry, "text");
    word.line = llm::number_of(entry, "line").value_or(0);
    if (const json::value* bounds = llm::member(entry, "bounds")) {
      word.x = llm::number_of(*bounds, "x").value_or(0);
      word.y = llm::number_of(*bounds, "y").value_or(0);
      word.width = llm::number_of(*bounds, "width").value_or(0);
      word.height = llm::number_of(*bounds, "height").value_or(0);
    }
    out.push_back(std::move(word));
  }
  return out;
}

std::vector<Target> find_words(const std::vector<Word>& words, const std::string& wanted) {
  const std::string trimmed(observed::trim(wanted));
  const auto count = static_cast<std::size_t>(1 + std::count(trimmed.begin(), trimmed.end(), ' '));
  int best = 1;
  std::vector<Target> out;
  for (std::size_t first = 0; first + count <= words.size(); ++first) {
    const Word& last = words[first + count - 1];
    if (words[first].line != last.line) continue;
    std::string text;
    for (std::size_t i = first; i < first + count; ++i) {
      text += (text.empty() ? "" : " ") + words[i].text;
    }
    const int close = observed::closeness(text, trimmed);
    if (close < best) continue;
    if (close > best) out.clear();
    best = close;
    Target target;
    target.x = (words[first].x + last.x + last.width) / 2;
    target.y = words[first].y + words[first].height / 2;
    target.words = "the words \"" + text + "\" at (" + std::to_string(target.x) + ", " +
                   std::to_string(target.y) + ')';
    target.method = "ocr";
    target.source = "ocr";
    out.push_back(std::move(target));
  }
  return out;
}

}  // namespace gantry::desk
