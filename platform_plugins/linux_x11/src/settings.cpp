// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>

namespace gantry::x11 {

BOOST_DESCRIBE_STRUCT(Settings, (), (display, first_retry, longest_retry, hang_limit, capture_idle))

Result<Settings> parse_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::x11
