// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>

#include <cstdint>

namespace gantry::atspi {

struct Settings {
  bool enable_accessibility = true;
  std::int64_t call_timeout = 1000;
  std::int64_t tree_deadline = 3000;
  std::int64_t cache_wait = 1500;
  std::int64_t max_nodes = 20000;
  std::int64_t max_children = 2000;
  std::int64_t max_text = 100000;
  std::int64_t max_cached_nodes = 200000;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (enable_accessibility, call_timeout, tree_deadline, cache_wait, max_nodes,
                       max_children, max_text, max_cached_nodes))

Result<AtspiConfig> parse_settings(std::string_view json) {
  GANTRY_ASSIGN(const Settings settings, from_json<Settings>(json));
  AtspiConfig config;
  config.enable_accessibility = settings.enable_accessibility;
  config.call_timeout = milliseconds(settings.call_timeout);
  config.tree_deadline = milliseconds(settings.tree_deadline);
  config.cache_wait = milliseconds(settings.cache_wait);
  config.max_nodes = static_cast<std::size_t>(settings.max_nodes);
  config.max_children = static_cast<std::size_t>(settings.max_children);
  config.max_text = static_cast<std::size_t>(settings.max_text);
  config.max_cached_nodes = static_cast<std::size_t>(settings.max_cached_nodes);
  return config;
}

}  // namespace gantry::atspi
