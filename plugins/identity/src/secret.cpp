// SPDX-License-Identifier: Apache-2.0
#include "secret.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace gantry::identity {
namespace {

constexpr std::size_t kSecretBytes = 32;

Result<std::vector<std::uint8_t>> random_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  if (RAND_bytes(bytes.data(), static_cast<int>(count)) == 1) return bytes;
  return unavailable("the system gave no random bytes", "see whether it has a source of them");
}

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

/// RFC 4648 section 5, without padding.
std::string base64_url(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const std::uint8_t byte : bytes) {
    bits = (bits << 8U) | byte;
    for (count += 8; count >= 6; count -= 6) text += kDigits[(bits >> (count - 6)) & 63U];
  }
  if (count != 0) text += kDigits[(bits << (6 - count)) & 63U];
  return text;
}

constexpr std::string_view prefix_of(CredentialKind kind) {
  switch (kind) {
    case CredentialKind::Install: return "wnd_install_";
    case CredentialKind::Gateway: return "gantry_gateway_";
    case CredentialKind::ApiKey: return "gantry_key_";
    case CredentialKind::Device: return "gantry_device_";
    case CredentialKind::UserSession: return "gantry_session_";
    case CredentialKind::McpBearer: return "gantry_mcp_";
  }
  return "gantry_";
}

using Digest = std::array<std::uint8_t, SHA256_DIGEST_LENGTH>;

Digest sha256(std::string_view text) {
  // Looked up once: by its name it takes several times as long as a secret takes to hash.
  static const EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Digest digest{};
  // Fails only without memory.
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, kSha256, nullptr) != 1) {
    std::abort();
  }
  return digest;
}

}  // namespace

Result<std::string> random_hex(std::size_t bytes) {
  GANTRY_ASSIGN(const std::vector<std::uint8_t> random, random_bytes(bytes));
  return hex(random);
}

Result<std::string> new_secret(CredentialKind kind) {
  GANTRY_ASSIGN(const std::vector<std::uint8_t> random, random_bytes(kSecretBytes));
  return std::string(prefix_of(kind)) + base64_url(random);
}

std::string hash_of(std::string_view secret) { return hex(sha256(secret)); }

bool same_secret(std::string_view a, std::string_view b) {
  // Of the hashes, so that not even the lengths show.
  const auto first = sha256(a);
  const auto second = sha256(b);
  return CRYPTO_memcmp(first.data(), second.data(), first.size()) == 0;
}

bool same_hash(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gantry::identity
