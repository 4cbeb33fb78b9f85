// SPDX-License-Identifier: Apache-2.0
//
// Runs frames.yaml and handshakes.yaml against the transport's echo endpoint.
#include "../support/echo_server.hpp"
#include "../support/frames.hpp"
#include "../support/raw_client.hpp"

#include <yaml-cpp/yaml.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace gantry;
using conformance::RawClient;

using Fields = std::vector<std::pair<std::string, std::string>>;

const Fields kHandshake = {{"Host", "localhost"},
                           {"Upgrade", "websocket"},
                           {"Connection", "Upgrade"},
                           {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                           {"Sec-WebSocket-Version", "13"}};

std::string handshake_with(const YAML::Node& change, const std::string& added) {
  std::string out = "GET /ws HTTP/1.1\r\n";
  for (const auto& [name, value] : kHandshake) {
    if (change && change[name]) {
      if (!change[name].IsNull()) out += name + ": " + change[name].as<std::string>() + "\r\n";
    } else {
      out += name + ": " + value + "\r\n";
    }
  }
  return out + added + "\r\n";
}

/// What came back, in the notation of the table as far as it is compared: opcode and payload.
struct Seen {
  unsigned opcode = 0;
  std::string payload;  // close: only the code, two bytes or none
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::string printed(const Seen& seen) {
  static const std::map<unsigned, std::string> kNames = {
      {1, "text"}, {2, "bin"}, {8, "close"}, {9, "ping"}, {10, "pong"}};
  const auto name = kNames.find(seen.opcode);
  std::string out = name == kNames.end() ? "opcode " + std::to_string(seen.opcode) : name->second;
  if (seen.opcode == 8 && seen.payload.size() == 2) {
    const auto high = static_cast<unsigned char>(seen.payload[0]);
    const auto low = static_cast<unsigned char>(seen.payload[1]);
    return out + " " + std::to_string(high * 256 + low);
  }
  return out + " '" + seen.payload.substr(0, 60) + "' (" + std::to_string(seen.payload.size()) +
         ")";
}

Seen expected_frame(const std::string& notation) {
  // The client's own encoder understands the notation; undo its mask to compare.
  std::string wire = conformance::client_frame(notation, nullptr);
  Seen seen;
  seen.opcode = static_cast<unsigned char>(wire[0]) & 15U;
  const unsigned short_length = static_cast<unsigned char>(wire[1]) & 0x7fU;
  const std::size_t head = short_length == 126 ? 4 : short_length == 127 ? 10 : 2;
  const std::string mask = wire.substr(head, 4);
  seen.payload = wire.substr(head + 4);
  for (std::size_t i = 0; i < seen.payload.size(); ++i) {
    seen.payload[i] = static_cast<char>(seen.payload[i] ^ mask[i % 4]);
  }
  return seen;
}

class Session {
 public:
  explicit Session(RawClient& client) : client_(client) {}

  /// The next whole message or control frame, inflated. nullopt at the end of the stream.
  std::optional<Seen> next() {
    Seen message;
    bool compressed = false;
    bool open = false;
    for (;;) {
      const auto frame = conformance::next_frame(client_);
      if (!frame) return std::nullopt;
      if (frame->opcode >= 8) {
        if (frame->opcode == 8) return Seen{8, frame->payload.substr(0, 2)};
        return Seen{frame->opcode, frame->payload};
      }
      if (!open) {
        message.opcode = frame->opcode;
        compressed = frame->rsv1;
        open = true;
      }
      message.payload += frame->payload;
      if (frame->final) break;
    }
    if (compressed) message.payload = inflate_.inflate(message.payload);
    return message;
  }

 private:
  RawClient& client_;
  conformance::Inflate inflate_;
};

/// A compressor under the parameters that the server agreed to.
std::unique_ptr<conformance::Deflate> client_deflate(const conformance::Answer& accepted) {
  const auto found = accepted.headers.find("sec-websocket-extensions");
  if (found == accepted.headers.end()) return nullptr;
  const std::string& agreed = found->second;
  const bool keep = agreed.find("client_no_context_takeover") == std::string::npos;
  const int bits = agreed.find("client_max_window_bits=9") != std::string::npos ? 9 : 15;
  return std::make_unique<conformance::Deflate>(bits, keep);
}

void send_frames(RawClient& client, const YAML::Node& row, conformance::Deflate* deflate) {
  const bool bytewise = row["bytewise"] && row["bytewise"].as<bool>();
  const bool together = row["together"] && row["together"].as<bool>();
  std::string all;
  for (const auto& step : row["send"]) {
    const auto notation = step.as<std::string>();
    if (notation == "eof") {
      client.end_sending();
      continue;
    }
    const std::string wire = conformance::client_frame(notation, deflate);
    if (together) {
      all += wire;
    } else if (bytewise) {
      client.send_bytewise(wire);
    } else {
      client.send(wire);
    }
  }
  if (together) client.send(all);
}

void check_answers(const YAML::Node& row, Session& session) {
  std::vector<std::string> wanted;
  std::vector<std::string> got;
  for (const auto& answer : row["answer"]) {
    wanted.push_back(printed(expected_frame(answer.as<std::string>())));
    const auto frame = session.next();
    got.push_back(frame ? printed(*frame) : "end of stream");
    if (frame && frame->opcode != 8)
      CHECK(
          (frame->payload == expected_frame(answer.as<std::string>()).payload || row["unordered"]));
  }
  if (row["unordered"] && row["unordered"].as<bool>()) {
    // Messages and control frames travel in lanes of their own; only the close must come last.
    CHECK(got.back() == wanted.back());
    std::sort(wanted.begin(), wanted.end());
    std::sort(got.begin(), got.end());
  }
  CHECK(got == wanted);
}

void check_end(const YAML::Node& row, RawClient& client, Session& session) {
  const bool abort = row["abort"] && row["abort"].as<bool>();
  const auto& answers = row["answer"];
  const bool closes = answers && answers.size() > 0 &&
                      answers[answers.size() - 1].as<std::string>().rfind("close", 0) == 0;
  if (abort || closes) {
    if (closes) client.send(conformance::client_frame("close 1000 ''", nullptr));
    client.end_sending();
    client.receive_all();
    CHECK(client.input().empty());
    return;
  }
  client.send(conformance::client_frame("ping 'alive'", nullptr));
  const auto pong = session.next();
  REQUIRE(pong.has_value());
  CHECK(printed(*pong) == printed(Seen{10, "alive"}));
}

void run_frames(const YAML::Node& row, std::uint16_t port) {
  RawClient client(port);
  const std::string offer = row["deflate"] ? row["deflate"].as<std::string>() : "";
  client.send(
      handshake_with({}, offer.empty() ? "" : "Sec-WebSocket-Extensions: " + offer + "\r\n"));
  const auto accepted = conformance::next_answer(client);
  REQUIRE(accepted.has_value());
  REQUIRE(accepted->status == 101);
  REQUIRE((accepted->headers.count("sec-websocket-extensions") == 1) == !offer.empty());

  const auto deflate = client_deflate(*accepted);
  send_frames(client, row, deflate.get());
  Session session(client);
  check_answers(row, session);
  check_end(row, client, session);
}

void run_handshake(const YAML::Node& row, std::uint16_t port) {
  RawClient client(port);
  const auto added = row["add"] ? row["add"].as<std::string>() : "";
  client.send(row["send"] ? row["send"].as<std::string>() : handshake_with(row["change"], added));
  const auto answer = conformance::next_answer(client);
  REQUIRE(answer.has_value());
  CHECK(answer->status == row["status"].as<int>());
  for (const auto& field : row["fields"]) {
    const auto found = answer->headers.find(field.first.as<std::string>());
    INFO("field " << field.first.as<std::string>());
    REQUIRE(found != answer->headers.end());
    CHECK(found->second == field.second.as<std::string>());
  }
  for (const auto& field : row["contains"]) {
    const auto found = answer->headers.find(field.first.as<std::string>());
    REQUIRE(found != answer->headers.end());
    CHECK(found->second.find(field.second.as<std::string>()) != std::string::npos);
  }
  for (const auto& name : row["absent"]) CHECK(answer->headers.count(name.as<std::string>()) == 0);
}

conformance::EchoOptions options() {
  conformance::EchoOptions o;
  o.limits = conformance::table_limits();
  o.limits.ws_ping_interval_ms = 0;  // the tables expect none of the server's own
  o.loops = 1;
  return o;
}

}  // namespace

TEST_CASE("WebSocket: frames and the answers to them") {
  const auto table = YAML::LoadFile(std::string(GANTRY_TABLES) + "/ws/frames.yaml");
  REQUIRE(table.size() >= 120);
  const conformance::EchoServer server(options());
  for (const auto& row : table) {
    DYNAMIC_SECTION(row["name"].as<std::string>()) {
      INFO("rule: " << row["rule"].as<std::string>());
      run_frames(row, server.port());
    }
  }
}

TEST_CASE("WebSocket: opening handshakes") {
  const auto table = YAML::LoadFile(std::string(GANTRY_TABLES) + "/ws/handshakes.yaml");
  const conformance::EchoServer server(options());
  for (const auto& row : table) {
    DYNAMIC_SECTION(row["name"].as<std::string>()) {
      INFO("rule: " << row["rule"].as<std::string>());
      run_handshake(row, server.port());
    }
  }
}

TEST_CASE("WebSocket: frames that follow the handshake in the same packet are served") {
  const conformance::EchoServer server(options());
  RawClient client(server.port());
  client.send(handshake_with({}, "") + conformance::client_frame("text 'early'", nullptr));
  REQUIRE(conformance::next_answer(client).value().status == 101);
  CHECK(Session(client).next().value() == Seen{1, "early"});
}
