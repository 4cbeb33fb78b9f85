// SPDX-License-Identifier: Apache-2.0
//
// Which principal a protocol's user is. Nothing links itself: only the configuration does.
#pragma once

#include <gantry/contracts/identity.hpp>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "settings.hpp"

namespace gantry::identity {

/// "install", "gateway", "key", "device", "session", "mcp".
std::string_view realm_of(CredentialKind kind);

/// Whoever sits at the machine.
Principal local_principal();

class Links {
 public:
  Links() = default;
  explicit Links(const std::vector<Link>& links);
  /// See IdentityResolve.
  [[nodiscard]] std::string principal_of(std::string_view realm, std::string_view subject) const;

 private:
  std::unordered_map<std::string, std::string> principals_;  // by "realm:subject"
};

}  // namespace gantry::identity
