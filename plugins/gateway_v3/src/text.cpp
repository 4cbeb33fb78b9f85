// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gantry::gateway {

std::string_view beginning(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size() && count > 0; --count) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80) ++at;
  }
  return text.substr(0, at);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

bool is_stop_word(std::string_view text) {
  constexpr std::array<std::string_view, 10> kWords{
      "stop", "cancel", "abort", "nevermind", "never mind", "thôi", "dừng", "hủy", "取消", "停"};
  const std::string word = lowered(trimmed(text));
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::string address_of(std::string_view peer) {
  const std::size_t colon = peer.rfind(':');
  return std::string(peer.substr(0, colon == std::string_view::npos ? peer.size() : colon));
}

bool from_this_machine(std::string_view peer) {
  return peer == "unix" || peer.starts_with("127.") || peer.starts_with("[::1]:") ||
         peer.starts_with("[::ffff:127.");
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Result<std::vector<std::uint8_t>> random_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  if (RAND_bytes(bytes.data(), static_cast<int>(count)) == 1) return bytes;
  return unavailable("the system gave no random bytes", "see whether it has a source of them");
}

std::string hash_text(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

Result<Uuid> random_uuid() {
  // The generator takes as long for many as for one.
  thread_local std::array<std::uint8_t, 32 * sizeof(Uuid)> stock{};
  thread_local std::size_t left = 0;
  if (left == 0) {
    GANTRY_ASSIGN(const std::vector<std::uint8_t> bytes, random_bytes(stock.size()));
    std::copy(bytes.begin(), bytes.end(), stock.begin());
    left = stock.size();
  }
  left -= sizeof(Uuid);
  Uuid uuid{};
  std::copy_n(stock.begin() + left, sizeof(Uuid), uuid.begin());
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0FU) | 0x40U);
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3FU) | 0x80U);
  return uuid;
}

std::string uuid_text(const Uuid& uuid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kLength = 36;
  std::string out;
  out.reserve(kLength);
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[uuid[i] >> 4U];
    out += kDigits[uuid[i] & 15U];
  }
  return out;
}

Result<std::string> new_uuid() {
  GANTRY_ASSIGN(const Uuid uuid, random_uuid());
  return uuid_text(uuid);
}

}  // namespace gantry::gateway
