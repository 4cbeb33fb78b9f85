// SPDX-License-Identifier: Apache-2.0
#include "ids.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace gantry::agent {
namespace {

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

/// Looked up once: by its name it takes several times as long as a short text takes to hash.
const EVP_MD* sha256() {
  static const EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kSha256;
}

std::string digest(std::string_view text, std::size_t bytes) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> sum{};
  unsigned int size = 0;
  // SHA-256 of OpenSSL fails only without memory.
  if (EVP_Digest(text.data(), text.size(), sum.data(), &size, sha256(), nullptr) != 1) {
    std::abort();
  }
  return hex(std::span(sum).first(bytes));
}

/// With its length in front, so that no two lists of parts look alike.
void add_part(std::string& out, std::string_view part) {
  out += std::to_string(part.size());
  out += ':';
  out += part;
}

}  // namespace

std::string random_id(std::string_view prefix) {
  // The generator takes as long for many ids as for one.
  constexpr std::size_t kBytes = 16;
  thread_local std::array<std::uint8_t, 32 * kBytes> stock{};
  thread_local std::size_t left = 0;
  // Without random numbers there is no keeping principals apart.
  if (left == 0) {
    if (RAND_bytes(stock.data(), static_cast<int>(stock.size())) != 1) std::abort();
    left = stock.size();
  }
  left -= kBytes;
  return std::string(prefix) + hex(std::span(stock).subspan(left, kBytes));
}

std::string session_id(const SessionKey& key) {
  std::string parts;
  add_part(parts, key.principal);
  add_part(parts, key.workspace);
  add_part(parts, key.key);
  return digest(parts, 20);
}

std::string principal_prefix(std::string_view principal) { return digest(principal, 8) + "/"; }

}  // namespace gantry::agent
