// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a request goes.

#include <gantry/result.hpp>

#include <cstdint>
#include <string>

namespace gantry::http {

struct Target {
  std::string scheme, host;
  std::uint16_t port = 0;
  std::string path;  // with query, as it is written when it may be sent so
};

/// Errors: invalid_argument.
Result<Target> read_url(const std::string& url);

/// The host, with its port unless that is the usual one.
std::string authority(const Target& target);

}  // namespace gantry::http
