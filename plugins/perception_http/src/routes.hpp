// SPDX-License-Identifier: Apache-2.0
//
// The routes of this plugin. A new one is one row in routes.cpp.
#pragma once

#include <gantry/agent_http/routes.hpp>

#include <span>

namespace gantry::perception_http {

std::span<const agent_http::Route> all_routes();

}  // namespace gantry::perception_http
