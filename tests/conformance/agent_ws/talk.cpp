// SPDX-License-Identifier: Apache-2.0
#include "talk.hpp"

#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/identity.hpp>
#include <gantry/contracts/kernel.hpp>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "observer/json_match.hpp"
#include "support/known_keys.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;

constexpr auto kPatience = std::chrono::seconds(20);
constexpr const char* kUsualUser = "user-1";

/// The smallest PNG there is: one transparent pixel.
constexpr unsigned char kPixel[] = {
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00,
    0x00, 0x1F, 0x15, 0xC4, 0x89, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9C, 0x62, 0x00, 0x01, 0x00, 0x00, 0x05, 0x00, 0x01, 0x0D, 0x0A, 0x2D, 0xB4, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};

std::string text_at(const json::value& frame, const char* key) {
  const json::value* found = frame.get_object().if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

}  // namespace

std::string type_of_frame(const json::value& frame) {
  std::string type = text_at(frame, "type");
  if (type != "trace-event") return type;
  const json::value& payload = frame.get_object().at("payload");
  return text_at(payload, "path") + ' ' + text_at(payload, "status");
}

Speaker::Speaker(std::uint16_t port, testkit::Headers headers)
    : client_("127.0.0.1", port, "/ws", std::move(headers), kPatience) {
  if (!client_.open()) throw std::runtime_error("the WebSocket was refused");
}

const json::value& Speaker::hear() {
  const testkit::WsFrame frame = client_.receive();
  if (frame.opcode == testkit::WsOpcodeRaw::Ping) return hear();
  if (frame.opcode != testkit::WsOpcodeRaw::Text) {
    throw std::runtime_error(
        fmt::format("the socket closed with {} '{}'", frame.close_code(), frame.close_reason()));
  }
  last_ = json::parse(frame.payload);
  if (take_sound()) return hear();
  check_sequence();
  return last_;
}

/// An audio-chunk: PCM of 22,050 samples a second, of a message but of no turn's numbered events.
bool Speaker::take_sound() {
  if (text_at(last_, "type") != "audio-chunk") return false;
  const json::object& frame = last_.get_object();
  const json::object& payload = frame.at("payload").get_object();
  CHECK(payload.size() == 2);
  CHECK(payload.at("sample_rate").as_int64() == 22'050);
  const std::string audio(payload.at("audio").get_string());
  CHECK(audio.size() % 4 == 0);
  CHECK(audio.find_first_not_of(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ==
        std::string::npos);
  const std::size_t padding = audio.size() - std::min(audio.find('='), audio.size());
  const std::size_t bytes = audio.size() / 4 * 3 - padding;
  CHECK(bytes > 0);
  CHECK(bytes % 2 == 0);
  for (const char* none : {"event_id", "sequence", "conversation_ref", "turn_ref"}) {
    CHECK_FALSE(frame.contains(none));
  }
  samples_[text_at(last_, "id")] += bytes / 2;
  return true;
}

double Speaker::sound(const std::string& id) const {
  const auto found = samples_.find(id);
  return found == samples_.end() ? 0 : static_cast<double>(found->second) / 22'050;
}

void Speaker::hear_sound(const std::string& id, double seconds) {
  while (sound(id) < seconds) {
    const testkit::WsFrame frame = client_.receive();
    if (frame.opcode == testkit::WsOpcodeRaw::Ping) continue;
    if (frame.opcode != testkit::WsOpcodeRaw::Text) throw std::runtime_error("the socket closed");
    last_ = json::parse(frame.payload);
    if (!take_sound()) throw std::runtime_error("not a sound: " + frame.payload.substr(0, 500));
  }
}

void Speaker::announce(std::uint64_t bytes) {
  std::string header("\x81\xFF", 2);  // a text frame, masked, 64 bits of length
  for (int shift = 56; shift >= 0; shift -= 8) header += static_cast<char>((bytes >> shift) & 0xFF);
  client_.send_raw(header + "mask");
}

testkit::WsFrame Speaker::closing() {
  testkit::WsFrame frame = client_.receive();
  while (frame.opcode == testkit::WsOpcodeRaw::Ping) frame = client_.receive();
  return frame;
}

void Speaker::check_sequence() {
  const json::value* sequence = last_.get_object().if_contains("sequence");
  if (sequence == nullptr) return;
  const std::string turn = text_at(last_, "turn_ref");
  CHECK(text_at(last_, "id") == turn);
  CHECK(sequence->as_int64() == ++sequences_[turn]);
  CHECK(text_at(last_, "event_id") ==
        fmt::format("{}-evt-{:06}-{}", turn, sequence->as_int64(), text_at(last_, "type")));
}

Talk::Talk(AgentServer& server, std::string unique) : server_(server) {
  kept_["conv"] = "conv-" + unique;
}

void Talk::run(const YAML::Node& steps) {
  for (const YAML::Node& one : steps) {
    YAML::Emitter shown;
    shown << YAML::Flow << one;
    INFO("step: " << shown.c_str());
    step(one);
  }
}

std::string Talk::text_of(const YAML::Node& node) const {
  return filled(node.IsScalar() ? node.as<std::string>() : json::serialize(json_from(node)), kept_);
}

Speaker& Talk::open(const YAML::Node& step, const YAML::Node& options) {
  testkit::Headers headers;
  if (options && options.IsMap() && options["token"]) {
    headers.emplace_back("Authorization", "Bearer " + text_of(options["token"]));
  }
  if (options && options.IsMap() && options["authorization"]) {
    headers.emplace_back("Authorization", text_of(options["authorization"]));
  }
  auto& slot = speakers_[step["on"].as<std::string>("")];
  slot = std::make_unique<Speaker>(server_.port(), std::move(headers));
  return *slot;
}

Speaker& Talk::speaker(const YAML::Node& step) {
  const auto found = speakers_.find(step["on"].as<std::string>(""));
  if (found == speakers_.end()) throw std::runtime_error("the socket is not open yet");
  return *found->second;
}

/// Opens, shakes hands and takes the two messages that always follow.
void Talk::hello(const YAML::Node& step) {
  const YAML::Node options = step["hello"];
  Speaker& socket = open(step, options);
  json::object handshake{{"type", "handshake"}, {"user_id", kUsualUser}};
  if (options.IsMap() && options["user_id"]) handshake["user_id"] = text_of(options["user_id"]);
  if (options.IsMap() && options["definition"]) {
    handshake["agent_definition"] = json::parse(text_of(options["definition"]));
  }
  socket.say(json::serialize(handshake));
  CHECK(type_of_frame(socket.hear()) == "client-tool-manifest");
  CHECK(type_of_frame(socket.hear()) == "remote-tool-catalog");
}

void Talk::expect(const json::value& found, const YAML::Node& expected) {
  INFO("heard: " << json::serialize(found).substr(0, 1500));
  for (const std::string& line : shortfalls(json::parse(text_of(expected)), found)) {
    FAIL_CHECK(line);
  }
}

/// All events of a turn, in exactly this order. How many pieces a text comes in says nothing, so
/// pieces that follow each other count as one.
void Talk::hear_turn(Speaker& socket, const YAML::Node& types) {
  std::vector<std::string> expected;
  for (const YAML::Node& type : types) expected.push_back(type.as<std::string>());
  std::vector<std::string> heard;
  while (heard.size() < expected.size()) {
    const std::string type = type_of_frame(socket.hear());
    const bool piece = type == "streaming-response" || type == "llm-thought";
    if (!piece || heard.empty() || heard.back() != type) heard.push_back(type);
  }
  CHECK(heard == expected);
}

/// Nothing is on its way: the answer to a further message is the next thing heard.
void Talk::be_quiet(Speaker& socket) {
  socket.say(R"({"id":"quiet","type":"wakeword-detected","payload":{}})");
  CHECK(type_of_frame(socket.hear()) == "wakeword-activated");
  CHECK(type_of_frame(socket.hear()) == "wakeword-greeting");
}

void Talk::keep(const json::value& frame, const YAML::Node& names) {
  for (const auto& entry : names) {
    json::error_code missing;
    const json::value* found = frame.find_pointer(entry.second.as<std::string>(), missing);
    REQUIRE(found != nullptr);
    kept_[entry.first.as<std::string>()] =
        found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
  }
}

void Talk::register_install(const std::string& name) {
  const auto made = server_.kernel().host().bus().call_wait<RegisterInstall>({"Linux", "", "test"});
  REQUIRE(made.ok());
  kept_["token_" + name] = (*made)->install_token;
  kept_["user_" + name] = (*made)->user_id;
}

void Talk::put_artifact(const YAML::Node& options) {
  ArtifactPutRequest put;
  put.owner = text_of(options["owner"]);
  put.content = Buffer::copy(std::span<const std::uint8_t>(kPixel, sizeof kPixel));
  const auto made = server_.kernel().host().bus().call_wait<ArtifactPut>(std::move(put));
  REQUIRE(made.ok());
  kept_[options["name"].as<std::string>()] = (*made)->artifact_id;
}

/// "agent_ws SESSION_ERROR": that plugin has counted a failure with that code.
void Talk::check_counted(const YAML::Node& wanted) {
  const auto metrics = server_.kernel().host().bus().call_wait<KernelMetrics>({});
  REQUIRE(metrics.ok());
  for (const YAML::Node& one : wanted) {
    const auto words = one.as<std::string>();
    const std::size_t space = words.find(' ');
    const std::string counter = fmt::format("gantry_{}_errors_total{{code=\"{}\"}}",
                                            words.substr(0, space), words.substr(space + 1));
    INFO(counter);
    CHECK((*metrics)->text.find(counter) != std::string::npos);
  }
}

void Talk::step(const YAML::Node& step) {
  check_keys(
      step,
      {"on",        "hello",          "open",    "register", "put_artifact", "say",    "say_binary",
       "say_bytes", "announce_bytes", "hang_up", "hear",     "until",        "turn",   "sound",
       "silent",    "resumed",        "without", "keep",     "quiet",        "closed", "counted"});
  if (step["counted"]) return check_counted(step["counted"]);
  if (step["hello"]) return hello(step);
  if (step["open"]) return (void)open(step, step["open"]);
  if (step["register"]) return register_install(step["register"].as<std::string>());
  if (step["put_artifact"]) return put_artifact(step["put_artifact"]);
  Speaker& socket = speaker(step);
  if (step["say"]) socket.say(text_of(step["say"]));
  if (step["say_binary"]) socket.say_binary(step["say_binary"].as<std::string>());
  if (step["say_bytes"]) {
    std::string text = R"({"id":"large","type":"list-models","payload":{},"timestamp":""})";
    text.insert(text.size() - 2, step["say_bytes"].as<std::size_t>() - text.size(), 'x');
    socket.say(text);
  }
  if (step["announce_bytes"]) socket.announce(step["announce_bytes"].as<std::uint64_t>());
  if (step["hang_up"]) socket.hang_up();
  if (step["hear"]) expect(socket.hear(), step["hear"]);
  if (step["until"]) {
    const auto type = step["until"]["type"].as<std::string>();
    while (text_at(socket.hear(), "type") != type) {
    }
    expect(socket.last(), step["until"]);
  }
  if (step["turn"]) hear_turn(socket, step["turn"]);
  if (step["sound"]) {
    socket.hear_sound(step["sound"]["of"].as<std::string>(), step["sound"]["seconds"].as<double>());
  }
  if (step["silent"]) CHECK(socket.sound(step["silent"].as<std::string>()) == 0);
  if (step["resumed"]) {
    socket.resumed(step["resumed"]["turn"].as<std::string>(),
                   step["resumed"]["after"].as<std::int64_t>());
  }
  for (const YAML::Node& name : step["without"]) {
    CHECK_FALSE(
        socket.last().get_object().at("payload").get_object().contains(name.as<std::string>()));
  }
  if (step["keep"]) keep(socket.last(), step["keep"]);
  if (step["quiet"]) be_quiet(socket);
  if (step["closed"]) {
    const testkit::WsFrame frame = socket.closing();
    CHECK(frame.opcode == testkit::WsOpcodeRaw::Close);
    CHECK(frame.close_code() == step["closed"]["code"].as<int>());
    if (frame.close_code() != 1009) {
      CHECK(frame.close_reason() == step["closed"]["reason"].as<std::string>(""));
    }
  }
}

}  // namespace gantry::conformance
