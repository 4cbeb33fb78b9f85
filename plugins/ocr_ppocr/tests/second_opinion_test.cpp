// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "second_opinion.hpp"

namespace gantry::ocr_ppocr::test {
namespace {

std::vector<ocr::ReadWord> words(const std::string& text, double confidence) {
  return {{"sure", 99, {}}, {text, confidence, {}}};
}

TEST_CASE(
    "the network's reading counts where it is certain and Tesseract has no letters of its own") {
  struct Row {
    const char* what;
    std::vector<ocr::ReadWord> tesseract, network;
    bool wins;
  };
  const std::vector<Row> rows = {
      {"certain", words("Sarne", 59), words("Same", 80), true},
      {"not certain itself", words("Sarne", 59), words("Same", 79), false},
      {"of something where there was nothing", {}, words("Same", 90), true},
      {"an accent that it does not know", words("Größe", 31), words("GroBe", 99), false},
      {"an accent that was a guess", words("Sâmê", 29), words("Same", 99), true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(network_wins(row.tesseract, row.network) == row.wins);
  }
}

}  // namespace
}  // namespace gantry::ocr_ppocr::test
