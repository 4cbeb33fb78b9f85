// SPDX-License-Identifier: Apache-2.0
// What changed between two checked configurations, and whether that needs a restart.
#include <utility>

#include "config/layers.hpp"

namespace gantry::config {
namespace {

const Value& or_null(const Value* value) {
  static const Value kNull;
  return value != nullptr ? *value : kNull;
}

void compare(const std::vector<KeySpec>& keys, const std::string& section,
             const std::string& prefix, const Value& before, const Value& after,
             std::vector<Change>& out) {
  for (const auto& key : keys) {
    const Value& old_value = or_null(before.find(key.name));
    const Value& new_value = or_null(after.find(key.name));
    if (old_value == new_value) continue;
    const std::string path = join_path(prefix, key.name);
    if (!key.keys.empty() && old_value.is_map() && new_value.is_map()) {
      compare(key.keys, section, path, old_value, new_value, out);
    } else {
      out.push_back({section, path, old_value, new_value, key.reload});
    }
  }
}

}  // namespace

std::vector<Change> diff(const std::string& section, const Schema& schema, const Value& before,
                         const Value& after) {
  std::vector<Change> changes;
  compare(schema.keys, section, "", before, after, changes);
  return changes;
}

std::string Change::to_string() const {
  return section + "." + path + ": " + to_json(before, Redact::kSecrets) + " -> " +
         to_json(after, Redact::kSecrets) + (reload == Reload::kLive ? " (live)" : " (restart)");
}

}  // namespace gantry::config
