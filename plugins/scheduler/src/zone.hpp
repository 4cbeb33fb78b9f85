// SPDX-License-Identifier: Apache-2.0
//
// Time zones of the system's database (/usr/share/zoneinfo), for finding when a cron expression
// comes true. Reading a zone for the first time reads a small file.
#pragma once

#include <gantry/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cron.hpp"

namespace date {
class time_zone;  // NOLINT(readability-identifier-naming): the library's name
}

namespace gantry::scheduler {

class Zone {
 public:
  /// By IANA name; empty: the zone of this machine. Errors: invalid_argument (no such zone),
  /// unavailable (no database).
  static Result<Zone> find(std::string_view name);

  [[nodiscard]] const std::string& name() const { return name_; }

  /// The first second since the epoch after `after` at which the expression is true here.
  /// At a change of the clocks a fixed time that does not exist comes when the clocks have been
  /// moved, one that exists twice comes the first time; everything else comes whenever the clock
  /// shows it.
  [[nodiscard]] std::optional<std::int64_t> next(const CronExpression& expression,
                                                 std::int64_t after) const;

 private:
  Zone(const date::time_zone* zone, std::string name) : zone_(zone), name_(std::move(name)) {}
  [[nodiscard]] std::optional<std::int64_t> next_fixed(const CronExpression& expression,
                                                       std::int64_t after) const;
  [[nodiscard]] std::optional<std::int64_t> next_shown(const CronExpression& expression,
                                                       std::int64_t after) const;

  const date::time_zone* zone_;  // the library keeps it for ever
  std::string name_;
};

}  // namespace gantry::scheduler
