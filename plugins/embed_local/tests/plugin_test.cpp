// SPDX-License-Identifier: Apache-2.0
// The plugin on a fake host: engines, their absence, the line of requests and idling.
#include <gantry/embedding/failure.hpp>
#include <gantry/onnx/onnx.hpp>
#include <gantry/onnx/test_models.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "embed_plugin.hpp"
#include "sentence_model.hpp"
#include "table_writer.hpp"

namespace gantry::embed_local {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct World {
  testkit::TempDir dir;
  testkit::FakeHost kit;

  fs::path write_small_table() {
    TableContents contents;
    contents.vectors = Dense::Identity(2, 4);
    contents.common.assign(4, 0);
    contents.entries["cat"] = {0, 0};
    contents.entries["dog"] = {1, 0};
    fs::path file = dir.path() / "table.bin";
    std::ofstream(file, std::ios::binary) << write_table(contents);
    return file;
  }
  void load(const std::string& config) {
    const auto loaded = kit.load<EmbedPlugin>("embed_local", config);
    REQUIRE(loaded.ok());
    kit.pump();
  }
  Result<Ref<EmbedResult>> embed(std::vector<std::string> texts) {
    return kit.host().bus().call_wait<Embed>({std::move(texts), ""});
  }
  Result<Ref<EmbeddingSpace>> health() { return kit.host().bus().call_wait<EmbeddingHealth>({}); }
};

std::string with_table(const fs::path& file) {
  return fmt::format(R"({{"table":"{}"}})", file.string());
}

TEST_CASE("texts become vectors of the word table") {
  World world;
  world.load(with_table(world.write_small_table()));
  CHECK(world.kit.suitability("embed_local") == 50);
  const auto made = world.embed({"cat", "dogs", ""});
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code == Code::InvalidArgument);
  const auto good = world.embed({"cat", "dogs"});
  REQUIRE(good.ok());
  REQUIRE((*good)->embeddings.size() == 2);
  CHECK((*good)->space.embedding_space_version == "local-lsa:wordnet-3.0-lsa-v1:88");
  CHECK((*good)->embeddings[0].values.size() == 88);
  CHECK((*good)->embeddings[0].values[0] > 0.8F);
  CHECK((*good)->embeddings[1].values[1] > 0.8F);
  const auto healthy = world.health();
  REQUIRE(healthy.ok());
  CHECK((*healthy)->provider_id == "local-lsa");
}

TEST_CASE("without a table it says what is missing and what cures it") {
  World world;
  world.load(R"({"table":"/nonexistent/table.bin"})");
  CHECK(world.kit.suitability("embed_local") == 0);
  CHECK(world.kit.health().at("embed_local/model").cure.find("embed_table") != std::string::npos);
  const auto made = world.embed({"cat"});
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code == Code::Unavailable);
  const auto failure = embedding::failure_of(made.error());
  REQUIRE(failure.has_value());
  CHECK(failure->code == "provider_unavailable");
  CHECK_FALSE(world.health().ok());
  CHECK(world.kit.reconfigure("embed_local", with_table(world.write_small_table())).ok());
  CHECK(world.embed({"cat"}).ok());
}

TEST_CASE("a damaged table is no table") {
  World world;
  const fs::path file = world.write_small_table();
  std::ofstream(file, std::ios::app) << "x";
  world.load(with_table(file));
  const auto made = world.embed({"cat"});
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code == Code::Unavailable);
}

TEST_CASE("a table that nobody asks is given up after idling, and comes back") {
  World world;
  const fs::path file = world.write_small_table();
  world.load(with_table(file));
  REQUIRE(world.embed({"cat"}).ok());
  fs::remove(file);
  world.kit.advance(44s);
  CHECK(world.embed({"cat"}).ok());  // it is still mapped
  world.kit.advance(46s);
  CHECK_FALSE(world.embed({"cat"}).ok());
  world.write_small_table();
  CHECK(world.embed({"cat"}).ok());
}

TEST_CASE("a sentence model that is named and missing is not replaced by the table") {
  World world;
  const fs::path table = world.write_small_table();
  world.load(fmt::format(
      R"({{"table":"{}","models_dir":"{}","sentence_model":{{"model":"m.onnx","vocabulary":"v.txt"}}}})",
      table.string(), world.dir.path().string()));
  CHECK(world.kit.suitability("embed_local") == 0);
  const auto made = world.embed({"cat"});
  REQUIRE_FALSE(made.ok());
  CHECK(embedding::failure_of(made.error())->provider_id == "local-sentence-transformer");
}

TEST_CASE("a sentence model is run on its pieces, and their mean is the vector") {
  const fs::path library = onnx::library_in(onnx::test_models_dir());
  if (!fs::exists(library)) {
    REQUIRE(std::getenv("CI") == nullptr);  // tools/setup fetches it
    WARN("SKIPPED: there is no " << library << "; run tools/setup");
    return;
  }
  World world;
  const fs::path model = world.dir.path() / "m.onnx", words = world.dir.path() / "v.txt";
  std::ofstream(model, std::ios::binary) << test::sentence_model();
  std::ofstream(words) << "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\ndog\n";
  world.load(fmt::format(
      R"({{"models_dir":"{}","sentence_model":{{"model":"{}","vocabulary":"{}","id":"tiny"}}}})",
      onnx::test_models_dir().string(), model.string(), words.string()));
  const auto made = world.embed({"cat", "Dog, cat", "cat cat cat cat"});
  REQUIRE(made.ok());
  CHECK((*made)->space.embedding_space_version == "local-sentence-transformer:tiny:2");
  // The model gives [number, 1] for each piece: [CLS]=2, cat=4, [SEP]=3, so the mean is [3, 1].
  const float length = std::sqrt(10.0F);
  CHECK((*made)->embeddings[0].values[0] == Approx(3 / length));
  CHECK((*made)->embeddings[0].values[1] == Approx(1 / length));
  // [CLS] dog [UNK] cat [SEP]: (2+5+1+4+3)/5 = 3; the padding behind it does not count.
  CHECK((*made)->embeddings[1].values[0] == Approx(3 / length));
  // [CLS] cat cat cat cat [SEP]: 21/6.
  CHECK((*made)->embeddings[2].values[0] == Approx(3.5F / std::sqrt(3.5F * 3.5F + 1)));
}

}  // namespace
}  // namespace gantry::embed_local
