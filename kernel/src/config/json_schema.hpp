// SPDX-License-Identifier: Apache-2.0
// The configuration as other programs describe such things: a JSON Schema of a configuration file,
// and a file in which every key has its default. Made from the declarations that check it.
#pragma once

#include <string>
#include <vector>

#include "config/reference.hpp"

namespace gantry::config {

/// JSON Schema 2020-12 of {"kernel": …, "log": …, "plugins": {NAME: {…, "config": …}}}. Durations
/// (default in milliseconds) and sizes (in bytes) may also be texts with a unit. A secret is
/// `writeOnly`; what no client may write is `readOnly`; `x-reload` says when a change counts.
std::string schema_json(const std::vector<ReferenceSection>& plugins);

/// The same shape with the default of every key that has one. Secrets as ***.
std::string defaults_json(const std::vector<ReferenceSection>& plugins);

}  // namespace gantry::config
