// SPDX-License-Identifier: Apache-2.0
// The list of model files, and what is said of the files that are there.
#include <catch2/catch.hpp>

#include "cli/models.hpp"
#include "test_files.hpp"

namespace gantry::test {
namespace {

using cli::Grade;
using cli::Look;
using cli::ModelPack;
using cli::ModelState;

// sha256 of "abc" and of nothing.
const std::string kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const std::string kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::string pack(const std::string& name) {
  return "pack " + name + " @some/thing 1.2.3 " + kAbc + " MIT says what is what\n";
}
std::string file(const std::string& path, const std::string& hash) {
  return "file " + path + " package/a " + hash + "\n";
}

TEST_CASE("the list that is shipped can be read, and every pack has files") {
  const char* source = std::getenv("GANTRY_SOURCE_DIR");
  REQUIRE(source != nullptr);
  std::string reason;
  const auto text =
      config::read_file(std::string(source) + "/config/models/list.txt", 1 << 20, reason);
  REQUIRE(text);
  const auto packs = cli::read_model_list(*text);
  REQUIRE(packs.ok());
  REQUIRE(packs->size() >= 3);
  for (const ModelPack& one : *packs) {
    CHECK_FALSE(one.files.empty());
    for (const auto& part : one.files) CHECK(part.path.starts_with(one.name + "/"));
  }
}

TEST_CASE("a list with a mistake is refused with its line") {
  struct Row {
    std::string text;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"what is this", "line 1 of the list of models begins with neither"},
      {pack("a") + "pack b c 1 " + kAbc + " MIT", "line 2 of the list of models lacks a word"},
      {"pack a b 1 12ab MIT doc", "line 1 of the list of models has no sha256"},
      {file("x", kAbc), "line 1 of the list of models names a file before any pack"},
      {pack("a") + file("/etc/passwd", kAbc), "outside of the folder"},
      {pack("a") + file("../x", kAbc), "outside of the folder"},
      {pack("a") + file("b/../../x", kAbc), "outside of the folder"},
      {pack("a") + "file x y", "line 2 of the list of models has no sha256"},
      {pack("a") + file("x", kAbc.substr(1) + "G"), "has no sha256 of the file"},
  };
  for (const Row& row : rows) {
    const auto packs = cli::read_model_list(row.text);
    INFO(row.text);
    REQUIRE_FALSE(packs.ok());
    CHECK(packs.error().message.find(row.says) != std::string::npos);
  }
  CHECK(cli::read_model_list("").ok());
  CHECK(cli::read_model_list("# only words\n\n").value().empty());
}

TEST_CASE("files are there, missing or something else, and doctor names the cure") {
  TempDir dir;
  dir.write("good/a", "abc");
  dir.write("good/b", "");
  dir.write("spoilt/a", "abd");
  const auto packs = cli::read_model_list(
      pack("good") + file("good/a", kAbc) + file("good/b", kEmpty) + pack("spoilt") +
      file("spoilt/a", kAbc) + pack("absent") + file("absent/a", kAbc) + file("good/a", kAbc));
  REQUIRE(packs.ok());
  const ModelState content[] = {ModelState::kThere, ModelState::kDiffers, ModelState::kMissing};
  const ModelState presence[] = {ModelState::kThere, ModelState::kThere, ModelState::kMissing};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(state_of((*packs)[i], dir.path(), Look::kContent) == content[i]);
    CHECK(state_of((*packs)[i], dir.path(), Look::kPresence) == presence[i]);
  }
  const std::string json = cli::models_json(*packs, dir.path(), Look::kContent);
  CHECK(json.find(R"("ok":false)") != std::string::npos);
  CHECK(json.find(R"({"path":"spoilt/a","state":"differs"})") != std::string::npos);
  CHECK(json.find(R"("licence":"MIT","purpose":"says what is what")") != std::string::npos);

  cli::Report report;
  cli::check_models(*packs, dir.path(), report);
  REQUIRE(report.size() == 3);
  CHECK(report[0].grade == Grade::kGood);
  CHECK(report[0].cure.empty());
  CHECK(report[2].grade == Grade::kNote);  // never in the way of starting
  CHECK(report[2].cure == "gantry models fetch absent");
  CHECK(report[2].finding.find("says what is what") != std::string::npos);
}

}  // namespace
}  // namespace gantry::test
