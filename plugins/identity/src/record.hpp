// SPDX-License-Identifier: Apache-2.0
//
// What the store keeps of a credential: everything but its secret.
#pragma once

#include <gantry/contracts/identity.hpp>

#include <boost/describe/class.hpp>

#include <string>
#include <string_view>

namespace gantry::identity {

/// Collection of credentials, by the SHA-256 of the secret.
inline constexpr std::string_view kRecords = "credentials";
/// Collection that leads from a credential_id to that hash.
inline constexpr std::string_view kIndex = "credential_ids";

struct Record {
  std::string hash;  // hexadecimal SHA-256 of the secret
  CredentialInfo info;
};
BOOST_DESCRIBE_STRUCT(Record, (), (hash, info))

struct IndexEntry {
  std::string hash;
};
BOOST_DESCRIBE_STRUCT(IndexEntry, (), (hash))

/// What a refusal says to machines: Error::detail.
struct Refusal {
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(Refusal, (), (reason))

struct TooMany {
  std::int64_t retry_after_ms = 0;
};
BOOST_DESCRIBE_STRUCT(TooMany, (), (retry_after_ms))

}  // namespace gantry::identity
