// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of sessions in the store, and ids that nobody can guess. Pure but for the random numbers.

#include <gantry/contracts/session.hpp>

#include <string>
#include <string_view>

namespace gantry::agent {

/// `prefix` and 32 random hexadecimal digits.
[[nodiscard]] std::string random_id(std::string_view prefix);

/// 40 hexadecimal digits that stand for the session: the same for the same key, and for no other.
[[nodiscard]] std::string session_id(const SessionKey& key);
/// 16 hexadecimal digits and "/": what the documents of this principal's sessions begin with.
[[nodiscard]] std::string principal_prefix(std::string_view principal);

}  // namespace gantry::agent
