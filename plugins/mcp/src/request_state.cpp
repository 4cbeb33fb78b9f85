// SPDX-License-Identifier: Apache-2.0
#include "request_state.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <charconv>
#include <cstdlib>
#include <span>

namespace gantry::mcp {
namespace {

std::string hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) {
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

void fill_random(std::span<unsigned char> out) {
  // Guessable ids would hand sessions to strangers: there is nothing to go on with.
  if (RAND_bytes(out.data(), static_cast<int>(out.size())) != 1) std::abort();
}

}  // namespace

std::string random_id() {
  std::array<unsigned char, 16> bytes{};
  fill_random(bytes);
  return hex(bytes);
}

std::string sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    std::abort();  // out of memory
  }
  return hex({digest.data(), size});
}

Sealer::Sealer() { fill_random(key_); }

std::string Sealer::mac(std::string_view payload, std::string_view binding) const {
  std::string text(payload);
  text.push_back('\n');
  text += binding;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return hex({digest.data(), size});
}

std::string Sealer::seal(std::string_view id, std::int64_t expires_ns,
                         std::string_view binding) const {
  const std::string payload = std::string(id) + '.' + std::to_string(expires_ns);
  return payload + '.' + mac(payload, binding);
}

std::optional<std::string> Sealer::open(std::string_view state, std::int64_t now_ns,
                                        std::string_view binding) const {
  const std::size_t last = state.rfind('.');
  const std::size_t first = state.find('.');
  if (last == std::string_view::npos || first == last) return std::nullopt;
  const std::string_view payload = state.substr(0, last);
  const std::string_view given = state.substr(last + 1);
  const std::string wanted = mac(payload, binding);
  if (given.size() != wanted.size() ||
      CRYPTO_memcmp(given.data(), wanted.data(), wanted.size()) != 0) {
    return std::nullopt;
  }
  const std::string_view expiry = payload.substr(first + 1);
  std::int64_t expires = 0;
  const auto [end, problem] =
      std::from_chars(expiry.data(), expiry.data() + expiry.size(), expires);
  const bool whole = problem == std::errc() && end == expiry.data() + expiry.size();
  if (!whole || now_ns >= expires) return std::nullopt;
  return std::string(payload.substr(0, first));
}

}  // namespace gantry::mcp
