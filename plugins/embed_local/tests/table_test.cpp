// SPDX-License-Identifier: Apache-2.0
// The file of word vectors, and what is made with it: the test builds its own, of WordNet files
// that it writes itself.
#include "table.hpp"

#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "build_table.hpp"
#include "factorise.hpp"
#include "lsa_embedder.hpp"
#include "small_wordnet.hpp"
#include "table_writer.hpp"

namespace gantry::embed_local {
namespace {

TableContents small_contents() {
  TableContents contents;
  contents.vectors = Dense(2, 4);
  contents.vectors << 1, -0.5F, 0.25F, 0, 0, 0, 0, 0;
  contents.common = {0, 0, 0, 1};
  contents.entries["cat"] = {0, 0.25F};
  contents.entries["cats"] = {0, 0.25F};
  contents.entries["nothing"] = {1, 0};
  return contents;
}

TEST_CASE("what is written is read again") {
  const std::string bytes = write_table(small_contents());
  const auto table = Table::of(bytes);
  REQUIRE(table.ok());
  CHECK(table->dimensions() == 4);
  CHECK(table->rows() == 2);
  CHECK(table->entries() == 3);
  CHECK(table->common()[3] == 1);
  const auto cat = table->find("cat");
  REQUIRE(cat.has_value());
  CHECK(cat->probability == 0.25F);
  CHECK(static_cast<float>(cat->vector[0]) * cat->scale == Approx(1));
  CHECK(static_cast<float>(cat->vector[1]) * cat->scale == Approx(-0.5).margin(0.005));
  CHECK(table->find("cats")->vector.data() == cat->vector.data());
  CHECK(table->find("nothing")->scale == 0);
  for (const char* word : {"", "ca", "catsx", "zebra", "\xFF"}) {
    CHECK_FALSE(table->find(word).has_value());
  }
}

TEST_CASE("a file is mapped; one that is none says so") {
  const testkit::TempDir dir;
  const auto file = dir.path() / "table.bin";
  std::ofstream(file, std::ios::binary) << write_table(small_contents());
  auto table = Table::open(file);
  REQUIRE(table.ok());
  const Table moved = std::move(*table);
  CHECK(moved.find("cat").has_value());
  const auto none = Table::open(dir.path() / "none.bin");
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == Code::NotFound);
  for (const auto& wrong : {dir.path(), std::filesystem::path("/dev/null")}) {
    const auto opened = Table::open(wrong);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().code == Code::DataLoss);
  }
}

TEST_CASE("any byte that is not as it was is found out") {
  const std::string good = write_table(small_contents());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    CHECK_FALSE(Table::of(bad).ok());
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK_FALSE(Table::of(std::string_view(good).substr(0, size)).ok());
  }
  CHECK_FALSE(Table::of(good + "x").ok());
}

/// With a checksum that is right again.
Result<Table> patched(std::string bytes, void (*change)(TableHeader&, std::string&),
                      std::string& kept) {
  TableHeader header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  change(header, bytes);
  header.size = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.checksum = table_checksum(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  kept = std::move(bytes);
  return Table::of(kept);
}

TEST_CASE("numbers that lie are refused, checksum or not") {
  const std::string good = write_table(small_contents());
  std::string kept;
  using Change = void (*)(TableHeader&, std::string&);
  REQUIRE(patched(
              good, [](TableHeader&, std::string&) {}, kept)
              .ok());
  for (const Change change : std::initializer_list<Change>{
           [](TableHeader& h, std::string&) { h.version = 2; },
           [](TableHeader& h, std::string&) { h.dimensions = 0; },
           [](TableHeader& h, std::string&) { h.dimensions = 0xFFFFFFFF; },
           [](TableHeader& h, std::string&) { h.rows = 0xFFFFFFFF; },
           [](TableHeader& h, std::string&) { h.rows = 1; },
           [](TableHeader& h, std::string&) { h.entries = 1000; },
           [](TableHeader& h, std::string&) { h.vectors = ~std::uint64_t{63}; },
           [](TableHeader& h, std::string&) { h.texts = 1; },
           [](TableHeader& h, std::string&) { h.words = 0; },
           [](TableHeader& h, std::string& b) { std::memset(b.data() + h.scales, 0xFF, 4); },
           [](TableHeader& h, std::string& b) { std::memset(b.data() + h.common, 0xFF, 4); },
           [](TableHeader& h, std::string& b) { std::memset(b.data() + h.words, 0x7F, 4); },
           [](TableHeader& h, std::string& b) { b[h.words + 4] = 9; },    // a row
           [](TableHeader& h, std::string& b) { b[h.words + 11] = -1; },  // a probability
           [](TableHeader& h, std::string& b) { b[h.texts + 1] = 'z'; },  // the order
           [](TableHeader& h, std::string& b) { b[h.texts] = 0; },        // an empty word
       }) {
    CHECK_FALSE(patched(good, change, kept).ok());
  }
}

TEST_CASE("the decomposition finds the factors of a matrix of low rank") {
  // Two blocks of ones: rank 2, singular values sqrt(rows * columns) of the blocks.
  Sparse matrix;
  matrix.columns = 7;
  for (int row = 0; row < 10; ++row) {
    for (std::uint32_t column = row < 6 ? 0 : 4; column < (row < 6 ? 4U : 7U); ++column) {
      matrix.cells.push_back({column, 1});
    }
    matrix.begins.push_back(matrix.cells.size());
  }
  const Factors factors = factorise(matrix, 2, 2, 1);
  CHECK(factors.values[0] == Approx(std::sqrt(24.0)).epsilon(1e-3));
  CHECK(factors.values[1] == Approx(std::sqrt(12.0)).epsilon(1e-3));
  CHECK(factors.left.rows() == 10);
  CHECK(std::abs(factors.left(0, 0)) == Approx(1 / std::sqrt(6.0)).epsilon(1e-3));
  CHECK(std::abs(factors.left(9, 1)) == Approx(1 / std::sqrt(4.0)).epsilon(1e-3));
  const Factors again = factorise(matrix, 2, 2, 1);
  CHECK(factors.left == again.left);
}

float cosine(const Table& table, std::string_view a, std::string_view b) {
  const auto x = lsa_embedding(table, a), y = lsa_embedding(table, b);
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0F);
}

TEST_CASE("words of one meaning are near each other") {
  const testkit::TempDir dir;
  write_small_wordnet(dir.path());
  const auto net = read_wordnet(dir.path());
  REQUIRE(net.ok());
  CHECK(net->synsets.size() == kSmallSynsets);
  CHECK(net->notice == "A licence.\n");
  CHECK(net->exceptions.at("mice") == "mouse");
  const std::string bytes = build_table(*net, 6);
  CHECK(bytes == build_table(*net, 6));  // the same for the same words
  const auto table = Table::of(bytes);
  REQUIRE(table.ok());
  CHECK(table->find("mice").has_value());
  CHECK(table->find("turn_off").has_value());
  CHECK(cosine(*table, "car", "automobile") > cosine(*table, "car", "mouse") + 0.2F);
  CHECK(cosine(*table, "mice", "mouse") > cosine(*table, "mice", "car") + 0.2F);
  CHECK(cosine(*table, "turned off", "switch off") > cosine(*table, "turned off", "cat") + 0.2F);
  CHECK(cosine(*table, "The CARS", "the cars") == Approx(1));
  CHECK(cosine(*table, "", "car") == 0);
}

TEST_CASE("WordNet's files that are missing or broken are named") {
  const testkit::TempDir dir;
  const auto none = read_wordnet(dir.path());
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == Code::NotFound);
  CHECK(none.error().message.find("wordnet-base") != std::string::npos);
  write_small_wordnet(dir.path());
  std::ofstream(dir.path() / "data.noun") << "x y z\n";
  const auto broken = read_wordnet(dir.path());
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().code == Code::DataLoss);
}

TEST_CASE("any text gives a vector of length 1, or zeros") {
  const std::string bytes = write_table(small_contents());
  const auto table = Table::of(bytes);
  REQUIRE(table.ok());
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (std::size_t i = random() % 40; i > 0; --i) text += static_cast<char>(random());
    const auto vector = lsa_embedding(*table, text);
    REQUIRE(vector.size() == 4 + kSpellingDimensions);
    const float square = std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0F);
    CHECK((square == 0 || square == Approx(1).epsilon(1e-3)));
  }
}

}  // namespace
}  // namespace gantry::embed_local
