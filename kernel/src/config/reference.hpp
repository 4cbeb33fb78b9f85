// SPDX-License-Identifier: Apache-2.0
// The configuration reference as Markdown, made from the same declarations that check it.
#pragma once

#include <string>
#include <vector>

#include "config/schema.hpp"

namespace gantry::config {

struct ReferenceSection {
  std::string name;
  std::string summary;
  const Schema* schema = nullptr;
};

/// docs/config-reference.md: kernel and log first, then one section a plugin in the given order.
std::string reference_markdown(const std::vector<ReferenceSection>& plugins);

}  // namespace gantry::config
