// SPDX-License-Identifier: Apache-2.0
#include "oracles.hpp"

#include <gantry/pattern.hpp>
#include <gantry/picture/ssim.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ocr.hpp"
#include "reference_image.hpp"
#include "selector.hpp"
#include "senses.hpp"
#include "sought_values.hpp"

namespace gantry::observation {
namespace {

constexpr double kDefaultSimilarity = 0.95;

/// What a predicate found.
struct Finding {
  bool passed = false;
  RawJson observed;
  std::string error_code;
  bool readable = false;  ///< As in Verdict.
};

RawJson text_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return {std::move(out)};
}

Finding error(std::string_view text) {
  return {false, text_json(fmt::format("error: {}", text)), {}, false};
}

Finding found(bool passed, const JsonObject& observed) {
  return {passed, RawJson{observed.text()}, {}, true};
}

/// The window that a predicate is about, with its tree.
struct Scene {
  WindowInfo window;
  std::shared_ptr<const Tree> tree;
};

/// A fresh tree: an oracle that answers from memory would miss what it is asked about.
Task<Outcome<Scene>> scene_of(Engine& engine, const Arguments& predicate) {
  const Outcome<ChosenWindow> window =
      co_await engine.directory.choose(predicate, MissingWindow::Refuse);
  if (!window.ok()) co_return window.failure();
  Scene scene;
  scene.window = window->info;
  const Outcome<TreeCapture> capture = co_await engine.trees.get(scene.window, Freshness::Fresh);
  if (!capture.ok()) co_return capture.failure();
  scene.tree = capture->tree;
  co_return scene;
}

/// Of password fields nothing is told, so nothing can be compared either.
std::optional<std::string> value_of(const Node& node) {
  return node.password ? std::nullopt : node.value;
}

JsonObject actual(const std::optional<std::string>& value) {
  JsonObject out;
  out.add_or_null("actual", value);
  return out;
}

Task<Finding> element_count(Engine& engine, const Arguments& predicate, bool wanted) {
  if (!predicate.has("selector")) co_return error("selector is required");
  const Outcome<Selector> selector = Selector::parse(predicate.text("selector"));
  if (!selector.ok()) co_return error(selector.failure().message);
  const Outcome<Scene> scene = co_await scene_of(engine, predicate);
  if (!scene.ok()) co_return error("no tree: " + scene.failure().message);
  const std::vector<const Node*> matches = selector->matches(scene->tree->root);
  JsonObject out;
  out.add("count", matches.size());
  if (wanted && !matches.empty()) out.add("first_id", matches.front()->id);
  if (selector->gave_up()) out.add("incomplete", true);
  // A search that gave up has not shown that there is nothing.
  const bool passed = wanted ? !matches.empty() : matches.empty() && !selector->gave_up();
  Finding finding = found(passed, out);
  finding.readable = is_open(sought_by(*selector, scene->tree->root));
  co_return finding;
}

Task<Finding> element_exists(Engine& engine, const Arguments& predicate) {
  return element_count(engine, predicate, true);
}
Task<Finding> element_absent(Engine& engine, const Arguments& predicate) {
  return element_count(engine, predicate, false);
}

/// The first element of the predicate's selector.
Task<Outcome<Node>> element_of(Engine& engine, const Arguments& predicate) {
  if (!predicate.has("selector")) co_return failure(Fault::BadRequest, "selector is required");
  const Outcome<Selector> selector = Selector::parse(predicate.text("selector"));
  if (!selector.ok()) co_return selector.failure();
  const Outcome<Scene> scene = co_await scene_of(engine, predicate);
  if (!scene.ok()) co_return scene.failure();
  const std::vector<const Node*> matches = selector->matches(scene->tree->root);
  if (matches.empty()) {
    co_return failure(Fault::ElementNotFound,
                      "no element matches selector " + selector->canonical());
  }
  co_return *matches.front();
}

Task<Finding> value_equals(Engine& engine, const Arguments& predicate) {
  const Outcome<Node> node = co_await element_of(engine, predicate);
  if (!node.ok()) co_return error(node.failure().message);
  if (node->password) co_return error("the element is a password field, which is not read");
  // A missing `expected` is null, and null is what an element without a value has.
  std::optional<std::string> expected;
  if (predicate.has("expected")) expected = predicate.text("expected");
  const std::optional<std::string> value = value_of(*node);
  Finding finding = found(value == expected, actual(value));
  finding.readable = node->hidden == nullptr;
  co_return finding;
}

Task<Finding> value_matches(Engine& engine, const Arguments& predicate) {
  const Result<Pattern> pattern = Pattern::compile(predicate.text("regex"));
  if (!pattern.ok()) co_return error(pattern.error().message);
  const Outcome<Node> node = co_await element_of(engine, predicate);
  if (!node.ok()) co_return error(node.failure().message);
  if (node->password) co_return error("the element is a password field, which is not read");
  const std::optional<std::string> value = value_of(*node);
  Finding finding = found(value && pattern->search(*value), actual(value));
  finding.readable = node->hidden == nullptr;
  co_return finding;
}

Task<Finding> text_visible(Engine& engine, const Arguments& predicate) {
  const Result<Pattern> pattern = Pattern::compile(predicate.text("regex"));
  if (!pattern.ok()) co_return error(pattern.error().message);
  const std::string mode = predicate.has("mode") ? predicate.text("mode") : "auto";
  if (mode != "auto" && mode != "tree" && mode != "ocr") {
    co_return error(fmt::format("mode must be tree, ocr or auto, found '{}'", mode));
  }
  if (mode != "ocr") {
    const Outcome<Scene> scene = co_await scene_of(engine, predicate);
    if (!scene.ok()) co_return error("no tree: " + scene.failure().message);
    std::string id;
    walk(scene->tree->root, [&](const Node& node, int) {
      if (id.empty() && pattern->search(node.name + " " + value_of(node).value_or("")))
        id = node.id;
    });
    JsonObject out;
    out.add("source", "tree");
    if (!id.empty()) out.add("element_id", id);
    if (!id.empty() || mode == "tree") co_return found(!id.empty(), out);
  }
  const ObserverSense sense = co_await ocr_now(engine);
  JsonObject out;
  if (sense.available) {
    const Outcome<ChosenWindow> window =
        co_await engine.directory.choose(predicate, MissingWindow::Refuse);
    if (!window.ok()) co_return error(window.failure().message);
    OcrQuery query;
    query.window = window->info;
    const Outcome<OcrReading> reading = co_await read_window(engine, std::move(query));
    if (!reading.ok()) co_return error("no text: " + reading.failure().message);
    out.add("source", "ocr");
    co_return found(pattern->search(lines_of(reading->words)), out);
  }
  out.add("ocr_error", sense.reason);
  out.add("hint", sense.cure);
  Finding finding = found(false, out);
  if (mode == "ocr") finding.error_code = fault_row(Fault::PredicateUnsupported).name;
  co_return finding;
}

/// The first window that `fits`.
template <class Fits>
Task<Finding> window_where(Engine& engine, Fits fits, std::string none) {
  const Outcome<WindowsNow> now = co_await engine.directory.list();
  if (!now.ok()) co_return error(now.failure().message);
  for (const WindowInfo& window : now->windows) {
    if (!fits(window)) continue;
    JsonObject out;
    out.add("window_uid", window.uid);
    out.add("title", window.title);
    co_return found(true, out);
  }
  co_return Finding{false, text_json(none), {}, true};
}

Task<Finding> window_focused(Engine& engine, const Arguments& predicate) {
  const Result<Pattern> pattern = Pattern::compile(predicate.text("title_regex"));
  if (!pattern.ok()) co_return error(pattern.error().message);
  const auto fits = [&](const WindowInfo& window) {
    return window.focused && pattern->search(window.title);
  };
  Task<Finding> task = window_where(engine, fits, "no focused window matches");
  co_return co_await std::move(task);
}

Task<Finding> window_exists(Engine& engine, const Arguments& predicate) {
  const Result<Pattern> pattern = Pattern::compile(predicate.text("title_regex"));
  if (!pattern.ok()) co_return error(pattern.error().message);
  const std::string uid = predicate.text("window_uid");
  if (uid.empty() && !predicate.has("title_regex")) {
    co_return error("title_regex or window_uid is required");
  }
  const auto fits = [&](const WindowInfo& window) {
    return (uid.empty() || window.uid == uid) && pattern->search(window.title);
  };
  Task<Finding> task = window_where(engine, fits, "no matching window");
  co_return co_await std::move(task);
}

Task<Finding> tree_hash_equals(Engine& engine, const Arguments& predicate) {
  const Outcome<Scene> scene = co_await scene_of(engine, predicate);
  if (!scene.ok()) co_return error("no tree: " + scene.failure().message);
  co_return found(predicate.text("expected_hash") == scene->tree->hash, actual(scene->tree->hash));
}

Task<Finding> screenshot_similar(Engine& engine, const Arguments& predicate) {
  const Outcome<std::optional<double>> least = predicate.number("min_ssim");
  if (!least.ok()) co_return error(least.failure().message);
  const std::string path = predicate.text("reference_path");
  if (path.empty()) co_return error("reference_path is required");
  const Outcome<ChosenWindow> window =
      co_await engine.directory.choose(predicate, MissingWindow::Refuse);
  if (!window.ok()) co_return error(window.failure().message);
  CaptureRequest request;
  request.target = CaptureTarget::Window;
  request.handle = window->info.handle;
  const Answer<Capture> capture = co_await engine.desktop.capture(std::move(request));
  if (!capture.ok()) co_return error("no screenshot: " + capture.error().message);

  Result<picture::GrayImage> reference = picture::GrayImage{};
  std::optional<double> ssim;
  picture::GrayImage shot;
  std::function<void()> work = [&] {
    reference = read_reference_image(path, engine.settings.reference_roots);
    if (!reference.ok()) return;
    shot = picture::to_gray((*capture)->image);
    ssim = picture::structural_similarity(*reference, shot);
  };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) co_return error(done.error().message);
  if (!reference.ok()) co_return error(reference.error().message);
  if (!ssim) {
    co_return error(
        fmt::format("the reference has {}×{} pixels, the window {}×{}; they must be "
                    "equal, and at least 7×7",
                    reference->width, reference->height, shot.width, shot.height));
  }
  JsonObject out;
  out.add("ssim", *ssim);
  co_return found(*ssim >= least->value_or(kDefaultSimilarity), out);
}

struct PredicateRow {
  std::string_view kind;
  Task<Finding> (*judge)(Engine&, const Arguments&);
};
constexpr std::array<PredicateRow, 9> kPredicates{{
    {"element_exists", element_exists},
    {"element_absent", element_absent},
    {"value_equals", value_equals},
    {"value_matches", value_matches},
    {"text_visible", text_visible},
    {"window_focused", window_focused},
    {"window_exists", window_exists},
    {"tree_hash_equals", tree_hash_equals},
    {"screenshot_similar", screenshot_similar},
}};

Verdict verdict(std::string_view kind, const Finding& finding, RawJson args) {
  Verdict out;
  out.passed = finding.passed;
  out.readable = finding.readable;
  out.result.add("kind", kind);
  out.result.add("passed", finding.passed);
  out.result.add("observed", finding.observed);
  out.result.add("args", std::move(args));
  out.result.add_if("error_code", finding.error_code);
  return out;
}

/// The members of the scenario's list of predicates.
std::vector<std::string> predicates_in(const std::string& oracles, std::string_view name) {
  const Outcome<Arguments> parsed = Arguments::parse(oracles);
  return parsed.ok() ? parsed->elements(name) : std::vector<std::string>();
}

}  // namespace

Task<Verdict> judge(Engine& engine, const std::string& predicate) {
  const Outcome<Arguments> parsed = Arguments::parse(predicate);
  if (!parsed.ok()) {
    const Finding finding{false, text_json("a predicate must be an object"), {}, false};
    co_return verdict("?", finding, RawJson{predicate});
  }
  const std::string kind = parsed->text("kind");
  const auto* const row =
      std::find_if(kPredicates.begin(), kPredicates.end(),
                   [&](const PredicateRow& entry) { return entry.kind == kind; });
  if (row == kPredicates.end()) {
    const Finding finding{false, text_json("unknown predicate kind"), {}, false};
    co_return verdict(kind.empty() ? "?" : kind, finding, RawJson{predicate});
  }
  const Finding finding = co_await row->judge(engine, *parsed);
  const std::vector<std::string> names = parsed->names();
  JsonObject args;
  for (const std::string& name : names) {
    if (name != "kind") args.add(name, RawJson{parsed->json(name)});
  }
  co_return verdict(kind, finding, RawJson{args.text()});
}

Task<Judgement> judge_all(Engine& engine, const std::vector<std::string>& predicates) {
  Judgement out;
  JsonArray results;
  out.all_passed = !predicates.empty();
  for (std::size_t i = 0; i < predicates.size(); ++i) {
    const Verdict one = co_await judge(engine, predicates[i]);
    out.all_passed = out.all_passed && one.passed;
    if (one.readable) out.readable.push_back(i);
    results.add(one.result);
  }
  out.results = results.done();
  co_return out;
}

std::string_view OracleReport::outcome() const {
  if (failure_defined && failure.all_passed) return "failure";
  return success_defined && success.all_passed ? "success" : "open";
}

Task<OracleReport> judge_scenario(Engine& engine) {
  OracleReport out;
  if (!engine.directory.is_mock()) co_return out;
  const Answer<ScenarioReport> report = co_await engine.desktop.scenario();
  if (!report.ok() || !(*report)->loaded) co_return out;
  out.there = true;
  out.scenario = (*report)->scenario;
  out.state = (*report)->state;
  const std::vector<std::string> success = predicates_in((*report)->oracles.text, "success");
  const std::vector<std::string> failure = predicates_in((*report)->oracles.text, "failure");
  out.success_defined = !success.empty();
  out.failure_defined = !failure.empty();
  out.success = co_await judge_all(engine, success);
  out.failure = co_await judge_all(engine, failure);
  co_return out;
}

Task<OracleReport> watch_scenario(Engine& engine, std::int64_t step) {
  const OracleReport report = co_await judge_scenario(engine);
  engine.oracles.note(step, report.success_defined && report.success.all_passed,
                      report.failure_defined && report.failure.all_passed);
  co_return report;
}

}  // namespace gantry::observation
