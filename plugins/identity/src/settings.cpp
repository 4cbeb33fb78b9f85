// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

#include <set>

#include "record.hpp"

GANTRY_INSTANTIATE(gantry::identity::Settings)
GANTRY_INSTANTIATE(gantry::identity::Record)
GANTRY_INSTANTIATE(gantry::identity::IndexEntry)
GANTRY_INSTANTIATE(gantry::identity::Refusal)
GANTRY_INSTANTIATE(gantry::identity::TooMany)

namespace gantry::identity {

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  std::set<std::string_view> members;
  for (const Link& link : settings.links) {
    if (link.principal.empty()) {
      return invalid_argument("identity.links has an entry without a principal; name one");
    }
    for (const std::string& member : link.members) {
      if (members.insert(member).second) continue;
      return invalid_argument("identity.links has " + member +
                              " twice; everybody is one principal");
    }
  }
  return settings;
}

}  // namespace gantry::identity
