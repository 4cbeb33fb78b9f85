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

namespace gantry::identity {

struct Link {
  std::string principal;
  std::vector<std::string> members;  // "gateway:ann", "install:user_…"
};
BOOST_DESCRIBE_STRUCT(Link, (), (principal, members))

struct Settings {
  bool install_auth_enabled = true;
  bool install_registration_enabled = true;
  std::string install_registration_secret;
  std::int32_t failures_per_minute = 60;
  std::int32_t registrations_per_hour = 1000;
  std::vector<Link> links;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (install_auth_enabled, install_registration_enabled,
                       install_registration_secret, failures_per_minute, registrations_per_hour,
                       links))

/// Refuses a member that two links name, and links without a principal.
Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::identity
