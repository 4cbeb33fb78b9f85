// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/artifact.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "artifacts_plugin.hpp"
#include "blobs.hpp"
#include "media_type.hpp"
#include "store_plugin.hpp"

namespace gantry::artifacts {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
namespace fs = std::filesystem;

const std::string kPng = "\x89PNG\r\n\x1a\n and so on"s;
const std::string kJpeg = "\xff\xd8\xff\xe0 and so on"s;
const std::string kWebp = "RIFF\x10\0\0\0WEBPVP8 "s;
const std::string kPdf = "%PDF-1.7\n"s;

class World {
 public:
  explicit World(const std::string& more = "") {
    REQUIRE(kit_.load<store::StorePlugin>("store",
                                          R"({"path":")" + folder_.path().string() + "/store.db\"}")
                .ok());
    start(more);
  }
  void start(const std::string& more) {
    REQUIRE(kit_.load<ArtifactsPlugin>("artifacts",
                                       R"({"folder":")" + bytes().string() + "\"" + more + "}")
                .ok());
  }
  void restart(const std::string& more = "") {
    kit_.unload("artifacts");
    start(more);
  }
  testkit::FakeHost& kit() { return kit_; }
  fs::path bytes() const { return folder_.path() / "artifacts"; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(bytes())) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }

  template <class C>
  Result<typename C::Response> call(typename C::Request request) {
    auto answer = kit_.host().bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }
  Result<ArtifactInfo> put(const std::string& bytes, const std::string& type = "image/png",
                           const std::string& owner = "ann") {
    return call<ArtifactPut>({owner, Buffer::copy(bytes), type, "shot"});
  }

 private:
  testkit::TempDir folder_;
  testkit::FakeHost kit_;
};

TEST_CASE("an artifact comes back as it was put, also after a restart") {
  World world;
  const auto info = world.put(kPng, "image/png; charset=x");
  REQUIRE(info.ok());
  CHECK(std::regex_match(info->artifact_id, std::regex("[0-9a-f]{32}\\.png")));
  CHECK(info->content_type == "image/png");
  CHECK(info->size_bytes == static_cast<std::int64_t>(kPng.size()));
  CHECK(info->sha256 == sha256_hex(kPng));
  world.restart();
  const auto content = world.call<ArtifactGet>({"ann", info->artifact_id});
  REQUIRE(content.ok());
  CHECK(content->content.text() == kPng);
  CHECK(content->info.filename == "shot");
  CHECK(world.call<ArtifactStat>({"ann", info->artifact_id})->sha256 == info->sha256);
}

TEST_CASE("the bytes say what an artifact is, and its id has their extension") {
  World world;
  struct Case {
    std::string bytes, said, type, extension;
  };
  for (const Case& c :
       {Case{kPng, "image/png", "image/png", ".png"},
        Case{kJpeg, "IMAGE/JPEG", "image/jpeg", ".jpg"},
        Case{kWebp, "image/webp", "image/webp", ".webp"},
        Case{kPdf, "application/pdf", "application/pdf", ".pdf"},
        Case{"junk " + kPdf, "application/pdf", "application/pdf", ".pdf"},
        Case{kJpeg, "image/png", "image/jpeg", ".jpg"}, Case{kPng, "", "image/png", ".png"}}) {
    const auto info = world.put(c.bytes, c.said);
    REQUIRE(info.ok());
    CHECK(info->content_type == c.type);
    CHECK(info->artifact_id.substr(32) == c.extension);
  }
}

TEST_CASE("what is no image or document is refused, and leaves nothing behind") {
  World world(R"(,"max_bytes":1024)");
  for (const auto& [bytes, type] :
       std::vector<std::pair<std::string, std::string>>{{"hello", "image/png"},
                                                        {"", "image/png"},
                                                        {kPng, "text/plain"},
                                                        {kPng, "image/jpg"},
                                                        {"<svg/>", "image/svg+xml"},
                                                        {"GIF89a", "image/gif"},
                                                        {"hello", ""}}) {
    const auto refused = world.put(bytes, type);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::InvalidArgument);
    CHECK(refused.error().detail == R"({"reason":"unsupported_type"})");
  }
  const auto large = world.put(kPng + std::string(1024, 'x'));
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().code == Code::OutOfRange);
  CHECK(large.error().detail == R"({"reason":"too_large"})");
  CHECK(world.put(kPng, "image/png", "").error().code == Code::InvalidArgument);
  CHECK_FALSE(fs::exists(world.bytes()));
}

TEST_CASE("somebody else's artifact does not exist, on every contract") {
  World world;
  const auto info = world.put(kPng);
  for (const char* other : {"bob", "", "ann/", "Ann"}) {
    CHECK(world.call<ArtifactGet>({other, info->artifact_id}).error().code == Code::NotFound);
    CHECK(world.call<ArtifactStat>({other, info->artifact_id}).error().code == Code::NotFound);
    CHECK(world.call<ArtifactRemove>({other, info->artifact_id}).error().code == Code::NotFound);
    CHECK(world.call<ArtifactList>({other, "", 9})->artifacts.empty());
    CHECK(world.call<ArtifactList>({other, "", 9})->total_bytes == 0);
  }
  // The same words as for one that was never there: nobody learns that it exists.
  const auto unknown = world.call<ArtifactGet>({"bob", std::string(32, '0') + ".png"});
  CHECK(unknown.error().message ==
        world.call<ArtifactGet>({"bob", info->artifact_id}).error().message);
  CHECK(world.call<ArtifactGet>({"ann", info->artifact_id}).ok());
}

TEST_CASE("what is no id is told apart from what is not there") {
  World world;
  for (const char* id :
       {"", "x", "a.gif", "../store.db", "a/b.png", "a.png.png", ".png", "a b.png"}) {
    CHECK(world.call<ArtifactGet>({"ann", id}).error().code == Code::InvalidArgument);
  }
  for (const char* id : {"shot.png", "a-b_C9.jpeg", "x.pdf"}) {
    CHECK(world.call<ArtifactGet>({"ann", id}).error().code == Code::NotFound);
  }
}

TEST_CASE("the same bytes are on the disk once, and nobody can tell") {
  World world;
  const auto first = world.put(kPng, "image/png", "ann");
  const auto second = world.put(kPng, "image/png", "bob");
  CHECK(first->artifact_id != second->artifact_id);
  CHECK(world.files().size() == 1);
  REQUIRE(world.call<ArtifactRemove>({"ann", first->artifact_id}).ok());
  CHECK(world.call<ArtifactGet>({"ann", first->artifact_id}).error().code == Code::NotFound);
  world.kit().advance(3h);  // the bytes are swept by now, if nobody had them
  CHECK(world.call<ArtifactGet>({"bob", second->artifact_id}).ok());
  REQUIRE(world.call<ArtifactRemove>({"bob", second->artifact_id}).ok());
  CHECK(world.files().size() == 1);
  world.kit().advance(3h);
  CHECK(world.files().empty());
}

TEST_CASE("bytes that an upload has just asked for again are not swept") {
  World world;
  const auto first = world.put(kPng);
  REQUIRE(world.call<ArtifactRemove>({"ann", first->artifact_id}).ok());
  world.kit().advance(59min);
  Blobs blobs(world.bytes());
  const std::int64_t now = world.kit().host().wall_ns();
  REQUIRE(blobs.put(first->sha256, kPng, now).ok());
  blobs.remove(first->sha256, now);
  CHECK(world.files().size() == 1);
  blobs.remove(first->sha256, now + 1);
  CHECK(world.files().empty());
}

TEST_CASE("what an interrupted write left behind goes") {
  World world;
  const auto info = world.put(kPng);
  const fs::path left = world.bytes() / info->sha256.substr(0, 2) / "new-1-1";
  std::ofstream(left) << "half";
  fs::last_write_time(left, fs::file_time_type::min() + std::chrono::hours(1));
  world.kit().advance(2h);
  CHECK_FALSE(fs::exists(left));
  CHECK(world.call<ArtifactGet>({"ann", info->artifact_id}).ok());
}

TEST_CASE("bytes that are gone or have changed are data_loss") {
  World world;
  const auto info = world.put(kPng);
  const fs::path file = world.files().at(0);
  {
    std::fstream change(file, std::ios::in | std::ios::out);
    change.seekp(9);
    change.put('X');
  }
  CHECK(world.call<ArtifactGet>({"ann", info->artifact_id}).error().code == Code::DataLoss);
  fs::remove(file);
  CHECK(world.call<ArtifactGet>({"ann", info->artifact_id}).error().code == Code::DataLoss);
  REQUIRE(world.put(kPng).ok());
  CHECK(world.call<ArtifactGet>({"ann", info->artifact_id}).ok());
}

TEST_CASE("only the owner of the daemon may read the bytes") {
  World world;
  REQUIRE(world.put(kPng).ok());
  for (const auto& entry : fs::recursive_directory_iterator(world.bytes())) {
    INFO(entry.path());
    CHECK((entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
          fs::perms::none);
  }
}

TEST_CASE("an owner has a quota, and room that is given back can be used again") {
  World world(R"(,"quota":)" + std::to_string(2 * kPng.size()));
  const auto first = world.put(kPng);
  REQUIRE(world.put(kPng).ok());
  const auto refused = world.put(kPng);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::ResourceExhausted);
  CHECK(refused.error().detail == R"({"reason":"quota"})");
  CHECK(world.put(kPng, "image/png", "bob").ok());
  REQUIRE(world.call<ArtifactRemove>({"ann", first->artifact_id}).ok());
  CHECK(world.put(kPng).ok());
  world.restart(R"(,"quota":)" + std::to_string(2 * kPng.size()));
  CHECK_FALSE(world.put(kPng).ok());
}

TEST_CASE("uploads side by side cannot overdraw the quota") {
  World world(R"(,"quota":)" + std::to_string(2 * kPng.size()));
  REQUIRE(world.put(kPng).ok());
  std::size_t kept = 0;
  for (int i = 0; i < 4; ++i) {
    world.kit().host().bus().call<ArtifactPut>(
        {"ann", Buffer::copy(kPng), "image/png", ""},
        [&kept](const Result<Ref<ArtifactInfo>>& answer) { kept += answer.ok() ? 1 : 0; });
  }
  world.kit().pump();
  CHECK(kept == 1);
}

TEST_CASE("artifacts go when their time is over") {
  World world(R"(,"retention":86400000)");
  const auto old = world.put(kPng);
  world.kit().advance(20h);
  const auto young = world.put(kJpeg, "image/jpeg");
  world.kit().advance(6h);
  CHECK(world.call<ArtifactStat>({"ann", old->artifact_id}).error().code == Code::NotFound);
  CHECK(world.call<ArtifactStat>({"ann", young->artifact_id}).ok());
}

TEST_CASE("an owner's artifacts are listed in pages") {
  World world;
  std::set<std::string> put;
  for (int i = 0; i < 5; ++i) put.insert(world.put(kPng)->artifact_id);
  std::set<std::string> seen;
  std::string after;
  bool more = true;
  while (more) {
    const auto page = world.call<ArtifactList>({"ann", after, 2});
    REQUIRE(page.ok());
    REQUIRE_FALSE(page->artifacts.empty());
    CHECK(page->total_bytes == static_cast<std::int64_t>(5 * kPng.size()));
    for (const ArtifactInfo& info : page->artifacts) seen.insert(info.artifact_id);
    after = page->artifacts.back().artifact_id;
    more = page->more;
  }
  CHECK(seen == put);
}

}  // namespace
}  // namespace gantry::artifacts
