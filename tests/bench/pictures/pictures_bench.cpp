// SPDX-License-Identifier: Apache-2.0
//
// What resolve-text does with 200 rows of a screen after they were read: ids, scores, the answer.
// The aim is 5 ms.
#include <benchmark/benchmark.h>
#include <gantry/picture_text/matching.hpp>

#include <cstdint>
#include <string>

namespace {

using namespace gantry;
using namespace gantry::picture_text;

PictureTextRows screen(std::int32_t rows) {
  const char* const kWords[] = {"File",   "Edit",  "Search", "Amazon", "settings", "of the",
                                "window", "Close", "Größe",  "12:45",  "example",  "checkout"};
  PictureTextRows out;
  std::uint32_t state = 1;
  for (std::int32_t i = 0; i < rows; ++i) {
    std::string text;
    for (int word = 0; word < 5; ++word) {
      state = state * 1'664'525U + 1'013'904'223U;
      text += std::string(kWords[(state >> 16U) % 12]) + " ";
    }
    out.rows.push_back({text, 0.9, {10, i * 20, 300, 16}});
  }
  return out;
}

void resolve_text(benchmark::State& state) {
  const PictureTextRows read = screen(static_cast<std::int32_t>(state.range(0)));
  for (auto _ : state) {
    const auto all = ranked(rows_of(read, "shot.png"), "Proceed to checkout");
    benchmark::DoNotOptimize(unresolved(all, "Proceed to checkout", 0.8));
  }
}
BENCHMARK(resolve_text)->Arg(200)->Arg(2000)->Unit(benchmark::kMillisecond);

}  // namespace
