// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>

#include <string>

namespace gantry::skills {

/// Arguments of the tool `skill`.
struct SkillArguments {
  std::string name;  // empty: list them
  std::string file;  // of the skill; empty: its instructions
};
BOOST_DESCRIBE_STRUCT(SkillArguments, (), (name, file))

}  // namespace gantry::skills
