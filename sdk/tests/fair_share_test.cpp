// SPDX-License-Identifier: Apache-2.0
#include <gantry/fair_share.hpp>

#include <catch2/catch.hpp>
#include <list>

namespace gantry {
namespace {

TEST_CASE("over the limit, who has less than an equal part may still take more") {
  const auto all = std::make_shared<FairBudget>(90);
  FairShare greedy(all);
  CHECK(greedy.alone());
  CHECK(greedy.set(90));
  FairShare modest(all);
  CHECK_FALSE(modest.alone());
  CHECK(modest.set(45));
  CHECK_FALSE(modest.set(46));
  CHECK(modest.set(10));  // less is always taken back
  CHECK_FALSE(greedy.set(91));
  CHECK(greedy.held() == 91);
  CHECK(greedy.set(0));
  CHECK(modest.alone());
  CHECK(modest.set(90));
}

TEST_CASE("what a share holds goes with it") {
  const auto all = std::make_shared<FairBudget>(90);
  FairShare other(all);
  {
    FairShare gone(all);
    CHECK(gone.set(90));
    CHECK(other.set(45));
    CHECK_FALSE(other.set(90));
  }
  CHECK(other.alone());
  CHECK(other.set(0));
  CHECK(other.set(90));
}

TEST_CASE("many who take all that they get have few times the limit") {
  constexpr std::size_t kLimit = 1 << 20;
  const auto all = std::make_shared<FairBudget>(kLimit);
  std::list<FairShare> shares;
  std::size_t held = 0;
  for (std::size_t most = kLimit; shares.size() < 1000; most = kLimit / shares.size()) {
    FairShare& share = shares.emplace_back(all);
    const std::size_t step = most / 16 + 1;
    while (share.set(share.held() + step)) {
    }
    CHECK(share.set(share.held() - step));
    CHECK(share.held() > 0);
    held += share.held();
  }
  CHECK(held < 8 * kLimit);  // 1 + ln 1000
}

}  // namespace
}  // namespace gantry
