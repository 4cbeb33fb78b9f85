// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>
#include <gantry/json.hpp>

#include <map>

namespace gantry::guard {
namespace {

/// Only for the key whose name no member can have.
struct ActionsByName {
  std::map<std::string, Json> actions;
};
BOOST_DESCRIBE_STRUCT(ActionsByName, (), (actions))

}  // namespace

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  GANTRY_ASSIGN(const ActionsByName named, from_json<ActionsByName>(json));
  const auto found = named.actions.find("default");
  settings.actions.deny_by_default =
      found != named.actions.end() && found->second.text == R"("deny")";
  return settings;
}

}  // namespace gantry::guard
