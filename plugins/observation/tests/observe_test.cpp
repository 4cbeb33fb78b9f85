// SPDX-License-Identifier: Apache-2.0
// Finding, observing, snapshots and lines, as clients see them.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "fake_desktop.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

std::string member(const ObserverToolResult& result, const std::string& name) {
  const std::string key = '"' + name + "\":\"";
  const std::size_t at = result.result.text.find(key);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size();
  return result.result.text.substr(begin, result.result.text.find('"', begin) - begin);
}

/// The window's text field has another value from the next read on.
void change_value(Bench& bench) {
  bench.desktop.a11y_tree->nodes[2].value = "Bob";
  bench.desktop.now_ns += 10'000'000'000;  // past the cache's time to live
}

void add_buttons(Bench& bench, int count) {
  for (int i = 0; i < count; ++i) {
    A11yNode node;
    node.parent = 0;
    node.role = "Button";
    node.name = fmt::format("Button {}", i);
    bench.desktop.a11y_tree->nodes.push_back(node);
  }
}

TEST_CASE("find_element_answers_with_the_first_match_and_how_many_there_are") {
  Bench bench;
  add_buttons(bench, 12);
  const auto result = bench.run("find_element", R"({"selector":"//Button"})");
  REQUIRE(result.ok);
  CHECK(member(result, "element_selector") == R"(Window[name=\)");
  CHECK(has(result, R"("ambiguous_matches":10,)"));
  CHECK(has(result, R"("total_matches":13,)"));
  CHECK(has(result, R"("selector":"Button",)"));
  CHECK(has(result, R"("element_id":"root.0",)"));
}

TEST_CASE("find_element_names_near_matches_when_there_is_none") {
  Bench bench;
  const auto result =
      bench.run("find_element", R"({"selector":"Window/Pane/Button[name=\"Okay\"]"})");
  CHECK(result.error_code == "ElementNotFound");
  CHECK(has(result, R"("did_you_mean":[{"element_id":"root.0","name":"OK","role":"Button",)"));
  CHECK(result.message == R"(no element matches 'Window/Pane/Button[name="Okay"]')");
  CHECK_FALSE(has(bench.run("find_element", R"({"selector":"Zebra"})"), "did_you_mean"));
  // Two letters that changed places are one slip, also in a short name.
  CHECK(has(bench.run("find_element", R"({"selector":"//Edit[name=\"Naem\"]"})"),
            R"("did_you_mean":[{"element_id":"root.1","name":"Name")"));
}

TEST_CASE("an act on nothing and a window that is gone name what may have been meant") {
  Bench bench;
  const auto missed = bench.run("click_element", R"({"selector":"//Button[name=\"OKK\"]"})");
  CHECK(missed.error_code == "ElementNotFound");
  CHECK(has(missed, R"("did_you_mean":[{"element_id":"root.0","name":"OK","role":"Button",)"));
  const auto gone = bench.run("observe_window", R"({"window_uid":"t:gone"})");
  CHECK(gone.error_code == "WindowGone");
  CHECK(has(gone, R"({"title":"Main","window_uid":"t:)"));
  CHECK(bench.desktop.pointer_requests.empty());
}

TEST_CASE("find_element_refuses_what_it_cannot_read") {
  Bench bench;
  CHECK(bench.run("find_element").message == "selector is required");
  const auto result = bench.run("find_element", R"({"selector":"Window["})");
  CHECK(result.error_code == "BadRequest");
  CHECK(result.message.starts_with("selector parse error: column 8: "));
}

TEST_CASE("observe_sends_everything_once_and_then_what_changed") {
  Bench bench;
  const auto first = bench.run("observe_window");
  CHECK(member(first, "format") == "full");
  CHECK(has(first, R"("base_token":null)"));
  const std::string since = fmt::format(R"({{"since":"{}"}})", member(first, "tree_token"));

  const auto same = bench.run("observe_window", since);
  CHECK(has(same, R"("changes":[],)"));
  CHECK(has(same, R"("unchanged":true)"));
  CHECK_FALSE(has(same, R"("tree":)"));

  change_value(bench);
  const auto changed = bench.run("observe_window", since);
  CHECK(has(changed, R"("changes":[{"fields":{"value":"Bob"},"op":"replace","path":"1"}])"));
  CHECK(has(changed, R"("unchanged":false)"));
  CHECK(member(changed, "base_token") == member(first, "tree_token"));
  CHECK(member(changed, "tree_hash") != member(first, "tree_hash"));

  const auto patch = bench.run(
      "observe_window",
      fmt::format(R"({{"since":"{}","format":"json-patch"}})", member(first, "tree_token")));
  CHECK(has(patch, R"([{"op":"replace","path":"/children/1/value","value":"Bob"}])"));
}

TEST_CASE("observe_tells_state_that_the_hash_does_not_cover") {
  Bench bench;
  const auto first = bench.run("observe_window");
  bench.desktop.a11y_tree->nodes[2].focused = false;
  bench.desktop.now_ns += 10'000'000'000;
  const auto after =
      bench.run("observe_window", fmt::format(R"({{"since":"{}"}})", member(first, "tree_token")));
  CHECK(has(after, R"("unchanged":true)"));
  CHECK(has(after, R"("changes":[{"fields":{"focused":false})"));
}

TEST_CASE("a_token_of_another_window_or_an_old_one_is_not_a_base") {
  Bench bench;
  const auto first = bench.run("observe_window");
  const std::string token = member(first, "tree_token");
  const auto other =
      bench.run("observe_window", fmt::format(R"({{"window_uid":"t:b","since":"{}"}})", token));
  CHECK(member(other, "format") == "full");
  bench.desktop.now_ns += 301'000'000'000;
  const auto late = bench.run("observe_window", fmt::format(R"({{"since":"{}"}})", token));
  CHECK(member(late, "format") == "full");
}

TEST_CASE("both_sides_of_a_diff_are_cut_at_the_same_depth") {
  Bench bench;
  A11yNode deep;
  deep.parent = 1;
  deep.role = "Text";
  deep.name = "before";
  bench.desktop.a11y_tree->nodes.push_back(deep);
  const auto first = bench.run("observe_window");
  bench.desktop.a11y_tree->nodes.back().name = "after";
  bench.desktop.now_ns += 10'000'000'000;
  const auto shallow = bench.run(
      "observe_window", fmt::format(R"({{"since":"{}","depth":1}})", member(first, "tree_token")));
  CHECK_FALSE(has(shallow, "after"));
  CHECK(has(shallow, R"("unchanged":false)"));
}

TEST_CASE("changed_only_compares_with_what_was_last_shown") {
  Bench bench;
  const auto first = bench.run("observe_window", R"({"changed_only":true})");
  CHECK(member(first, "format") == "full");
  CHECK(has(first, R"("changed_only":true)"));
  const auto same = bench.run("observe_window", R"({"changed_only":true})");
  CHECK(has(same, R"("unchanged":true)"));
  CHECK(has(same, R"("cache":"bypass")"));
  change_value(bench);
  const auto changed = bench.run("observe_window", R"({"changed_only":true})");
  CHECK(has(changed, R"("value":"Bob")"));
  CHECK(has(changed, R"("unchanged":false)"));
}

TEST_CASE("an_observation_keeps_to_its_budget") {
  Bench bench;
  add_buttons(bench, 400);
  const auto whole = bench.run("observe_window");
  REQUIRE(whole.result.text.size() > 20'000);
  const auto cut = bench.run("observe_window", R"({"max_bytes":5000})");
  CHECK(cut.result.text.size() <= 5000);
  CHECK(has(cut, R"("truncated":true)"));
  CHECK(has(cut, R"("depth_truncated":true)"));
}

TEST_CASE("structure_pages_by_bytes_without_loss") {
  Bench bench;
  add_buttons(bench, 100);
  std::size_t seen = 0;
  std::string cursor;
  do {
    const auto page = bench.run("get_window_structure",
                                fmt::format(R"({{"max_bytes":6000,"page_cursor":"{}"}})", cursor));
    REQUIRE(page.ok);
    CHECK(page.result.text.size() <= 6000);
    for (std::size_t at = 0; (at = page.result.text.find(R"("id":"root)", at)) != std::string::npos;
         ++at) {
      ++seen;
    }
    cursor = member(page, "next_cursor");
  } while (!cursor.empty());
  CHECK(seen == 103);
}

TEST_CASE("pages_of_lines_belong_to_one_capture") {
  Bench bench;
  add_buttons(bench, 100);
  const auto first = bench.run("get_window_structure", R"({"format":"lines","max_bytes":4000})");
  REQUIRE(has(first, R"("truncated":true)"));
  CHECK(first.result.text.size() <= 4000);
  // What happens on the screen meanwhile does not tear the pages apart.
  bench.desktop.a11y_tree->nodes.resize(3);
  bench.desktop.now_ns += 10'000'000'000;
  std::string cursor = member(first, "next_cursor");
  std::string last;
  while (!cursor.empty()) {
    const auto page = bench.run(
        "get_window_structure",
        fmt::format(R"({{"format":"lines","max_bytes":4000,"page_cursor":"{}"}})", cursor));
    REQUIRE(page.ok);
    last = page.result.text;
    cursor = member(page, "next_cursor");
  }
  CHECK(last.find("Button 99") != std::string::npos);

  bench.desktop.now_ns += 301'000'000'000;
  const auto late = bench.run(
      "get_window_structure",
      fmt::format(R"({{"format":"lines","page_cursor":"{}"}})", member(first, "next_cursor")));
  CHECK(late.error_code == "SnapshotExpired");
  CHECK(bench.run("get_window_structure", R"({"format":"lines","page_cursor":"x"})").error_code ==
        "BadRequest");
}

TEST_CASE("lines_of_changes") {
  Bench bench;
  const auto first = bench.run("observe_window", R"({"format":"lines"})");
  CHECK(has(first, R"(1 Edit \"Name\" =\"Ann\" focused)"));
  change_value(bench);
  const auto after = bench.run("observe_window", fmt::format(R"({{"since":"{}","format":"lines"}})",
                                                             member(first, "tree_token")));
  CHECK(has(after, R"~("changes":["~ 1 Edit \"Name\" =\"Bob\" focused (value)"])~"));
}

TEST_CASE("an unchanged window is not walked again, and a change is seen at once") {
  Bench bench;
  bench.desktop.a11y_tree->sequence = 7;
  const auto first = bench.run("observe_window");
  const std::string since = fmt::format(R"({{"since":"{}"}})", member(first, "tree_token"));
  CHECK(has(bench.run("observe_window", since), R"("unchanged":true)"));
  CHECK(bench.desktop.tree_reads == 1);  // the cache vouches for it

  // Too old for the cache: the adapter is asked, and its events vouch for the tree it gave.
  for (int i = 1; i <= 3; ++i) {
    bench.desktop.now_ns += 10'000'000'000;
    const auto same = bench.run("observe_window", since);
    CHECK(has(same, R"("unchanged":true)"));
    CHECK(has(same, R"("changes":[],)"));
    CHECK(bench.desktop.tree_reads == 1 + i);
    CHECK(bench.desktop.trees_walked == 1);
  }
  CHECK(has(bench.run("observe_window", R"({"changed_only":true})"), R"("unchanged":true)"));
  CHECK(bench.desktop.trees_walked == 1);

  // The application says that something changed, well within the cache's time to live.
  bench.desktop.a11y_tree->nodes[2].value = "Bob";
  bench.desktop.a11y_tree->sequence = 8;
  bench.observer.engine().trees.forget_process(42);
  const auto changed = bench.run("observe_window", since);
  CHECK(has(changed, R"("changes":[{"fields":{"value":"Bob"},"op":"replace","path":"1"}])"));
  CHECK(bench.desktop.trees_walked == 2);
}

TEST_CASE("a snapshot is read within a budget, and what is cut is named") {
  Bench bench;
  add_buttons(bench, 200);
  const std::string id = member(bench.run("snapshot"), "snapshot_id");
  const auto read = [&](std::string_view more) {
    return bench.run("snapshot_get", fmt::format(R"({{"snapshot_id":"{}"{}}})", id, more));
  };
  const auto whole = read("");
  CHECK(has(whole, "Button 199"));
  CHECK_FALSE(has(whole, R"("truncated")"));
  const auto cut = read(R"(,"max_bytes":20000)");
  CHECK(cut.result.text.size() <= 20'000);
  CHECK(has(cut, R"("truncated":true)"));
  CHECK(has(cut, R"("truncated_trees":["t:a","t:b"])"));
  CHECK(has(cut, R"("tree_hashes":{"t:a":"sha1:)"));
  const auto roomy = read(R"(,"max_bytes":1000000)");
  CHECK(has(roomy, R"("truncated":false,"truncated_trees":[])"));
  CHECK(has(roomy, "Button 199"));
}

TEST_CASE("a sketch that was asked for words says by code why it has none") {
  Bench bench;
  CHECK_FALSE(has(bench.run("get_screen_sketch"), "ocr_error"));
  const auto without = bench.run("get_screen_sketch", R"({"ocr":true})");
  CHECK(without.ok);
  CHECK(has(without, R"("ocr_overlay":false)"));
  CHECK(has(without, R"("error_code":"PlatformUnsupported")"));
  // The same code and cure as the tool that reads words.
  const auto words = bench.run("get_ocr", R"({"window_uid":"t:a"})");
  CHECK(words.error_code == "PlatformUnsupported");
  CHECK(member(without, "ocr_error") == words.message);
  CHECK(member(without, "hint") == member(words, "hint"));
}

TEST_CASE("snapshots_compare_the_desktop_at_two_moments") {
  Bench bench;
  const auto before = bench.run("snapshot");
  CHECK(has(before, R"("summary":{"trees":2,"windows":2})"));
  const std::string a = member(before, "snapshot_id");
  change_value(bench);
  bench.desktop.window_list->windows.erase(bench.desktop.window_list->windows.begin());
  const std::string b = member(bench.run("snapshot"), "snapshot_id");

  const auto diff = bench.run("snapshot_diff", fmt::format(R"({{"a":"{}","b":"{}"}})", a, b));
  CHECK(has(diff, R"("windows_added":[],"windows_removed":["t:b"])"));
  CHECK(has(diff, R"("per_window_changes":{"t:a":{"changes":[{"fields":{"value":"Bob"})"));

  const std::string id = fmt::format(R"({{"snapshot_id":"{}"}})", a);
  const auto got = bench.run("snapshot_get", id);
  CHECK(has(got, R"("tree_hashes":{"t:a":"sha1:)"));
  CHECK_FALSE(has(got, R"("index":)"));
  CHECK(has(bench.run("snapshot_drop", id), R"("dropped":true)"));
  CHECK(has(bench.run("snapshot_drop", id), R"("dropped":false)"));
  CHECK(bench.run("snapshot_get", id).error_code == "SnapshotExpired");
  CHECK(bench.run("snapshot_diff", fmt::format(R"({{"a":"{}","b":"{}"}})", a, b)).error_code ==
        "SnapshotExpired");
  CHECK(bench.run("snapshot_diff").message == "a and b are required");
}

}  // namespace
}  // namespace gantry::observation
