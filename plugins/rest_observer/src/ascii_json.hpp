// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace gantry::rest_observer {

/// Compact JSON with sorted names and ASCII only, numbers with a fraction as Python prints them
/// (observer contract 1.1). Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string ascii_json(const boost::json::value& value);

}  // namespace gantry::rest_observer
