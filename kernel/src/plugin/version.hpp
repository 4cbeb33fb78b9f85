// SPDX-License-Identifier: Apache-2.0
// Versions, ranges of versions, and references to contracts.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::plugin {

/// major.minor.patch; missing parts are 0.
struct Version {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;

  auto operator<=>(const Version&) const = default;
  std::string to_string() const;
  /// "1", "1.2" or "1.2.3"; anything else is nullopt.
  static std::optional<Version> parse(std::string_view text);
};

/// All of several comparisons: ">=0.2 <0.4", "^1.2" (compatible: the same leftmost number that is
/// not 0), "1.2" (exactly 1.2.x). Empty and "*" admit everything.
class VersionRange {
 public:
  static std::optional<VersionRange> parse(std::string_view text);
  bool contains(const Version& version) const;
  const std::string& to_string() const { return text_; }

 private:
  struct Bound {
    std::optional<Version> from;   // inclusive
    std::optional<Version> below;  // exclusive
  };
  std::string text_;
  std::vector<Bound> bounds_;
};

/// A contract that is served or wanted: "gantry.window.list/1", or "gantry.window.list/1-2" for any
/// of several majors (only where it is wanted).
struct ContractRef {
  std::string name;  ///< without the major
  unsigned first = 0;
  unsigned last = 0;

  static std::optional<ContractRef> parse(std::string_view text);
  /// The full name of one major.
  std::string full(unsigned major) const { return name + "/" + std::to_string(major); }
  std::string to_string() const;
};

}  // namespace gantry::plugin
