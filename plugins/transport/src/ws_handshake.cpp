// SPDX-License-Identifier: Apache-2.0
#include "ws_handshake.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>

namespace gantry::transport {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// 16 bytes in base64: 22 characters and two of padding.
bool is_nonce(std::string_view key) {
  return key.size() == 24 && key.substr(22) == "==" &&
         key.substr(0, 22).find_first_not_of(kBase64) == std::string_view::npos;
}

/// All members of all fields of that name, or false when one is no token or there twice.
bool read_subprotocols(const RequestHead& head, std::vector<std::string>& out) {
  for (const auto& field : head.fields) {
    if (!equals_ignoring_case(field.name, "Sec-WebSocket-Protocol")) continue;
    std::string_view list = field.value;
    while (true) {
      const size_t comma = list.find(',');
      const std::string_view member = trim(list.substr(0, comma));
      if (!is_token(member)) return false;
      if (std::find(out.begin(), out.end(), member) != out.end()) return false;
      out.emplace_back(member);
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
  }
  return true;
}

std::string joined_extensions(const RequestHead& head) {
  std::string out;
  for (const auto& field : head.fields) {
    if (!equals_ignoring_case(field.name, "Sec-WebSocket-Extensions")) continue;
    if (!out.empty()) out += ',';
    out += field.value;
  }
  return out;
}

}  // namespace

std::string websocket_accept(std::string_view key) {
  std::string text(key);
  text += kGuid;
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest;
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 32> encoded;  // 28 characters and the zero that OpenSSL adds
  const int length = EVP_EncodeBlock(encoded.data(), digest.data(), SHA_DIGEST_LENGTH);
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<size_t>(length)};
}

std::variant<WsOffer, HandshakeRefusal> read_handshake(const RequestHead& head,
                                                       const DeflatePolicy& policy) {
  const auto refuse = [](std::string message) {
    return HandshakeRefusal{{400, std::move(message), true}, {}};
  };
  if (head.body != BodyKind::kNone) return refuse("a WebSocket handshake has no body");
  const std::string_view version = head.find("Sec-WebSocket-Version");
  if (head.count("Sec-WebSocket-Version") != 1 || version != "13") {
    HandshakeRefusal refusal{{426, "only WebSocket version 13 is spoken here", true}, {}};
    refusal.headers = {{"Sec-WebSocket-Version", "13"}, {"Upgrade", "websocket"}};
    return refusal;
  }
  const std::string_view key = head.find("Sec-WebSocket-Key");
  if (head.count("Sec-WebSocket-Key") != 1 || !is_nonce(key)) {
    return refuse("Sec-WebSocket-Key must be there once, 16 bytes in base64");
  }
  WsOffer offer;
  offer.accept_key = websocket_accept(key);
  if (!read_subprotocols(head, offer.subprotocols)) {
    return refuse("Sec-WebSocket-Protocol must list different tokens");
  }
  offer.deflate = negotiate_deflate(joined_extensions(head), policy);
  return offer;
}

std::string handshake_fields(const WsOffer& offer, const std::string& subprotocol) {
  std::string out = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";
  out += offer.accept_key;
  out += "\r\n";
  if (!subprotocol.empty()) out += "Sec-WebSocket-Protocol: " + subprotocol + "\r\n";
  if (offer.deflate) out += "Sec-WebSocket-Extensions: " + offer.deflate->response + "\r\n";
  return out;
}

}  // namespace gantry::transport
