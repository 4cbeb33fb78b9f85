// SPDX-License-Identifier: Apache-2.0
#include "service/memory.hpp"

#include <sys/prctl.h>
#include <catch2/catch.hpp>
#include <gantry/testkit/small_pages.hpp>

#include <memory>
#include <vector>

using namespace gantry;
using namespace gantry::service;

namespace {

constexpr std::size_t kPiece = 4000;  // small: from an arena, not from the system

/// So many bytes of the heap in small pieces.
std::vector<std::unique_ptr<char[]>> pieces(std::size_t bytes) {
  std::vector<std::unique_ptr<char[]>> out;
  for (std::size_t i = 0; i < bytes / kPiece; ++i) out.push_back(std::make_unique<char[]>(kPiece));
  return out;
}

bool huge_pages_off() { return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1; }

}  // namespace

TEST_CASE("what is freed while memory is given back is given back the next time") {
  MemoryTrimmer trimmer;
  auto early = pieces(8 << 20);
  auto late = pieces(8 << 20);
  const auto holds_a_place = std::make_unique<char[]>(kPiece);  // else the heap's end is given back
  early.clear();
  REQUIRE(trimmer.run([&] { late.clear(); }));
  int trims = 0;
  CHECK(trimmer.run([&] { ++trims; }));
  CHECK(trims == 1);
  CHECK_FALSE(trimmer.run([&] { ++trims; }));  // nothing has changed since
  CHECK(trims == 1);
}

TEST_CASE("a heap with little to give back is left alone") {
  MemoryTrimmer trimmer;
  trimmer.run();
  trimmer.run();
  const auto few = pieces(MemoryTrimmer::kWorthwhile / 2);
  CHECK_FALSE(trimmer.run([] { FAIL("there was nothing to give back"); }));
}

TEST_CASE("memory stays in small pages, even when somebody left the switch on") {
  do_without_huge_pages();
  const testkit::SmallPages taken_back_at_the_end;
  CHECK(huge_pages_off());
  UsualHugePages::allow(true);
  MemoryTrimmer().run();
  CHECK(huge_pages_off());
}
