// SPDX-License-Identifier: Apache-2.0
#include "cortask_talk.hpp"

#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "observer/json_match.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr auto kWait = std::chrono::seconds(20);
constexpr const char* kNobody =
    R"({"type":"chat","sessionKey":"quiet","message":"x","workspaceId":"-"})";

std::string member_of(const json::value& frame, std::string_view name) {
  const json::value* found = frame.is_object() ? frame.get_object().if_contains(name) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string type_of(const json::value& frame) { return member_of(frame, "type"); }

bool is_delta(const std::string& type) { return type == "text_delta" || type == "thinking_delta"; }

testkit::Headers headers_of(const YAML::Node& map) {
  testkit::Headers out;
  if (!map) return out;
  for (const auto& entry : map) {
    out.emplace_back(entry.first.as<std::string>(), entry.second.as<std::string>());
  }
  return out;
}

}  // namespace

CortaskTalk::CortaskTalk(CortaskServer& server, std::string unique) : server_(server) {
  kept_["key"] = "key-" + unique;
  kept_["ws"] = server.workspace();
  kept_["root"] = server.root().string();
  kept_["state"] = server.state().string();
  kept_["pad"] = std::string(100'000, 'x');  // makes a frame large
}

void CortaskTalk::run(const YAML::Node& steps) {
  for (const YAML::Node& one : steps) {
    YAML::Emitter shown;
    shown << YAML::Flow << one;
    INFO("step: " << shown.c_str());
    step(one);
  }
}

std::string CortaskTalk::text_of(const YAML::Node& node) const {
  return filled(node.IsScalar() ? node.as<std::string>() : json::serialize(json_from(node)), kept_);
}

void CortaskTalk::open(const YAML::Node& step) {
  const YAML::Node options = step["open"];
  const bool map = options.IsMap();
  const std::string path = map && options["path"] ? options["path"].as<std::string>() : "/ws";
  auto client = std::make_unique<testkit::WebSocketClient>(
      "127.0.0.1", server_.port(), path,
      headers_of(map ? options["headers"] : YAML::Node(YAML::NodeType::Undefined)), kWait);
  if (map && options["status"]) {
    CHECK(client->reply().status == options["status"].as<int>());
    return;
  }
  if (!client->open()) throw std::runtime_error("the WebSocket was refused");
  sockets_[step["on"].as<std::string>("")].client = std::move(client);
}

CortaskTalk::Socket& CortaskTalk::socket(const YAML::Node& step) {
  const auto found = sockets_.find(step["on"].as<std::string>(""));
  if (found == sockets_.end()) throw std::runtime_error("the socket is not open");
  return found->second;
}

const json::value& CortaskTalk::hear(Socket& socket) {
  testkit::WsFrame frame = socket.client->receive();
  while (frame.opcode == testkit::WsOpcodeRaw::Ping || frame.opcode == testkit::WsOpcodeRaw::Pong) {
    frame = socket.client->receive();
  }
  if (frame.opcode != testkit::WsOpcodeRaw::Text) {
    throw std::runtime_error("the socket closed with " + std::to_string(frame.close_code()));
  }
  socket.last = json::parse(frame.payload);
  return socket.last;
}

void CortaskTalk::expect(const json::value& found, const YAML::Node& expected) {
  INFO("heard: " << json::serialize(found).substr(0, 1500));
  for (const std::string& line : shortfalls(json::parse(text_of(expected)), found)) {
    FAIL_CHECK(line);
  }
}

/// Deltas of one type whose texts make the expected one together: how many pieces there are says
/// nothing.
void CortaskTalk::hear_text(Socket& socket, const YAML::Node& expected) {
  const auto type = expected["type"].as<std::string>();
  const std::string wanted = text_of(expected["text"]);
  std::string heard;
  while (heard.size() < wanted.size()) {
    const json::value& frame = hear(socket);
    CHECK(type_of(frame) == type);
    if (type_of(frame) != type) break;
    CHECK_FALSE(member_of(frame, "text").empty());
    heard += member_of(frame, "text");
  }
  CHECK(heard == wanted);
}

/// All frames of a run in exactly this order; deltas of one type that follow each other count once.
void CortaskTalk::hear_run(Socket& socket, const YAML::Node& types) {
  std::vector<std::string> expected;
  for (const YAML::Node& type : types) expected.push_back(type.as<std::string>());
  std::vector<std::string> heard;
  while (heard.size() < expected.size()) {
    const std::string type = type_of(hear(socket));
    if (!is_delta(type) || heard.empty() || heard.back() != type) heard.push_back(type);
  }
  CHECK(heard == expected);
}

void CortaskTalk::until(Socket& socket, const YAML::Node& expected) {
  const auto type = expected["type"].as<std::string>();
  while (type_of(hear(socket)) != type) {
  }
  expect(socket.last, expected);
}

/// Nothing is on its way: the answer to a further message is the next thing heard.
void CortaskTalk::be_quiet(Socket& socket) {
  socket.client->send_text(kNobody);
  CHECK(json::serialize(hear(socket)) ==
        R"({"type":"error","sessionKey":"quiet","error":"Workspace not found"})");
}

void CortaskTalk::closed(Socket& socket, int code) {
  testkit::WsFrame frame = socket.client->receive();
  while (frame.opcode != testkit::WsOpcodeRaw::Close) frame = socket.client->receive();
  CHECK(frame.close_code() == code);
}

void CortaskTalk::chat(Socket& socket, const YAML::Node& options) {
  json::object message{{"type", "chat"}, {"sessionKey", kept_["key"]}};
  message["workspaceId"] = server_.workspace();
  if (options.IsScalar()) {
    message["message"] = text_of(options);
  } else {
    const json::value given = json::parse(text_of(options));
    for (const auto& [name, value] : given.as_object()) message[name] = value;
  }
  socket.client->send_text(json::serialize(message));
}

void CortaskTalk::http(const YAML::Node& call) {
  testkit::HttpClient client("127.0.0.1", server_.port(), kWait);
  testkit::Headers headers = headers_of(call["headers"]);
  std::string body;
  if (call["body"]) {
    body = text_of(call["body"]);
    headers.emplace_back("Content-Type", "application/json");
  }
  if (call["form"]) body = call["form"].as<std::string>();
  const testkit::HttpReply reply =
      client.request(call["method"].as<std::string>("GET"), text_of(call["path"]), headers, body);
  INFO("answered: " << reply.status << ' ' << reply.body.substr(0, 1500));
  CHECK(reply.status == call["status"].as<int>(200));
  if (call["answer"]) expect(json::parse(reply.body), call["answer"]);
  if (call["text"]) CHECK(reply.body == text_of(call["text"]));
  if (call["header"]) {
    for (const auto& [name, value] : headers_of(call["header"])) {
      CHECK(reply.header(name) == value);
    }
  }
  if (call["keep"]) keep(json::parse(reply.body), call["keep"]);
}

void CortaskTalk::put_file(const YAML::Node& options) {
  const fs::path path = server_.root() / options["path"].as<std::string>();
  fs::create_directories(path.parent_path());
  std::string content = text_of(options["content"]);
  if (options["size"]) content.resize(options["size"].as<std::size_t>(), 'x');
  std::ofstream(path, std::ios::binary) << content;
}

void CortaskTalk::keep(const json::value& frame, const YAML::Node& names) {
  for (const auto& entry : names) {
    json::error_code missing;
    const json::value* found = frame.find_pointer(entry.second.as<std::string>(), missing);
    REQUIRE(found != nullptr);
    kept_[entry.first.as<std::string>()] =
        found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
  }
}

void CortaskTalk::step(const YAML::Node& step) {
  if (step["open"]) return open(step);
  if (step["http"]) return http(step["http"]);
  if (step["file"]) return put_file(step["file"]);
  if (step["link"]) {
    return fs::create_symlink(text_of(step["link"]["to"]),
                              server_.root() / step["link"]["path"].as<std::string>());
  }
  if (step["is_file"] || step["no_file"]) {
    const bool wanted = step["is_file"].IsDefined();
    CHECK(fs::exists(server_.root() / text_of(step[wanted ? "is_file" : "no_file"])) == wanted);
    return;
  }
  if (step["differs"]) {
    CHECK(text_of(step["differs"][0]) != text_of(step["differs"][1]));
    return;
  }
  if (step["drop"]) return (void)sockets_.erase(step["on"].as<std::string>(""));
  socket_step(step);
}

void CortaskTalk::socket_step(const YAML::Node& step) {
  Socket& at = socket(step);
  if (step["say"]) at.client->send_text(text_of(step["say"]));
  if (step["say_binary"]) at.client->send_binary(text_of(step["say_binary"]));
  if (step["raw"]) {
    std::string bytes;
    for (const YAML::Node& byte : step["raw"]) bytes += static_cast<char>(byte.as<int>());
    at.client->send_raw(bytes);
  }
  if (step["chat"]) chat(at, step["chat"]);
  if (step["hang_up"]) at.client->send_close();
  if (step["hear"]) expect(hear(at), step["hear"]);
  if (step["exactly"]) CHECK(json::serialize(hear(at)) == text_of(step["exactly"]));
  if (step["text"]) hear_text(at, step["text"]);
  if (step["until"]) until(at, step["until"]);
  if (step["run"]) hear_run(at, step["run"]);
  for (const YAML::Node& name : step["without"]) {
    CHECK_FALSE(at.last.get_object().contains(name.as<std::string>()));
  }
  if (step["keep"]) keep(at.last, step["keep"]);
  if (step["quiet"]) be_quiet(at);
  if (step["closed"]) closed(at, step["closed"].as<int>());
}

}  // namespace gantry::conformance
