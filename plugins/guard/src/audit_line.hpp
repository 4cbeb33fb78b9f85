// SPDX-License-Identifier: Apache-2.0
#pragma once
// One line of the audit log (observer contract 2.16):
//   <ISO time> step=N caller=C tool=T ok=true|false [error=E] [changed=true|false] args.k=v …
//   redactions=[args.k,…]
// A value never breaks its line nor looks like another field: what holds blanks, quotes, '=',
// control or other characters beyond ASCII is written as a JSON string.

#include <gantry/contracts/guard.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::guard {

/// Without the newline. Arguments named in `redact_keys` (in any case), at any depth, and those
/// that always hold a secret (confirm_token, token, secret, secrets, passwd, pwd, passphrase) are
/// only named. `wall_ns` is the time since the epoch.
[[nodiscard]] std::string audit_line(const GuardSettleRequest& call,
                                     const std::vector<std::string>& redact_keys,
                                     std::int64_t wall_ns);

}  // namespace gantry::guard
