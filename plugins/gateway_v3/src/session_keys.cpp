// SPDX-License-Identifier: Apache-2.0
#include "session_keys.hpp"

#include <array>
#include <optional>

namespace gantry::gateway {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (plain(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const std::size_t high = kDigits.find(text[i + 1]);
      const std::size_t low = kDigits.find(text[i + 2]);
      if (high != std::string_view::npos && low != std::string_view::npos) {
        out += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

/// What follows "agent:<agent>:ws:direct:~" of a session from elsewhere.
std::optional<std::string_view> foreign_rest(std::string_view key) {
  constexpr std::string_view kMark = ":ws:direct:~";
  if (!key.starts_with("agent:")) return std::nullopt;
  const std::size_t agent_end = key.find(':', 6);
  if (agent_end == std::string_view::npos || !key.substr(agent_end).starts_with(kMark)) {
    return std::nullopt;
  }
  const std::string_view rest = key.substr(agent_end + kMark.size());
  return rest.find('~') == std::string_view::npos ? std::nullopt : std::optional(rest);
}

}  // namespace

KeyParts parts_of(std::string_view key) {
  KeyParts parts;
  const std::size_t last = key.rfind(':');
  parts.chat = key.substr(last == std::string_view::npos ? 0 : last + 1);
  if (!key.starts_with("agent:")) return parts;
  std::array<std::size_t, 3> colons{};
  std::size_t at = 5;
  for (std::size_t& colon : colons) {
    colon = at;
    at = at == std::string_view::npos ? at : key.find(':', at + 1);
  }
  const std::size_t agent_end = colons[1] == std::string_view::npos ? key.size() : colons[1];
  parts.agent = key.substr(6, agent_end - 6);
  if (agent_end == key.size()) return parts;
  const std::size_t channel_end = colons[2] == std::string_view::npos ? key.size() : colons[2];
  parts.channel = key.substr(agent_end + 1, channel_end - agent_end - 1);
  if (const auto rest = foreign_rest(key)) parts.chat = std::string("~") + std::string(*rest);
  return parts;
}

std::string make_key(std::string_view agent, std::string_view id) {
  return "agent:" + std::string(agent) + ":ws:direct:" + std::string(id);
}

std::string foreign_key(std::string_view agent, const SessionKey& session) {
  return make_key(agent, "~" + encoded(session.workspace) + "~" + session.key);
}

bool is_foreign(std::string_view key) { return foreign_rest(key).has_value(); }

SessionKey engine_key(const std::string& principal, const std::string& key) {
  const auto rest = foreign_rest(key);
  if (!rest) return {principal, kWorkspace, key};
  const std::size_t end = rest->find('~');
  return {principal, decoded(rest->substr(0, end)), std::string(rest->substr(end + 1))};
}

std::string user_of(const std::string& principal) {
  constexpr std::string_view kRealm = "gateway:";
  return principal.starts_with(kRealm) ? principal.substr(kRealm.size()) : principal;
}

std::string wire_key(const SessionKey& session, std::string_view agent) {
  return session.workspace == kWorkspace ? session.key : foreign_key(agent, session);
}

}  // namespace gantry::gateway
