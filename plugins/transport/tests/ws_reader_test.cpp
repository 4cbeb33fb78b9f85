// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "peer.hpp"
#include "ws_reader.hpp"

using namespace gantry::transport;
using gantry::transport::test::client_frame;

namespace {

struct Recorder final : WsReaderSink {
  std::string log;
  bool go_on = true;
  bool on_message(WsMessage message) override {
    log += (message.text ? "text " : "binary ") + std::to_string(message.data.size()) + " " +
           message.data.substr(0, 20) + "\n";
    return go_on;
  }
  void on_ping(std::string_view payload) override { log += "ping " + std::string(payload) + "\n"; }
  void on_pong(std::string_view payload) override { log += "pong " + std::string(payload) + "\n"; }
  void on_close(uint16_t code, std::string_view reason) override {
    log += "close " + std::to_string(code) + " " + std::string(reason) + "\n";
  }
};

struct Outcome {
  std::string log;
  int failure = 0;
  bool idle = false;
};

Outcome read(std::string_view input, size_t step, std::optional<DeflateParams> deflate = {},
             size_t limit = 1000) {
  WsReaderPools pools;
  WsReader reader(pools, limit, deflate);
  Recorder recorder;
  while (!input.empty()) {
    std::string_view piece = input.substr(0, step);
    input.remove_prefix(piece.size());
    if (const auto failure = reader.feed(piece, recorder)) {
      return {recorder.log, failure.code, false};
    }
    CHECK(piece.empty());
  }
  return {recorder.log, 0, reader.idle()};
}

struct Case {
  const char* rule;
  std::string input;
  int failure;  // 0: none
  std::string log;
};

const std::string kEuro = "\xe2\x82\xac";

std::vector<Case> cases() {
  std::string bad_length = client_frame(0x82, std::string(126, 'a'));
  bad_length[3] = 100;  // 16-bit form of a length that fits in 7 bits
  std::string long_form("\x82\xff\0\0\0\0\0\0\x01\0abcd", 14);
  return {
      {"5.2 text", client_frame(0x81, "hello"), 0, "text 5 hello\n"},
      {"5.2 binary", client_frame(0x82, "\xff\xfe"), 0, "binary 2 \xff\xfe\n"},
      {"5.2 empty", client_frame(0x81, ""), 0, "text 0 \n"},
      {"5.2 16-bit length", client_frame(0x82, std::string(200, 'a')), 0,
       "binary 200 aaaaaaaaaaaaaaaaaaaa\n"},
      {"5.4 fragments with a ping between",
       client_frame(0x01, "he") + client_frame(0x89, "p") + client_frame(0x80, "llo"), 0,
       "ping p\ntext 5 hello\n"},
      {"5.4 empty fragments",
       client_frame(0x01, "") + client_frame(0x00, "") + client_frame(0x80, ""), 0, "text 0 \n"},
      {"5.5.3 pong", client_frame(0x8a, "x"), 0, "pong x\n"},
      {"5.5.1 close without code", client_frame(0x88, ""), 0, "close 1005 \n"},
      {"5.5.1 close with reason",
       client_frame(0x88,
                    "\x03\xe8"
                    "bye"),
       0, "close 1000 bye\n"},
      {"5.5.1 nothing counts after a close",
       client_frame(0x88, "\x03\xe8") + client_frame(0x81, "x") + client_frame(0x83, "y", false), 0,
       "close 1000 \n"},
      {"5.5.1 close with half a code", client_frame(0x88, "\x03"), 1002, ""},
      {"7.4.1 code 1005 on the wire", client_frame(0x88, "\x03\xed"), 1002, ""},
      {"7.4.1 code 999", client_frame(0x88, "\x03\xe7"), 1002, ""},
      {"7.4.2 code 3000", client_frame(0x88, "\x0b\xb8"), 0, "close 3000 \n"},
      {"7.4.2 code 5000", client_frame(0x88, "\x13\x88"), 1002, ""},
      {"8.1 close reason no UTF-8", client_frame(0x88, "\x03\xe8\xff"), 1007, ""},
      {"5.1 unmasked", client_frame(0x81, "x", false), 1002, ""},
      {"5.2 RSV1 without extension", client_frame(0xc1, "x"), 1002, ""},
      {"5.2 RSV2", client_frame(0xa1, "x"), 1002, ""},
      {"5.2 RSV3", client_frame(0x91, "x"), 1002, ""},
      {"5.2 opcode 3", client_frame(0x83, "x"), 1002, ""},
      {"5.2 opcode b", client_frame(0x8b, "x"), 1002, ""},
      {"5.5 fragmented ping", client_frame(0x09, "x"), 1002, ""},
      {"5.5 long ping", client_frame(0x89, std::string(126, 'x')), 1002, ""},
      {"5.5 ping of 125", client_frame(0x89, std::string(125, 'x')), 0,
       "ping " + std::string(125, 'x') + "\n"},
      {"5.4 continuation without start", client_frame(0x80, "x"), 1002, ""},
      {"5.4 text inside a message", client_frame(0x01, "x") + client_frame(0x81, "y"), 1002, ""},
      {"5.4 RSV1 in a continuation", client_frame(0x01, "x") + client_frame(0xc0, "y"), 1002, ""},
      {"5.2 length not minimal", bad_length, 1002, ""},
      {"5.2 64-bit length not minimal", long_form, 1002, ""},
      {"8.1 UTF-8 split over frames",
       client_frame(0x01, kEuro.substr(0, 1)) + client_frame(0x80, kEuro.substr(1)), 0,
       "text 3 " + kEuro + "\n"},
      {"8.1 ends inside a code point", client_frame(0x81, kEuro.substr(0, 2)), 1007, ""},
      {"8.1 invalid byte fails at once", client_frame(0x01, "a\xc0"), 1007, ""},
      {"8.1 surrogate", client_frame(0x81, "\xed\xa0\x80"), 1007, ""},
      {"8.1 overlong", client_frame(0x81, "\xe0\x80\xaf"), 1007, ""},
      {"8.1 beyond U+10FFFF", client_frame(0x81, "\xf4\x90\x80\x80"), 1007, ""},
      {"7.4.1 message too big", client_frame(0x82, std::string(1001, 'a')), 1009, ""},
      {"7.4.1 too big in sum",
       client_frame(0x02, std::string(600, 'a')) + client_frame(0x80, std::string(600, 'a')), 1009,
       ""},
      {"7.4.1 claimed length is enough",
       std::string("\x82\xff\x3f\xff\xff\xff\xff\xff\xff\xff", 10) + std::string(4, '\0'), 1009,
       ""},
      {"5.2 length with its highest bit set",
       std::string("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10) + std::string(4, '\0'), 1002,
       ""},
  };
}

}  // namespace

TEST_CASE("frames become messages or failures, however they are cut") {
  for (const auto& row : cases()) {
    INFO(row.rule);
    const Outcome whole = read(row.input, row.input.size());
    CHECK(whole.failure == row.failure);
    CHECK(whole.log == row.log);
    if (row.failure == 0) CHECK(whole.idle);
    for (const size_t step : {1, 2, 5, 100}) {
      const Outcome cut = read(row.input, step);
      CHECK(cut.failure == whole.failure);
      CHECK(cut.log == whole.log);
    }
  }
}

TEST_CASE("a reader is idle only between messages") {
  const std::string frame = client_frame(0x81, "hello");
  for (size_t end = 1; end < frame.size(); ++end) CHECK_FALSE(read(frame.substr(0, end), end).idle);
  CHECK_FALSE(read(client_frame(0x01, "a"), 100).idle);
}

TEST_CASE("a sink that wants no more leaves the rest unread") {
  WsReaderPools pools;
  WsReader reader(pools, 1000, {});
  Recorder recorder;
  recorder.go_on = false;
  const std::string input = client_frame(0x81, "a") + client_frame(0x81, "b");
  std::string_view rest = input;
  CHECK_FALSE(reader.feed(rest, recorder));
  CHECK(recorder.log == "text 1 a\n");
  CHECK(rest == client_frame(0x81, "b"));
  CHECK_FALSE(reader.feed(rest, recorder));
  CHECK(recorder.log == "text 1 a\ntext 1 b\n");
}

TEST_CASE("compressed messages") {
  const DeflateParams plain;
  const std::string text(900, 'z');
  const auto compressed = [](std::string_view data) {
    return client_frame(0xc1, deflate_message(data, 6, 15, nullptr));
  };
  CHECK(read(compressed(text), 7, plain).log == "text 900 zzzzzzzzzzzzzzzzzzzz\n");
  CHECK(read(client_frame(0x81, "raw"), 7, plain).log == "text 3 raw\n");
  // In fragments, RSV1 only on the first.
  const std::string packed = deflate_message("fragmented text", 6, 15, nullptr);
  CHECK(
      read(client_frame(0x41, packed.substr(0, 4)) + client_frame(0x80, packed.substr(4)), 3, plain)
          .log == "text 15 fragmented text\n");
  CHECK(read(compressed(std::string(1001, 'z')), 50, plain).failure == 1009);
  CHECK(read(client_frame(0xc1, "\xff\xff\xff"), 50, plain).failure == 1007);
  CHECK(read(compressed("\xff\xfe"), 50, plain).failure == 1007);
  CHECK(read(client_frame(0xc9, "x"), 50, plain).failure == 1002);
  CHECK(read(client_frame(0xc1, packed.substr(0, packed.size() - 3)), 50, plain).failure == 1007);
  // A bomb: a few kilobytes that would be ten megabytes.
  CHECK(read(client_frame(0xc2, deflate_message(std::string(10 << 20, '\0'), 9, 15, nullptr)), 4096,
             plain, 64 * 1024)
            .failure == 1009);
}

TEST_CASE("a client's context is carried from message to message") {
  DeflateParams params;
  params.client_takeover = true;
  WsReaderPools pools;
  Recorder recorder;
  std::string window;
  std::string context;
  size_t first_size = 0;
  for (int i = 0; i < 3; ++i) {
    const std::string packed =
        deflate_message("the same words again and again, with context", 6, 15, &context);
    if (i == 0) first_size = packed.size();
    if (i > 0) CHECK(packed.size() < first_size / 2);
    WsReader reader(pools, 1000, params);
    reader.set_window(std::move(window));
    const std::string frame = client_frame(0xc1, packed);
    std::string_view input = frame;
    CHECK_FALSE(reader.feed(input, recorder));
    CHECK(reader.idle());
    window = reader.take_window();
  }
  CHECK(recorder.log ==
        "text 44 the same words again\ntext 44 the same words again\n"
        "text 44 the same words again\n");
}

TEST_CASE("deflate offers are negotiated") {
  struct Case {
    const char* offers;
    bool takeover;
    const char* answer;  // null: declined
  };
  const std::vector<Case> table = {
      {"permessage-deflate", false,
       "permessage-deflate; server_no_context_takeover; client_no_context_takeover"},
      {"permessage-deflate", true, "permessage-deflate"},
      {"permessage-deflate; server_no_context_takeover", true,
       "permessage-deflate; server_no_context_takeover"},
      {"permessage-deflate; client_max_window_bits", true, "permessage-deflate"},
      {"permessage-deflate; client_max_window_bits=10", true, "permessage-deflate"},
      {"permessage-deflate; server_max_window_bits=10", true,
       "permessage-deflate; server_max_window_bits=10"},
      {"permessage-deflate; server_max_window_bits=\"9\"", true,
       "permessage-deflate; server_max_window_bits=9"},
      {"permessage-deflate; server_max_window_bits=8", true, nullptr},
      {"permessage-deflate; server_max_window_bits=16", true, nullptr},
      {"permessage-deflate; server_max_window_bits", true, nullptr},
      {"permessage-deflate; server_max_window_bits=010", true, nullptr},
      {"permessage-deflate; server_no_context_takeover=1", true, nullptr},
      {"permessage-deflate; client_max_window_bits=7", true, nullptr},
      {"permessage-deflate; wat", true, nullptr},
      {"permessage-deflate; server_no_context_takeover; server_no_context_takeover", true, nullptr},
      {"x-webkit-deflate-frame", true, nullptr},
      {"permessage-deflate; wat, permessage-deflate", true, "permessage-deflate"},
      {"", true, nullptr},
  };
  for (const auto& row : table) {
    INFO(row.offers);
    DeflatePolicy policy;
    policy.context_takeover = row.takeover;
    const auto agreement = negotiate_deflate(row.offers, policy);
    REQUIRE(agreement.has_value() == (row.answer != nullptr));
    if (agreement) CHECK(agreement->response == row.answer);
  }
  CHECK_FALSE(negotiate_deflate("permessage-deflate", DeflatePolicy{.enabled = false}));
}

TEST_CASE("UTF-8 is checked across any cut") {
  const std::vector<std::pair<std::string, bool>> table = {
      {"plain ascii text that is longer than a word", true},
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", true},
      {"\xef\xbf\xbf\xf4\x8f\xbf\xbf\xee\x80\x80", true},
      {"\xc0\xaf", false},
      {"\xc1\x81", false},
      {"\xf5\x80\x80\x80", false},
      {"\x80", false},
      {"\xed\xbf\xbf", false},
      {"\xf0\x8f\xbf\xbf", false},
      {"\xe2\x82", false},
      {"\xfe", false},
  };
  for (const auto& [text, valid] : table) {
    CHECK(is_utf8(text) == valid);
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      Utf8Validator validator;
      const bool ok = validator.feed(std::string_view(text).substr(0, cut)) &&
                      validator.feed(std::string_view(text).substr(cut)) && validator.complete();
      CHECK(ok == valid);
    }
  }
}

TEST_CASE("close payloads are cut at a code point") {
  CHECK(encode_close_payload(kWsNoStatus, "x").empty());
  CHECK(encode_close_payload(1000, "") == "\x03\xe8");
  std::string reason;
  while (reason.size() < 130) reason += kEuro;
  const std::string payload = encode_close_payload(1000, reason);
  CHECK(payload.size() <= 125);
  CHECK(is_utf8(payload.substr(2)));
}

TEST_CASE("server frame headers") {
  CHECK(encode_frame_header(WsOpcode::kText, 5) == "\x81\x05");
  CHECK(encode_frame_header(WsOpcode::kBinary, 126) == std::string("\x82\x7e\x00\x7e", 4));
  CHECK(encode_frame_header(WsOpcode::kText, 65536, true) ==
        std::string("\xc1\x7f\0\0\0\0\0\x01\0\0", 10));
}
