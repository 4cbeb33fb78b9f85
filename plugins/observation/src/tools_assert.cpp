// SPDX-License-Identifier: Apache-2.0
// assert_state: predicates of the caller, or those of the scenario that the desktop plays.
#include "argument_check.hpp"
#include "oracles.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kMostPredicates = 100;

JsonObject judgement_json(const Judgement& judgement, bool defined) {
  JsonObject out;
  out.add("passed", defined && judgement.all_passed);
  out.add("results", judgement.results);
  return out;
}

/// Without a predicate: what the scenario calls success and failure.
Task<ToolOutcome> assert_scenario(Engine& engine) {
  const Outcome<WindowsNow> windows = co_await engine.directory.list();  // learns the adapter
  if (!windows.ok()) co_return windows.failure();
  const OracleReport report = co_await judge_scenario(engine);
  if (!report.there) co_return failure(Fault::BadRequest, "predicates list required");
  JsonObject oracles;
  oracles.add("outcome", report.outcome());
  oracles.add("success", judgement_json(report.success, report.success_defined));
  oracles.add("failure", judgement_json(report.failure, report.failure_defined));
  oracles.add_or_null("success_step", engine.oracles.success_step());
  oracles.add_or_null("failure_step", engine.oracles.failure_step());
  JsonObject out;
  out.add("scenario", report.scenario);
  out.add("state", report.state);
  out.add("oracles", oracles);
  out.add("all_passed", report.success_defined && report.success.all_passed);
  out.add("results", report.success.results);
  co_return out;
}

Task<ToolOutcome> assert_state(Engine& engine, const ToolCall& call) {
  const std::string_view name = call.arguments.has("predicate") ? "predicate" : "predicates";
  if (!call.arguments.has(name)) {
    Task<ToolOutcome> task = assert_scenario(engine);
    co_return co_await std::move(task);
  }
  const std::vector<std::string> predicates = call.arguments.elements(name);
  if (!call.arguments.is_list(name) || predicates.empty()) {
    co_return failure(Fault::BadRequest, "predicates list required");
  }
  if (predicates.size() > kMostPredicates) {
    co_return failure(Fault::BadRequest, "more than 100 predicates in one call");
  }
  const Judgement judgement = co_await judge_all(engine, predicates);
  if (call.settlement != nullptr) {
    for (const std::size_t index : judgement.readable) {
      call.settlement->readable.push_back(part_name(name, index));
    }
  }
  JsonObject out;
  out.add("all_passed", judgement.all_passed);
  out.add("results", judgement.results);
  co_return out;
}

constexpr std::string_view kPredicateSchema =
    R"({"type":"object","required":["kind"],"properties":{"kind":{"type":"string","enum":[)"
    R"("element_exists","element_absent","value_equals","value_matches","text_visible",)"
    R"("window_focused","window_exists","tree_hash_equals","screenshot_similar"]}}})";

constexpr std::string_view kPredicateMembers =
    "kind:element_exists,element_absent,value_equals,value_matches,text_visible,window_focused,"
    "window_exists,tree_hash_equals,screenshot_similar|selector|expected|regex|mode:auto,tree,ocr|"
    "title_regex|window_uid|window_index|window_title|expected_hash|reference_path|min_ssim";
constexpr std::string_view kExpectations = "expected|regex";

constexpr Parameter kAssertState[] = {
    {"predicate",
     ParameterType::Array,
     "Predicates that must all hold. Without them the scenario's own oracles are judged.",
     false,
     {},
     kPredicateSchema,
     kPredicateMembers,
     kExpectations},
    {"predicates",
     ParameterType::Array,
     "The same under its other name.",
     false,
     {},
     R"({"type":"object","required":["kind"]})",
     kPredicateMembers,
     kExpectations},
};

constexpr Tool kAssertTools[] = {
    {"assert_state", assert_state, ToolKind::Read, true,
     "Checks predicates about windows, elements, text and pixels, and says for each what was "
     "observed.",
     kAssertState},
};

}  // namespace

std::span<const Tool> assert_tools() { return kAssertTools; }

}  // namespace gantry::observation
