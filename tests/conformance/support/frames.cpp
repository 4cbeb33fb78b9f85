// SPDX-License-Identifier: Apache-2.0
#include "frames.hpp"

#include <zlib.h>

#include <array>
#include <cctype>
#include <map>
#include <stdexcept>

namespace gantry::conformance {

namespace {

constexpr std::array<unsigned char, 4> kMask = {0x37, 0xfa, 0x21, 0x3d};

std::string from_hex(std::string_view digits) {
  std::string out;
  std::string pair;
  for (const char c : digits) {
    if (c == ' ') continue;
    pair += c;
    if (pair.size() == 2) {
      out += static_cast<char>(std::stoi(pair, nullptr, 16));
      pair.clear();
    }
  }
  return out;
}

void append_length(std::string& out, std::uint64_t length, unsigned forced, bool masked) {
  const unsigned char mask = masked ? 0x80 : 0;
  const unsigned form = forced != 0 ? forced : length < 126 ? 7 : length < 65536 ? 16 : 64;
  if (form == 7) {
    out += static_cast<char>(mask | length);
    return;
  }
  out += static_cast<char>(mask | (form == 16 ? 126U : 127U));
  for (int shift = static_cast<int>(form) - 8; shift >= 0; shift -= 8) {
    out += static_cast<char>(length >> shift & 0xff);
  }
}

/// What stands between the opcode's name and the payload.
struct Flags {
  bool final = true;
  bool masked = true;
  unsigned reserved = 0;
  unsigned length_form = 0;
};

Flags read_flags(std::string_view text) {
  Flags flags;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '-': flags.final = false; break;
      case '!': flags.masked = false; break;
      case '^': flags.reserved = static_cast<unsigned>(text[++i] - '0'); break;
      case '@':
        flags.length_form = static_cast<unsigned>(std::stoi(std::string(text.substr(i + 1, 2))));
        i += 2;
        break;
      default: throw std::runtime_error("unknown frame flag in " + std::string(text));
    }
  }
  return flags;
}

unsigned opcode_of(std::string_view name) {
  static const std::map<std::string_view, unsigned> kNames = {
      {"cont", 0}, {"text", 1}, {"bin", 2}, {"close", 8}, {"ping", 9}, {"pong", 10}};
  if (name.size() == 3 && name.substr(0, 2) == "op") {
    return static_cast<unsigned>(std::stoi(std::string(name.substr(2)), nullptr, 16));
  }
  const auto found = kNames.find(name);
  if (found == kNames.end()) throw std::runtime_error("unknown opcode " + std::string(name));
  return found->second;
}

/// "1000 'bye'" to a close frame's payload; empty stays empty.
std::string close_payload(std::string_view rest) {
  if (rest.empty()) return {};
  const auto space = rest.find(' ');
  const auto code = static_cast<unsigned>(std::stoul(std::string(rest.substr(0, space))));
  std::string out = {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
  if (space != std::string_view::npos) out += payload_bytes(rest.substr(space + 1));
  return out;
}

}  // namespace

struct Deflate::State {
  z_stream stream{};
  bool keep = true;
};

Deflate::Deflate(int window_bits, bool keep_context) : state_(std::make_unique<State>()) {
  state_->keep = keep_context;
  if (deflateInit2(&state_->stream, 9, Z_DEFLATED, -window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
}

Deflate::~Deflate() { deflateEnd(&state_->stream); }

std::string Deflate::compress(std::string_view message) {
  z_stream& z = state_->stream;
  std::string input(message);
  std::string out(deflateBound(&z, static_cast<uLong>(input.size())) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(input.data());
  z.avail_in = static_cast<uInt>(input.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  if (deflate(&z, Z_SYNC_FLUSH) != Z_OK) throw std::runtime_error("deflate failed");
  out.resize(out.size() - z.avail_out - 4);  // without 00 00 ff ff (RFC 7692 7.2.1)
  if (!state_->keep) deflateReset(&z);
  return out;
}

struct Inflate::State {
  z_stream stream{};
};

Inflate::Inflate() : state_(std::make_unique<State>()) {
  if (inflateInit2(&state_->stream, -15) != Z_OK) throw std::runtime_error("inflateInit2 failed");
}

Inflate::~Inflate() { inflateEnd(&state_->stream); }

std::string Inflate::inflate(std::string_view compressed) {
  z_stream& z = state_->stream;
  std::string input(compressed);
  input.append("\x00\x00\xff\xff", 4);
  z.next_in = reinterpret_cast<Bytef*>(input.data());
  z.avail_in = static_cast<uInt>(input.size());
  std::string out;
  std::array<char, 16384> block;  // need not be initialised
  do {
    z.next_out = reinterpret_cast<Bytef*>(block.data());
    z.avail_out = block.size();
    const int result = ::inflate(&z, Z_SYNC_FLUSH);
    if (result != Z_OK && result != Z_BUF_ERROR)
      throw std::runtime_error("the server's deflate is broken");
    out.append(block.data(), block.size() - z.avail_out);
  } while (z.avail_out == 0);
  return out;
}

std::string payload_bytes(std::string_view notation) {
  if (notation.rfind("hex:", 0) == 0) return from_hex(notation.substr(4));
  const auto star = notation.find('*');
  if (star != std::string_view::npos &&
      std::isdigit(static_cast<unsigned char>(notation[0])) != 0) {
    const std::size_t times = std::stoul(std::string(notation.substr(0, star)));
    const std::string unit = payload_bytes(notation.substr(star + 1));
    std::string out;
    out.reserve(times * unit.size());
    for (std::size_t i = 0; i < times; ++i) out += unit;
    return out;
  }
  if (notation.size() < 2 || notation.front() != '\'' || notation.back() != '\'') {
    throw std::runtime_error("not a payload: " + std::string(notation));
  }
  return std::string(notation.substr(1, notation.size() - 2));
}

std::string client_frame(std::string_view notation, Deflate* deflate) {
  const auto space = notation.find(' ');
  const std::string_view head = notation.substr(0, space);
  std::string_view rest = space == std::string_view::npos ? "" : notation.substr(space + 1);
  if (head == "raw") return from_hex(rest);

  const auto name_end = std::min(head.find_first_of("-!^@"), head.size());
  const unsigned opcode = opcode_of(head.substr(0, name_end));
  Flags flags = read_flags(head.substr(name_end));
  std::string payload;
  if (opcode == 8) {
    payload = close_payload(rest);
  } else if (!rest.empty() && rest.front() == 'z') {
    if (deflate == nullptr) throw std::runtime_error("a compressed frame needs `deflate`");
    payload = deflate->compress(payload_bytes(rest.substr(1)));
    flags.reserved |= 4;
  } else {
    payload = payload_bytes(rest);
  }

  std::string out;
  out += static_cast<char>((flags.final ? 0x80U : 0U) | flags.reserved << 4 | opcode);
  append_length(out, payload.size(), flags.length_form, flags.masked);
  if (flags.masked) {
    out.append(reinterpret_cast<const char*>(kMask.data()), kMask.size());
    for (std::size_t i = 0; i < payload.size(); ++i) {
      payload[i] = static_cast<char>(static_cast<unsigned char>(payload[i]) ^ kMask[i % 4]);
    }
  }
  return out + payload;
}

std::optional<ServerFrame> next_frame(RawClient& client) {
  const auto need = [&](std::size_t bytes) {
    while (client.input().size() < bytes) {
      if (!client.receive_more()) return false;
    }
    return true;
  };
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(client.input()[i]); };
  if (!need(2)) {
    if (!client.input().empty()) throw std::runtime_error("the server ends inside a frame head");
    return std::nullopt;
  }
  ServerFrame frame;
  frame.final = (at(0) & 0x80) != 0;
  frame.rsv1 = (at(0) & 0x40) != 0;
  frame.opcode = at(0) & 15U;
  if ((at(0) & 0x30) != 0) throw std::runtime_error("the server set RSV2 or RSV3");
  if ((at(1) & 0x80) != 0) throw std::runtime_error("the server masked a frame");
  std::uint64_t length = at(1) & 0x7fU;
  std::size_t head = 2;
  if (length >= 126) {
    const std::size_t bytes = length == 126 ? 2 : 8;
    if (!need(head + bytes)) throw std::runtime_error("the server ends inside a frame head");
    length = 0;
    for (std::size_t i = 0; i < bytes; ++i) length = length << 8 | at(head + i);
    head += bytes;
    if (length < 126 || (bytes == 8 && length < 65536)) {
      throw std::runtime_error("the server wrote a length that is not minimal");
    }
  }
  if (!need(head + length)) throw std::runtime_error("the server ends inside a frame");
  frame.payload = client.input().substr(head, length);
  client.input().erase(0, head + length);
  return frame;
}

}  // namespace gantry::conformance
