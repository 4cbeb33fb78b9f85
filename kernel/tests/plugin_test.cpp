// SPDX-License-Identifier: Apache-2.0
// Manifests, versions, resolution and trust: what is decided before any library is opened.
#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <deque>

#include "plugin/manifest.hpp"
#include "plugin/resolver.hpp"
#include "plugin/trust.hpp"
#include "test_files.hpp"

namespace gantry::plugin {
namespace {

using config::Diagnostics;
using config::Value;
using test::text_of;

std::vector<std::string> words(const Value* list) {
  std::vector<std::string> out;
  if (list == nullptr) return out;
  for (const auto& item : list->as_list()) out.push_back(item.as_text());
  return out;
}

TEST_CASE("manifest table") {
  const Value cases = test::load_cases("kernel/tests/cases/manifest.yaml");
  for (const auto& test_case : cases.as_list()) {
    INFO(text_of(test_case, "name"));
    Diagnostics diagnostics;
    const auto tree = config::parse_yaml(text_of(test_case, "text"), "plugin.yaml", diagnostics);
    REQUIRE(tree);
    const auto manifest = parse_manifest(*tree, "/p", diagnostics);
    const auto errors = words(test_case.find("errors"));
    const std::string all = diagnostics.to_string();
    INFO(all);
    CHECK(manifest.has_value() == errors.empty());
    CHECK(diagnostics.items().size() == errors.size());
    for (const auto& error : errors) {
      INFO("expected: " << error);
      CHECK(all.find(error) != std::string::npos);
    }
  }
}

Manifest make_manifest(const std::string& name, const Value& marks) {
  Manifest manifest;
  manifest.name = name;
  for (std::string mark : words(&marks)) {
    auto* list = &manifest.provides;
    if (mark.front() == '-') list = &manifest.requires_contracts;
    if (mark.front() == '?') list = &manifest.optional_contracts;
    if (list != &manifest.provides) mark.erase(0, 1);
    list->push_back(ContractRef::parse(mark).value());
  }
  return manifest;
}

TEST_CASE("resolution table") {
  const Value cases = test::load_cases("kernel/tests/cases/resolve.yaml");
  for (const auto& test_case : cases.as_list()) {
    INFO(text_of(test_case, "name"));
    std::deque<Manifest> manifests;
    ResolveInput input;
    for (const auto& entry : test_case.find("plugins")->as_map()) {
      manifests.push_back(make_manifest(entry.key, entry.value));
      input.enabled.push_back(&manifests.back());
      input.known.push_back(&manifests.back());
    }
    if (const Value* installed = test_case.find("installed")) {
      for (const auto& entry : installed->as_map()) {
        manifests.push_back(make_manifest(entry.key, entry.value));
        input.known.push_back(&manifests.back());
      }
    }
    const Resolution resolution = resolve(input);
    CHECK(resolution.order == words(test_case.find("order")));
    CHECK(resolution.notes == words(test_case.find("notes")));
    const Value* refused = test_case.find("refused");
    CHECK(resolution.refused.size() == (refused == nullptr ? 0 : refused->as_map().size()));
    if (refused == nullptr) continue;
    for (const auto& entry : refused->as_map()) {
      REQUIRE(resolution.refused.count(entry.key) == 1);
      INFO(resolution.refused.at(entry.key));
      CHECK(resolution.refused.at(entry.key).find(entry.value.as_text()) != std::string::npos);
    }
  }
}

TEST_CASE("version ranges") {
  struct Row {
    const char* range;
    const char* version;
    bool inside;
  };
  constexpr Row kRows[] = {
      {"", "9.9.9", true},          {"*", "0.0.1", true},         {">=0.2 <0.4", "0.3.9", true},
      {">=0.2 <0.4", "0.4", false}, {">=0.2, <0.4", "0.2", true}, {"^1.2", "1.9", true},
      {"^1.2", "2.0", false},       {"^0.2.1", "0.2.9", true},    {"^0.2.1", "0.3", false},
      {"^0.0.3", "0.0.4", false},   {"1.2", "1.2.7", true},       {"1.2", "1.3", false},
      {"=1.2.3", "1.2.4", false},   {">1.2", "1.2.5", false},     {">1.2", "1.3", true},
      {"<=1.2", "1.2.9", true},     {"> 1", "2.0", true},
  };
  for (const auto& row : kRows) {
    INFO(row.range << " ∋ " << row.version);
    CHECK(VersionRange::parse(row.range).value().contains(Version::parse(row.version).value()) ==
          row.inside);
  }
  for (const auto* bad : {"x", ">=", "1.2.3.4", "~1", "1.", "-1"}) {
    INFO(bad);
    CHECK(!VersionRange::parse(bad));
  }
}

TEST_CASE("contract references") {
  CHECK(ContractRef::parse("gantry.window.list/1")->to_string() == "gantry.window.list/1");
  CHECK(ContractRef::parse("a.b/1-3")->to_string() == "a.b/1-3");
  for (const auto* bad : {"", "/1", "a.b", "a/1", "a..b/1", ".a.b/1", "a.b./1", "A.b/1", "a.b/",
                          "a.b/x", "a.b/3-1", "a.b/1-", "a b.c/1"}) {
    INFO(bad);
    CHECK(!ContractRef::parse(bad));
  }
}

TEST_CASE("an ABI refusal holds both versions") {
  CHECK(abi_mismatch(1, 0, 1, 0).empty());
  CHECK(abi_mismatch(1, 0, 1, 4).empty());
  CHECK(abi_mismatch(1, 5, 1, 4) ==
        "it was built for plugin ABI 1.5, this daemon has 1.4; a newer daemon can load it");
  CHECK(abi_mismatch(2, 0, 1, 4).find("a newer daemon") != std::string::npos);
  CHECK(abi_mismatch(0, 9, 1, 4).find("rebuild it") != std::string::npos);
}

TEST_CASE("who loses a provider goes too, who has another stays") {
  const auto manifest = [](const char* name, const std::string& marks) {
    Diagnostics diagnostics;
    return make_manifest(name, *config::parse_yaml(marks, "", diagnostics));
  };
  const Manifest a = manifest("a", "[x.a/1]");
  const Manifest a2 = manifest("a2", "[x.a/1]");
  const Manifest b = manifest("b", "[x.b/1, '-x.a/1']");
  const Manifest c = manifest("c", "['-x.b/1']");
  CHECK(dependents_of("a", {&a, &b, &c}) == std::vector<std::string>{"b", "c"});
  CHECK(dependents_of("a", {&a, &a2, &b, &c}).empty());
  CHECK(dependents_of("c", {&a, &b, &c}).empty());
}

TEST_CASE("trust looks at the file and at every folder above it") {
  const test::TempDir dir;
  const auto file = dir.write("plugins/demo/demo.so", "x");
  const auto folder = file.parent_path();
  chmod(file.c_str(), 0644);
  chmod(folder.c_str(), 0755);
  chmod(folder.parent_path().c_str(), 0755);
  CHECK(Trust(getuid()).distrust(file).empty());
  SECTION("file writable by the group") {
    chmod(file.c_str(), 0664);
    CHECK(Trust(getuid()).distrust(file).find(
              "demo.so has mode 0664 and others may change it (chmod go-w") != std::string::npos);
  }
  SECTION("folder writable by all, sticky or not") {
    chmod(folder.c_str(), 01777);
    CHECK(Trust(getuid()).distrust(file).find("mode 1777") != std::string::npos);
  }
  SECTION("folder higher up") {
    chmod(folder.parent_path().c_str(), 0777);
    CHECK(Trust(getuid()).distrust(file).find("plugins has mode 0777") != std::string::npos);
  }
  SECTION("a link is followed to what it means") {
    const auto link = dir.path() / "link.so";
    std::filesystem::create_symlink(file, link);
    chmod(file.c_str(), 0666);
    CHECK(!Trust(getuid()).distrust(link).empty());
  }
  SECTION("another owner") {
    if (getuid() == 0) {
      REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
      CHECK(Trust(0).distrust(file).find("belongs to user 12345, allowed: root or user 0") !=
            std::string::npos);
      CHECK(Trust(12345).distrust(file).empty());
    } else {
      CHECK(Trust(getuid() + 1).distrust(file).find("belongs to user") != std::string::npos);
    }
  }
  SECTION("a file that is not there") {
    CHECK(Trust(getuid()).distrust(folder / "none.so").find("No such file") != std::string::npos);
  }
}

TEST_CASE("inside a folder means after links are followed") {
  const test::TempDir dir;
  const auto file = dir.write("vendor/a/a.so", "");
  const auto other = dir.write("other/b.so", "");
  std::filesystem::create_symlink(other, dir.path() / "vendor/b.so");
  CHECK(Trust(0).is_inside(file, dir.path() / "vendor"));
  CHECK(Trust(0).is_inside(file, dir.path() / "vendor/"));
  CHECK(!Trust(0).is_inside(dir.path() / "vendor/b.so", dir.path() / "vendor"));
  CHECK(!Trust(0).is_inside(dir.path() / "vendor2/x", dir.path() / "vendor"));
}

}  // namespace
}  // namespace gantry::plugin
