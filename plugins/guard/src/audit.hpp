// SPDX-License-Identifier: Apache-2.0
#pragma once
// Brings the audit lines to the disk in their order without holding up the strand.

#include <gantry/host.hpp>

#include <memory>
#include <string>
#include <vector>

#include "audit_log.hpp"

namespace gantry::guard {

/// Used from the plugin's strand.
class Audit {
 public:
  explicit Audit(Host& host) : host_(host) {}

  void configure(bool enabled, AuditFile file);
  [[nodiscard]] bool enabled() const { return enabled_; }
  void add(std::string line);
  /// Writes what is left; blocks on the disk. For the end of the plugin.
  void finish();

 private:
  void flush();
  void report(const Result<void>& written);

  Host& host_;
  bool enabled_ = false;
  AuditFile file_;
  std::vector<std::string> waiting_;
  bool writing_ = false;
};

}  // namespace gantry::guard
