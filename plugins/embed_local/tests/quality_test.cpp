// SPDX-License-Identifier: Apache-2.0
// The table that the build makes: whole, and as good as it was. The bounds leave room for another
// processor's rounding; tests/bench/embedding prints what is measured.
#include <catch2/catch.hpp>
#include <string>

#include "../../../tests/bench/embedding/pairs.hpp"
#include "lsa_embedder.hpp"

namespace gantry::embed_local {
namespace {

TEST_CASE("paraphrases are found in the space of the built table") {
  const auto table = Table::open(GANTRY_EMBEDDING_TABLE);
  REQUIRE(table.ok());
  CHECK(table->dimensions() + kSpellingDimensions == 384);
  CHECK(table->entries() > 100'000);
  const auto scores =
      bench::score(bench::read_pairs(GANTRY_EMBEDDING_PAIRS),
                   [&](const std::string& text) { return lsa_embedding(*table, text); });
  for (const bench::Score& half : {scores.seen, scores.frozen}) {
    CHECK(half.pairs == 24);
    CHECK(half.first >= 19);
    CHECK(half.third >= 21);
    CHECK(half.mean() >= 0.85);
  }
  CHECK(scores.same > scores.other + 0.25);
}

}  // namespace
}  // namespace gantry::embed_local
