// SPDX-License-Identifier: Apache-2.0
// What an engine leaves behind: an idle daemon should not hold the words of a language.
#include <malloc.h>
#include <tesseract/baseapi.h>
#include <catch2/catch.hpp>
#include <gantry/ocr/tesseract_engine.hpp>

using namespace gantry;

namespace {

std::size_t bytes_in_use() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

}  // namespace

TEST_CASE("the last engine takes its word lists along") {
  {
    const auto engine = ocr::TesseractEngine::create("eng", ocr::data_folder(""));
    REQUIRE(engine.ok());
  }
  const std::size_t left = bytes_in_use();
  tesseract::TessBaseAPI::ClearPersistentCache();
  CHECK(left < bytes_in_use() + 100'000);
}
