// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names to addresses, and the rule of what may be connected to in between. Both wait: for threads
// where that is allowed.

#include <gantry/result.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "address_rules.hpp"

namespace gantry::web {

/// The numeric addresses of a name, or of an address in any form that the system reads.
using Lookup = std::function<Result<std::vector<std::string>>(const std::string& host)>;

/// The system's resolver. Errors: unavailable (no such name, or nobody answers).
[[nodiscard]] Lookup system_lookup();

/// Only the addresses that may be connected to. Errors: those of `lookup`, permission_denied (none
/// of them may).
[[nodiscard]] Lookup checked_lookup(Lookup lookup, std::shared_ptr<const AddressRules> rules);

}  // namespace gantry::web
