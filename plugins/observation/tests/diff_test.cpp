// SPDX-License-Identifier: Apache-2.0
// Diffs are checked by applying them with readers that are written here from the definitions and
// share nothing with the writer.
#include "diff.hpp"

#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "child_match.hpp"
#include "node_json.hpp"
#include "random_tree.hpp"

namespace gantry::observation {
namespace {

namespace json = boost::json;

json::value parsed(const Node& node) { return json::parse(node_json(node)); }
json::array changes(const TreeDiff& diff) {
  json::array out = json::parse(diff.changes.text).as_array();
  REQUIRE(out.size() == diff.count);
  return out;
}

// ---- RFC 6902, without copy and test

struct Place {
  json::value* parent;
  std::string key;
};

Place resolve(json::value& document, const std::string& pointer) {
  json::value* at = &document;
  std::size_t begin = 1;
  for (;;) {
    const std::size_t slash = pointer.find('/', begin);
    std::string key = pointer.substr(begin, slash - begin);
    if (slash == std::string::npos) return {at, std::move(key)};
    at = at->is_object() ? &at->as_object().at(key) : &at->as_array().at(std::stoul(key));
    begin = slash + 1;
  }
}

json::value take(json::value& document, const std::string& pointer) {
  const Place place = resolve(document, pointer);
  if (place.parent->is_object()) {
    json::value out = place.parent->as_object().at(place.key);
    place.parent->as_object().erase(place.key);
    return out;
  }
  json::array& array = place.parent->as_array();
  const std::size_t index = std::stoul(place.key);
  REQUIRE(index < array.size());
  json::value out = array[index];
  array.erase(array.begin() + static_cast<std::ptrdiff_t>(index));
  return out;
}

void put(json::value& document, const std::string& pointer, json::value value) {
  const Place place = resolve(document, pointer);
  if (place.parent->is_object()) {
    place.parent->as_object()[place.key] = std::move(value);
    return;
  }
  json::array& array = place.parent->as_array();
  const std::size_t index = std::stoul(place.key);
  REQUIRE(index <= array.size());
  array.insert(array.begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
}

void apply_patch(json::value& document, const json::array& patch) {
  for (const json::value& operation : patch) {
    const std::string op(operation.at("op").as_string());
    const std::string path(operation.at("path").as_string());
    if (path.empty()) {
      REQUIRE(op == "replace");
      document = operation.at("value");
    } else if (op == "remove") {
      (void)take(document, path);
    } else if (op == "replace") {
      (void)take(document, path);  // its target has to exist
      put(document, path, operation.at("value"));
    } else if (op == "move") {
      put(document, path, take(document, std::string(operation.at("from").as_string())));
    } else {
      REQUIRE(op == "add");
      put(document, path, operation.at("value"));
    }
  }
}

// ---- the custom form

/// What the custom form says about the children of one element.
struct ChildChanges {
  std::set<std::size_t> removed;
  std::map<std::size_t, std::size_t> moved;  // new position, old position
  std::map<std::size_t, json::value> added;  // new position
};

struct CustomDiff {
  std::map<std::string, json::object> fields;
  std::map<std::string, ChildChanges> children;
};

std::pair<std::string, std::size_t> split(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {"", std::stoul(std::string(path))};
  return {std::string(path.substr(0, slash)), std::stoul(std::string(path.substr(slash + 1)))};
}

CustomDiff read_custom(const json::array& operations) {
  CustomDiff out;
  for (const json::value& operation : operations) {
    const std::string op(operation.at("op").as_string());
    if (op == "move") {
      const auto [parent, from] = split(operation.at("from").as_string());
      const auto [new_parent, to] = split(operation.at("to").as_string());
      REQUIRE(parent == new_parent);
      out.children[parent].moved[to] = from;
      continue;
    }
    const std::string path(operation.at("path").as_string());
    if (op == "replace") {
      out.fields[path] = operation.at("fields").as_object();
    } else if (op == "remove") {
      out.children[split(path).first].removed.insert(split(path).second);
    } else {
      REQUIRE(op == "add");
      out.children[split(path).first].added[split(path).second] = operation.at("node");
    }
  }
  return out;
}

json::value apply_custom(const json::value& before, const CustomDiff& diff,
                         const std::string& path) {
  json::object node = before.as_object();
  if (const auto fields = diff.fields.find(path); fields != diff.fields.end()) {
    for (const auto& member : fields->second) node[member.key()] = member.value();
  }
  const auto found = diff.children.find(path);
  const ChildChanges changes = found != diff.children.end() ? found->second : ChildChanges{};
  const json::array& old_children = before.at("children").as_array();
  std::set<std::size_t> gone = changes.removed;
  for (const auto& [to, from] : changes.moved) gone.insert(from);
  json::array children;
  const std::size_t count = old_children.size() - changes.removed.size() + changes.added.size();
  for (std::size_t i = 0, next = 0; i < count; ++i) {
    const std::string child = path.empty() ? std::to_string(i) : path + '/' + std::to_string(i);
    if (const auto added = changes.added.find(i); added != changes.added.end()) {
      children.push_back(added->second);
      continue;
    }
    std::size_t from = 0;
    if (const auto moved = changes.moved.find(i); moved != changes.moved.end()) {
      from = moved->second;
    } else {
      while (gone.contains(next)) ++next;
      from = next++;
    }
    children.push_back(apply_custom(old_children.at(from), diff, child));
  }
  node["children"] = children;
  return node;
}

/// Without ids, which the custom form leaves out, and with absent members as null.
json::value without_ids(const json::value& value) {
  json::object out;
  for (const auto& member : value.as_object()) {
    if (member.key() != "id" && !member.value().is_null()) out[member.key()] = member.value();
  }
  for (json::value& child : out["children"].as_array()) child = without_ids(child);
  return out;
}

void check_both_forms(const Node& before, const Node& after) {
  const json::value wanted = parsed(after);
  json::value patched = parsed(before);
  const json::array patch = changes(diff_trees(before, after, DiffForm::JsonPatch));
  apply_patch(patched, patch);
  INFO(json::serialize(patch));
  REQUIRE(patched == wanted);

  const json::array custom = changes(diff_trees(before, after, DiffForm::Custom));
  INFO(json::serialize(custom));
  const json::value applied = apply_custom(parsed(before), read_custom(custom), "");
  REQUIRE(without_ids(applied) == without_ids(wanted));
}

Node row(const std::string& text) {
  Node node;
  node.role = "Row";
  Node cell;
  cell.role = "Cell";
  cell.value = text;
  node.children.push_back(cell);
  return node;
}

Node list_of(const std::vector<std::string>& texts) {
  Node list;
  list.role = "List";
  for (const std::string& text : texts) list.children.push_back(row(text));
  assign_ids(list);
  return list;
}

TEST_CASE("a_diff_leads_from_the_old_tree_to_the_new_one") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    tests::RandomTree random(seed);
    const Node before = random.make(40);
    check_both_forms(before, random.edited(before, 1 + random.below(6)));
  }
}

TEST_CASE("a_diff_of_strangers_leads_there_too") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    tests::RandomTree random(1000 + seed);
    const Node before = random.make(30);
    check_both_forms(before, random.make(30));
  }
}

TEST_CASE("equal_trees_have_no_changes") {
  tests::RandomTree random(7);
  const Node tree = random.make(60);
  CHECK(diff_trees(tree, tree, DiffForm::Custom).changes.text == "[]");
  CHECK(diff_trees(tree, tree, DiffForm::JsonPatch).changes.text == "[]");
}

TEST_CASE("twins_are_not_sent_again") {
  const Node before = list_of({"a", "b", "c", "d"});
  const Node after = list_of({"new", "a", "b", "changed", "d"});
  const json::array custom = changes(diff_trees(before, after, DiffForm::Custom));
  REQUIRE(custom.size() == 2);
  CHECK(custom[0] == json::parse(R"({"op":"replace","path":"3/0","fields":{"value":"changed"}})"));
  CHECK(custom[1].at("op") == "add");
  CHECK(custom[1].at("path") == "0");
  check_both_forms(before, after);
}

TEST_CASE("a_child_that_changed_places_is_moved") {
  const Node before = list_of({"a", "b", "c", "d"});
  const Node after = list_of({"d", "a", "b", "c"});
  CHECK(changes(diff_trees(before, after, DiffForm::Custom)) ==
        json::parse(R"([{"op":"move","from":"3","to":"0"}])"));
  const json::array patch = changes(diff_trees(before, after, DiffForm::JsonPatch));
  CHECK(patch[0] == json::parse(R"({"op":"move","from":"/children/3","path":"/children/0"})"));
  check_both_forms(before, after);
}

TEST_CASE("state_counts_as_a_change") {
  Node before = list_of({"a"});
  Node after = before;
  after.selected = true;
  after.focused = true;
  CHECK(changes(diff_trees(before, after, DiffForm::Custom)) ==
        json::parse(R"([{"op":"replace","path":"","fields":{"focused":true,"selected":true}}])"));
  CHECK(changes(diff_trees(after, before, DiffForm::JsonPatch)) ==
        json::parse(R"([{"op":"replace","path":"/focused","value":false},
                        {"op":"remove","path":"/selected"}])"));
}

TEST_CASE("a_patch_is_never_longer_than_the_tree") {
  std::vector<std::string> texts;
  texts.reserve(1000);
  for (int i = 0; i < 1000; ++i) texts.push_back(std::to_string(i));
  const Node before = list_of(texts);
  std::reverse(texts.begin(), texts.end());
  const Node after = list_of(texts);
  const TreeDiff patch = diff_trees(before, after, DiffForm::JsonPatch);
  CHECK(patch.changes.text.size() < node_json(after).size() + 100);
  check_both_forms(before, after);
}

TEST_CASE("longest_ascending_subsequence") {
  CHECK(longest_ascending({}).empty());
  CHECK(longest_ascending({3, 0, 1, 2}) == std::vector<std::size_t>{1, 2, 3});
  CHECK(longest_ascending({0, 4, 2, 3, 1, 5}) == std::vector<std::size_t>{0, 2, 3, 5});
}

}  // namespace
}  // namespace gantry::observation
