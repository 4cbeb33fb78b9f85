// SPDX-License-Identifier: Apache-2.0
#include "snapshots.hpp"

#include <catch2/catch.hpp>

namespace gantry::observation {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST_CASE("a_snapshot_lives_300_seconds_from_its_making") {
  Snapshots snapshots;
  const std::string id = snapshots.keep({}, 0);
  CHECK(id.starts_with("snap:"));
  CHECK(id.size() == 21);
  CHECK(snapshots.find(id, 299 * kSecond));
  // Looking at it does not prolong its life.
  CHECK_FALSE(snapshots.find(id, 301 * kSecond));
}

TEST_CASE("the_least_used_of_32_snapshots_goes_first") {
  Snapshots snapshots;
  const std::string first = snapshots.keep({}, 0);
  const std::string second = snapshots.keep({}, 0);
  for (int i = 2; i < 32; ++i) (void)snapshots.keep({}, 0);
  CHECK(snapshots.find(first, 1));
  (void)snapshots.keep({}, 2);
  CHECK(snapshots.find(first, 3));
  CHECK_FALSE(snapshots.find(second, 3));
}

TEST_CASE("a_dropped_snapshot_is_gone") {
  Snapshots snapshots;
  const std::string id = snapshots.keep({}, 0);
  CHECK(snapshots.drop(id, 1));
  CHECK_FALSE(snapshots.drop(id, 1));
  CHECK_FALSE(snapshots.find(id, 1));
}

}  // namespace
}  // namespace gantry::observation
