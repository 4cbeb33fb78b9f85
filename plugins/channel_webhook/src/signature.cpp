// SPDX-License-Identifier: Apache-2.0
#include "signature.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace gantry::channel_webhook {
namespace {

constexpr std::string_view kScheme = "sha256=";

Error refused(std::string message) { return {Code::Unauthenticated, std::move(message), {}}; }

}  // namespace

std::string signature_of(std::string_view secret, std::string_view timestamp,
                         std::string_view body) {
  std::string text(timestamp);
  text += '.';
  text += body;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(kScheme);
  for (unsigned int i = 0; i < size; ++i) {
    out += kDigits[digest[i] >> 4U];
    out += kDigits[digest[i] & 0xFU];
  }
  return out;
}

Result<void> Verifier::check(std::string_view timestamp, std::string_view signature,
                             std::string_view body, std::int64_t now_ms) {
  if (timestamp.empty() || signature.empty()) return refused("the request is not signed");
  std::int64_t seconds = 0;
  const auto [end, problem] =
      std::from_chars(timestamp.data(), timestamp.data() + timestamp.size(), seconds);
  constexpr std::int64_t kLatest = 1LL << 40U;
  if (problem != std::errc() || end != timestamp.data() + timestamp.size() || seconds < 0 ||
      seconds > kLatest) {
    return refused("the timestamp is no number of seconds");
  }
  const std::string expected = signature_of(secret_, timestamp, body);
  if (expected.size() != signature.size() ||
      CRYPTO_memcmp(expected.data(), signature.data(), expected.size()) != 0) {
    return refused("the signature is wrong");
  }
  if (std::llabs(now_ms - seconds * 1000) > skew_ms_) {
    return refused("the request's time is too far from this machine's");
  }
  if (seconds < began_ms_ / 1000) {
    return refused("the request was signed before this daemon was started; sign it again");
  }
  std::erase_if(seen_, [now_ms](const auto& row) { return row.second < now_ms; });
  if (!seen_.emplace(expected, seconds * 1000 + skew_ms_).second) {
    return refused("the request was sent already");
  }
  return {};
}

}  // namespace gantry::channel_webhook
