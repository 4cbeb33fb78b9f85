// SPDX-License-Identifier: Apache-2.0
#include "exec/timer_wheel.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <random>
#include <vector>

using namespace gantry::kernel;

namespace {
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::vector<std::int64_t> expiries(WheelEntry* list) {
  std::vector<std::int64_t> result;
  for (; list != nullptr; list = list->next) result.push_back(list->expiry_ns);
  std::sort(result.begin(), result.end());
  return result;
}
}  // namespace

TEST_CASE("an entry comes out at its exact time, whatever the distance") {
  for (const std::int64_t start : {std::int64_t{0}, std::int64_t{123'456'789'012'345}}) {
    for (const std::int64_t delay :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{1'000'000}, std::int64_t{70'000'000},
          std::int64_t{5'000'000'000}, std::int64_t{86'400'000'000'000},
          std::int64_t{4'000'000'000'000'000'000}}) {
      INFO("start " << start << " delay " << delay);
      TimerWheel wheel(start);
      WheelEntry entry;
      wheel.add(entry, start + delay);
      if (delay > 0) CHECK(wheel.collect(start + delay - 1) == nullptr);
      // The driver goes from event to event and must arrive exactly.
      while (wheel.next_event_ns() < start + delay) {
        CHECK(wheel.collect(wheel.next_event_ns()) == nullptr);
      }
      CHECK(wheel.next_event_ns() == start + delay);
      CHECK(expiries(wheel.collect(start + delay)) == std::vector{start + delay});
      CHECK(wheel.next_event_ns() == kNever);
    }
  }
}

TEST_CASE("an entry in the past is due at once") {
  TimerWheel wheel(10'000'000'000);
  WheelEntry entry;
  wheel.add(entry, 5);
  CHECK(wheel.next_event_ns() == 5);
  CHECK(wheel.collect(10'000'000'000) == &entry);
}

TEST_CASE("the wheel agrees with a sorted list over random adds, removes and steps") {
  std::mt19937_64 random(20240607);
  for (int round = 0; round < 20; ++round) {
    std::int64_t now = static_cast<std::int64_t>(random() % 1'000'000'000'000);
    TimerWheel wheel(now);
    std::deque<WheelEntry> storage;
    std::vector<WheelEntry*> armed;
    for (int step = 0; step < 2000; ++step) {
      const auto action = random() % 10;
      if (action < 5) {
        const int magnitude = static_cast<int>(random() % 44);
        WheelEntry& entry = storage.emplace_back();
        wheel.add(entry,
                  now + static_cast<std::int64_t>(random() % (std::uint64_t{1} << magnitude)));
        armed.push_back(&entry);
      } else if (action < 7 && !armed.empty()) {
        const std::size_t index = random() % armed.size();
        wheel.remove(*armed[index]);
        armed[index] = armed.back();
        armed.pop_back();
      } else {
        now += static_cast<std::int64_t>(random() % (std::uint64_t{1} << (random() % 40)));
        std::vector<std::int64_t> expected;
        std::erase_if(armed, [&](const WheelEntry* entry) {
          if (entry->expiry_ns > now) return false;
          expected.push_back(entry->expiry_ns);
          return true;
        });
        std::sort(expected.begin(), expected.end());
        REQUIRE(expiries(wheel.collect(now)) == expected);
      }
      REQUIRE(wheel.size() == armed.size());
      std::int64_t first = kNever;
      for (const WheelEntry* entry : armed) first = std::min(first, entry->expiry_ns);
      REQUIRE(wheel.next_event_ns() <= first);
      REQUIRE((wheel.next_event_ns() == kNever) == armed.empty());
    }
  }
}
