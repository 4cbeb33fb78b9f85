// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/resource.hpp>
#include <gantry/result.hpp>

#include <string>

namespace gantry::mcp_fixtures {

ResourceDescriptions resource_descriptions();
ResourceTemplates resource_templates();

/// Errors: not_found.
Result<ResourceContents> read_resource(const std::string& uri);

}  // namespace gantry::mcp_fixtures
