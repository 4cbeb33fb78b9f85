// SPDX-License-Identifier: Apache-2.0
// Who starts when, and who cannot: provides/requires of the enabled plugins made into an order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugin/manifest.hpp"

namespace gantry::plugin {

struct Resolution {
  /// Plugins that can start, providers before those that require them. Among equals the order of
  /// the configuration holds.
  std::vector<std::string> order;
  /// Plugins that cannot, with the sentence that says why.
  std::map<std::string, std::string> refused;
  /// Optional contracts that nobody serves, as sentences.
  std::vector<std::string> notes;
  /// Plugin to the plugins it waits for (each required contract's providers).
  std::map<std::string, std::vector<std::string>> needs;
};

struct ResolveInput {
  std::vector<const Manifest*> enabled;  ///< in the order of the configuration
  std::vector<const Manifest*> known;    ///< also not enabled: to name who could help
};

/// Contracts named gantry.kernel.* are the kernel's own and always there.
Resolution resolve(const ResolveInput& input);

/// Plugins that directly or indirectly need `name`, nearest first. A plugin that has another
/// provider for the contract left does not count.
std::vector<std::string> dependents_of(const std::string& name,
                                       const std::vector<const Manifest*>& running);

}  // namespace gantry::plugin
