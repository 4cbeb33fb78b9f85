// SPDX-License-Identifier: Apache-2.0
#include "recent_events.hpp"

#include <gantry/contract.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace gantry::agent {
namespace {

Ref<SessionEvents> batch(std::uint64_t first, std::uint64_t last, std::size_t text_bytes = 1) {
  SessionEvents events;
  for (std::uint64_t sequence = first; sequence <= last; ++sequence) {
    SessionEvent event;
    event.sequence = sequence;
    event.text = std::string(text_bytes, 'x');
    events.events.push_back(event);
  }
  return make_body<SessionEvents>(std::move(events));
}

std::vector<std::uint64_t> after(const RecentEvents& recent, std::uint64_t sequence) {
  std::vector<std::uint64_t> out;
  recent.each_after(sequence, [&](const SessionEvent& event) {
    out.push_back(event.sequence);
    return true;
  });
  return out;
}

using Numbers = std::vector<std::uint64_t>;

TEST_CASE("what comes after a number is at hand when nothing of it is missing") {
  RecentEvents recent(10'000);
  CHECK_FALSE(recent.reach(0));
  recent.add(batch(5, 6));
  recent.add(batch(7, 7));
  CHECK_FALSE(recent.reach(3));  // 4 is missing
  CHECK(recent.reach(4));
  CHECK(recent.reach(6));
  CHECK_FALSE(recent.reach(7));  // nothing comes after it
  CHECK(after(recent, 5) == Numbers{6, 7});
}

TEST_CASE("a reader of recent events stops where it wants to") {
  RecentEvents recent(10'000);
  recent.add(batch(1, 4));
  Numbers seen;
  recent.each_after(0, [&](const SessionEvent& event) {
    seen.push_back(event.sequence);
    return seen.size() < 2;
  });
  CHECK(seen == Numbers{1, 2});
}

TEST_CASE("the oldest recent events go when there are too many bytes, and all when work ends") {
  RecentEvents recent(4'000);
  recent.add(batch(1, 1, 2'000));
  recent.add(batch(2, 2, 2'000));
  CHECK_FALSE(recent.reach(0));
  CHECK(recent.reach(1));
  recent.add(batch(3, 3, 9'000));
  CHECK_FALSE(recent.reach(2));  // larger than all that may be kept
  recent.add(batch(4, 4));
  CHECK(recent.reach(3));
  recent.clear();
  CHECK_FALSE(recent.reach(3));
}

}  // namespace
}  // namespace gantry::agent
