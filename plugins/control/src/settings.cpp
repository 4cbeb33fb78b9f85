// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <boost/describe/class.hpp>
#include <gantry/codec.hpp>

namespace gantry::control {

BOOST_DESCRIBE_STRUCT(Settings, (), (socket, max_timeout))

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::control
