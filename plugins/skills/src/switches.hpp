// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>

#include <string>
#include <vector>

namespace gantry::skills {

/// Collection of Switches, by principal.
inline constexpr const char* kSwitches = "switches";

/// What a principal has switched off.
struct Switches {
  std::vector<std::string> disabled;  // names
};
BOOST_DESCRIBE_STRUCT(Switches, (), (disabled))

}  // namespace gantry::skills
