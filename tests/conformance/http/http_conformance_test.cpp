// SPDX-License-Identifier: Apache-2.0
//
// Runs cases.yaml: raw bytes to the transport, its reaction against the table.
#include "../support/echo_server.hpp"
#include "../support/raw_client.hpp"

#include <yaml-cpp/yaml.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <string>

namespace {

using namespace gantry;
using conformance::Answer;
using conformance::RawClient;

std::string with_port(std::string text, std::uint16_t port) {
  for (std::size_t at = 0; (at = text.find("{port}", at)) != std::string::npos;) {
    text.replace(at, 6, std::to_string(port));
  }
  return text;
}

std::string hex_bytes(const std::string& digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += digits[i + 1] == ' ' ? 1 : 2) {
    if (digits[i] == ' ') continue;
    out += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return out;
}

/// The YAML loader keeps "\x7f" and below as bytes; bytes above are written {hex: …}.
std::string step_bytes(const YAML::Node& step, std::uint16_t port) {
  if (step.IsScalar()) return with_port(step.as<std::string>(), port);
  if (step["hex"]) return hex_bytes(step["hex"].as<std::string>());
  std::string out;
  const auto unit = step["repeat"].as<std::string>();
  for (int i = step["times"].as<int>(); i > 0; --i) out += unit;
  return out;
}

void send_step(RawClient& client, const YAML::Node& step, std::uint16_t port, bool bytewise) {
  if (step.IsMap() && step["eof"]) {
    client.end_sending();
  } else if (step.IsMap() && step["await"]) {
    const auto interim = conformance::next_answer(client, false, true);
    REQUIRE(interim.has_value());
    CHECK(interim->status == step["await"].as<int>());
  } else if (bytewise) {
    client.send_bytewise(step_bytes(step, port));
  } else {
    client.send(step_bytes(step, port));
  }
}

void check_answer(const YAML::Node& expected, const Answer& answer) {
  CHECK(answer.status == expected["status"].as<int>());
  if (expected["body"]) CHECK(answer.body == expected["body"].as<std::string>());
  for (const auto& header : expected["headers"]) {
    const auto found = answer.headers.find(header.first.as<std::string>());
    INFO("header " << header.first.as<std::string>());
    REQUIRE(found != answer.headers.end());
    CHECK(found->second == header.second.as<std::string>());
  }
  for (const auto& name : expected["absent"]) {
    CHECK(answer.headers.count(name.as<std::string>()) == 0);
  }
}

void check_after(RawClient& client, const std::string& after) {
  if (after == "open") {
    client.send("GET /item/after HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const auto answer = conformance::next_answer(client);
    REQUIRE(answer.has_value());
    CHECK(answer->body == "after");
  } else if (after == "closed") {
    client.receive_all();
    CHECK(client.input().empty());
  }
}

void run(const YAML::Node& row) {
  conformance::EchoOptions options;
  options.limits = conformance::table_limits();
  const std::map<std::string, std::int64_t*> settable = {
      {"head_timeout_ms", &options.limits.head_timeout_ms},
      {"body_timeout_ms", &options.limits.body_timeout_ms},
      {"idle_timeout_ms", &options.limits.idle_timeout_ms},
  };
  for (const auto& limit : row["limits"]) {
    *settable.at(limit.first.as<std::string>()) = limit.second.as<std::int64_t>();
  }
  options.loops = 1;
  const conformance::EchoServer server(options);
  RawClient client(server.port());

  const bool bytewise = row["bytewise"] && row["bytewise"].as<bool>();
  if (row["send"].IsSequence()) {
    for (const auto& step : row["send"]) send_step(client, step, server.port(), bytewise);
  } else {
    send_step(client, row["send"], server.port(), bytewise);
  }
  for (const auto& expected : row["expect"]) {
    const bool head_only = expected["head_only"] && expected["head_only"].as<bool>();
    const auto answer = conformance::next_answer(client, head_only);
    REQUIRE(answer.has_value());
    check_answer(expected, *answer);
  }
  check_after(client, row["after"] ? row["after"].as<std::string>() : "");
}

}  // namespace

TEST_CASE("HTTP/1.1: raw bytes and the reaction to them") {
  const auto table = YAML::LoadFile(std::string(GANTRY_TABLES) + "/http/cases.yaml");
  REQUIRE(table.size() >= 60);
  for (const auto& row : table) {
    DYNAMIC_SECTION(row["name"].as<std::string>()) {
      INFO("rule: " << row["rule"].as<std::string>());
      run(row);
    }
  }
}
