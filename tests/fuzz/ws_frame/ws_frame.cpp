// SPDX-License-Identifier: Apache-2.0
//
// Frames, messages, UTF-8 and inflating. Beside memory errors it looks for an outcome that depends
// on how the bytes were cut, for text that is not UTF-8, and for a message over its limit.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ws_reader.hpp"

using namespace gantry::transport;

namespace {

constexpr size_t kLimit = 1 << 14;

void require(bool fine) {
  if (!fine) std::abort();
}

struct Record final : WsReaderSink {
  std::string log;
  bool on_message(WsMessage message) override {
    require(message.data.size() <= kLimit);
    require(!message.text || is_utf8(message.data));
    log += (message.text ? "t" : "b") + std::to_string(message.data.size()) + message.data + "\n";
    return true;
  }
  void on_ping(std::string_view payload) override { note("ping", payload); }
  void on_pong(std::string_view payload) override { note("pong", payload); }
  void on_close(uint16_t code, std::string_view reason) override {
    require(code == kWsNoStatus || is_wire_close_code(code));
    require(is_utf8(reason));
    note("close" + std::to_string(code), reason);
  }
  void note(const std::string& what, std::string_view payload) {
    require(payload.size() <= 125);
    log += what + std::string(payload) + "\n";
  }
};

struct Outcome {
  std::string log;
  uint16_t failure = 0;
  bool idle = false;
  bool operator==(const Outcome&) const = default;
};

Outcome read(WsReaderPools& pools, std::string_view input, size_t step, bool deflate,
             bool takeover) {
  DeflateParams params;
  params.client_takeover = takeover;
  WsReader reader(pools, kLimit, deflate ? std::optional(params) : std::nullopt);
  Record record;
  while (!input.empty()) {
    std::string_view piece = input.substr(0, step);
    input.remove_prefix(piece.size());
    if (const WsFailure failure = reader.feed(piece, record)) {
      // A corrupt block behind too much output: which of both is met first is zlib's affair.
      const bool either = deflate && failure.code == kWsTooBig;
      return {record.log, either ? uint16_t{kWsInvalidData} : failure.code, false};
    }
    require(piece.empty());
  }
  return {record.log, 0, reader.idle()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool deflate = (data[0] & 1) != 0;
  const bool takeover = (data[0] & 2) != 0;
  const size_t step = 1 + (data[0] >> 2) % 13;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  WsReaderPools pools;
  const Outcome whole = read(pools, input, input.size() + 1, deflate, takeover);
  // A second reader on the same pools: contexts that were lent must come back clean.
  require(whole == read(pools, input, step, deflate, takeover));
  return 0;
}
