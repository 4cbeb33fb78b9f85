// SPDX-License-Identifier: Apache-2.0
//
// Making secrets, hashing and comparing them. Any thread.
#pragma once

#include <gantry/contracts/identity.hpp>
#include <gantry/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::identity {

/// Hexadecimal digits of `bytes` random bytes. Errors: unavailable (no randomness).
Result<std::string> random_hex(std::size_t bytes);

/// A new secret: the prefix of its kind and 43 URL-safe characters, 256 random bits.
Result<std::string> new_secret(CredentialKind kind);

/// Hexadecimal SHA-256.
std::string hash_of(std::string_view secret);

/// Whether both are the same text, in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

/// The same of what hash_of() gives, all of which is equally long.
bool same_hash(std::string_view a, std::string_view b);

}  // namespace gantry::identity
