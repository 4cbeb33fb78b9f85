// SPDX-License-Identifier: Apache-2.0
// The configuration reference, made from the same declarations that check it.
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

/// The same for programs: {"sections":[{"section","doc","keys":[{"key","type","allowed","default",
/// "required","secret","reload","values","environment","doc"}]}]}. Defaults are as plugins get
/// them: durations in milliseconds, sizes in bytes, null when there is none.
std::string reference_json(const std::vector<ReferenceSection>& plugins);

}  // namespace gantry::config
