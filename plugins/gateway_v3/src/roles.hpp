// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who may do what. Any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

enum class Role : std::uint8_t { None, Viewer, Operator, Admin, Owner };

std::string_view role_name(Role role);

/// What a key for programs must have been given for a method; None: nothing.
enum class Scope : std::uint8_t { Read, Write, Approvals, Pairing, Admin, None };

std::string_view scope_name(Scope scope);  // "operator.read", …

/// The scopes of a key; nothing else has any. Admin holds all others, write holds read.
class Scopes {
 public:
  Scopes() = default;
  explicit Scopes(const std::vector<std::string>& names);

  [[nodiscard]] bool has(Scope scope) const;
  /// What the key may be at most; None: none of its scopes is known.
  [[nodiscard]] Role role() const;
  bool operator==(const Scopes&) const = default;

 private:
  [[nodiscard]] bool given(Scope scope) const {
    return (bits_ & (1U << static_cast<unsigned>(scope))) != 0;
  }
  std::uint32_t bits_ = 0;
};

}  // namespace gantry::gateway
