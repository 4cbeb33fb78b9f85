// SPDX-License-Identifier: Apache-2.0
#include "links.hpp"

namespace gantry::identity {

std::string_view realm_of(CredentialKind kind) {
  switch (kind) {
    case CredentialKind::Install: return "install";
    case CredentialKind::Gateway: return "gateway";
    case CredentialKind::ApiKey: return "key";
    case CredentialKind::Device: return "device";
    case CredentialKind::UserSession: return "session";
    case CredentialKind::McpBearer: return "mcp";
  }
  return "";
}

Principal local_principal() { return {"local", {"user", "operator", "admin"}}; }

Links::Links(const std::vector<Link>& links) {
  for (const Link& link : links) {
    for (const std::string& member : link.members) principals_[member] = link.principal;
  }
}

std::string Links::principal_of(std::string_view realm, std::string_view subject) const {
  if (realm.empty()) return local_principal().id;
  std::string name = std::string(realm) + ":" + std::string(subject);
  const auto found = principals_.find(name);
  if (found != principals_.end()) return found->second;
  // What registration made is unlike every other name already.
  return realm == realm_of(CredentialKind::Install) ? std::string(subject) : name;
}

}  // namespace gantry::identity
