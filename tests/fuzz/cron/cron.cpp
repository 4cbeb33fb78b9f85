// SPDX-License-Identifier: Apache-2.0
// Cron expressions, read and asked for their next time, on the bare wall clock and in zones that
// change theirs. Beside memory errors it looks for times that do not grow, and for a time that is
// found from one moment and not from another one between.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cron.hpp"
#include "zone.hpp"

namespace {

using gantry::scheduler::CronExpression;
using gantry::scheduler::Zone;

// Hours before changes of the clocks: 2026-03-29, 2026-10-25 (Berlin), 2011-12-30 (Apia), 1970.
constexpr std::int64_t kMoments[] = {1'774'738'800, 1'792'879'200, 1'325'152'800, 0};
constexpr const char* kZones[] = {"UTC", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"};

void expect(bool holds, const char* what, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "cron: %s\n%.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

/// `next(after)` of one clock.
template <class Next>
void check(const Next& next, std::int64_t after, std::string_view text) {
  const std::optional<std::int64_t> found = next(after);
  if (!found) return;
  expect(*found > after, "the next time is not later", text);
  expect(next(*found - 1) == found, "the second before does not find it", text);
  expect(next(after + (*found - after) / 2) == found, "a moment between does not find it", text);
  const std::optional<std::int64_t> second = next(*found);
  expect(!second || *second > *found, "the time after that is not later", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expression = CronExpression::parse(text);
  if (!expression.ok()) return 0;
  for (const std::int64_t moment : kMoments) {
    check([&](std::int64_t after) { return expression->next(after); }, moment, text);
    for (const char* name : kZones) {
      const auto zone = Zone::find(name);
      expect(zone.ok(), "a zone is missing", name);
      check([&](std::int64_t after) { return zone->next(*expression, after); }, moment, text);
    }
  }
  return 0;
}
