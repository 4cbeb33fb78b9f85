// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::skills {

struct AgentSkills {
  std::string agent;
  std::vector<std::string> skills;
};
BOOST_DESCRIBE_STRUCT(AgentSkills, (), (agent, skills))

struct Limits {
  std::int32_t skills = 200;
  std::int64_t file = 262'144;
  std::int32_t files = 500;
};
BOOST_DESCRIBE_STRUCT(Limits, (), (skills, file, files))

struct Settings {
  std::vector<std::string> system;
  std::string user;
  std::string workspace;
  std::vector<std::string> workspaces;
  std::vector<AgentSkills> agents;
  std::vector<std::string> callers;
  Limits limits;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (system, user, workspace, workspaces, agents, callers, limits))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::skills
