// SPDX-License-Identifier: Apache-2.0
#include "roles.hpp"

#include <array>

namespace gantry::gateway {
namespace {

constexpr std::array<std::string_view, 5> kRoles{"none", "viewer", "operator", "admin", "owner"};
constexpr std::array<std::string_view, 6> kScopes{"operator.read",      "operator.write",
                                                  "operator.approvals", "operator.pairing",
                                                  "operator.admin",     ""};

}  // namespace

std::string_view role_name(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::string_view scope_name(Scope scope) { return kScopes[static_cast<std::size_t>(scope)]; }

Scopes::Scopes(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (std::size_t i = 0; i < kScopes.size(); ++i) {
      if (!name.empty() && kScopes[i] == name) bits_ |= 1U << i;
    }
  }
}

bool Scopes::has(Scope scope) const {
  return scope == Scope::None || given(Scope::Admin) || given(scope) ||
         (scope == Scope::Read && given(Scope::Write));
}

Role Scopes::role() const {
  if (given(Scope::Admin)) return Role::Admin;
  if (given(Scope::Write) || given(Scope::Approvals) || given(Scope::Pairing)) {
    return Role::Operator;
  }
  return given(Scope::Read) ? Role::Viewer : Role::None;
}

}  // namespace gantry::gateway
