// SPDX-License-Identifier: Apache-2.0
#include "cookie.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <array>
#include <charconv>
#include <vector>

namespace gantry::chat_aide {
namespace {

constexpr std::size_t kMaxCookie = 1024;

std::string signature_of(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &size);
  return hex_of({reinterpret_cast<const char*>(mac.data()), size});
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t dot = text.find('.');
    out.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 0xFU];
  }
  return out;
}

std::optional<std::string> bytes_of_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    unsigned value = 0;
    const char* const end = hex.data() + at + 2;
    const auto read = std::from_chars(hex.data() + at, end, value, 16);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    out += static_cast<char>(value);
  }
  return out;
}

std::string digest_of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return hex_of({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string sign_cookie(std::string_view key, const SignedIn& who) {
  const std::string text =
      hex_of(who.user) + "." + std::to_string(who.epoch) + "." + std::to_string(who.expires_ms);
  return text + "." + signature_of(key, text);
}

std::optional<SignedIn> read_cookie(std::string_view key, std::string_view value,
                                    std::int64_t now_ms) {
  const std::vector<std::string_view> fields = fields_of(value);
  if (value.size() > kMaxCookie || fields.size() != 4) return std::nullopt;
  const std::string_view text = value.substr(0, value.rfind('.'));
  if (!same_secret(signature_of(key, text), fields[3])) return std::nullopt;
  const auto user = bytes_of_hex(fields[0]);
  const auto epoch = number_in(fields[1]);
  const auto expires = number_in(fields[2]);
  if (!user || !epoch || !expires || *expires <= now_ms) return std::nullopt;
  return SignedIn{*user, *epoch, *expires};
}

std::string_view cookie_named(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = header.find(';');
    std::string_view pair = header.substr(0, end);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    while (pair.ends_with(' ')) pair.remove_suffix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
      return pair.substr(name.size() + 1);
    }
    if (end == std::string_view::npos) break;
    header.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace gantry::chat_aide
