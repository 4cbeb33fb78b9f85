// SPDX-License-Identifier: Apache-2.0
#include "aide_world.hpp"

#include <gantry/contracts/user.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "support/listening_port.hpp"

namespace gantry::conformance {

namespace {

constexpr auto kPatience = std::chrono::seconds(20);

std::string aide_configuration(const std::filesystem::path& folder, const std::string& more) {
  const std::string path = folder.string();
  return "plugins:\n  transport: {}\n  document_poppler: {}\n  identity: {}\n  llm_scripted: {}\n"
         "  agent_engine: {config: {model: scripted}}\n"
         "  store: {config: {path: " +
         path +
         "/store.db}}\n"
         "  artifacts: {config: {folder: " +
         path +
         "/artifacts}}\n"
         "  tools_files: {config: {workspace: " +
         path +
         "/files}}\n"
         "  chat_aide: {config: {port: 0" +
         more + "}}\n";
}

}  // namespace

AideWorld::AideWorld(const std::string& more) {
  kernel_ = std::make_unique<testkit::InProcessKernel>(
      testkit::KernelSetup{.config = aide_configuration(folder_.path(), more)});
  const Result<void> started = kernel_->start();
  if (!started.ok()) throw std::runtime_error(started.error().message);
  port_ = listening_port(kernel_->host(), "aide");
  for (const char* name : {"ann", "bob"}) {
    const auto added = call<UserAdd>({name, kPassword, false});
    if (!added.ok()) throw std::runtime_error(added.error().message);
  }
}

std::string AideWorld::file(const std::string& name) const {
  return (folder_.path() / "files" / name).string();
}

testkit::HttpReply AideWorld::get(const std::string& target, const std::string& cookie) {
  testkit::HttpClient client("127.0.0.1", port_, kPatience);
  testkit::Headers headers;
  if (!cookie.empty()) headers.emplace_back("Cookie", cookie);
  return client.get(target, headers);
}

testkit::HttpReply AideWorld::post(const std::string& target, const std::string& type,
                                   const std::string& body, const std::string& cookie) {
  testkit::HttpClient client("127.0.0.1", port_, kPatience);
  std::vector<std::pair<std::string, std::string>> headers{{"Content-Type", type}};
  if (!cookie.empty()) headers.emplace_back("Cookie", cookie);
  return client.request("POST", target, headers, body);
}

testkit::HttpReply AideWorld::log_in(const std::string& user, const std::string& password) {
  const boost::json::object fields{{"username", user}, {"password", password}};
  return post("/login", "application/json", boost::json::serialize(fields));
}

std::string AideWorld::cookie(const std::string& user) {
  const testkit::HttpReply reply = log_in(user, kPassword);
  if (reply.status != 200) throw std::runtime_error("the log-in was refused: " + reply.body);
  const std::string cookie = reply.header("set-cookie");
  return cookie.substr(0, cookie.find(';'));
}

AideClient::AideClient(const AideWorld& world, const std::string& cookie,
                       const std::string& session)
    : socket_("127.0.0.1", world.port(), "/ws/" + session,
              cookie.empty() ? testkit::Headers{} : testkit::Headers{{"Cookie", cookie}},
              kPatience) {}

void AideClient::say(const std::string& text, const std::string& more) {
  send(R"({"type":"message","text":)" + boost::json::serialize(boost::json::value(text)) + more +
       "}");
}

void AideClient::greet() {
  while (until("models").back().at("models").as_array().empty()) {
  }
}

boost::json::object AideClient::next() {
  return boost::json::parse(socket_.receive_message()).as_object();
}

std::vector<boost::json::object> AideClient::until(const std::string& type) {
  std::vector<boost::json::object> out;
  do {
    out.push_back(next());
  } while (text_in(out.back(), "type") != type);
  return out;
}

std::vector<std::string> AideClient::types(const std::vector<boost::json::object>& frames) {
  std::vector<std::string> out;
  for (const boost::json::object& frame : frames) {
    const std::string type = text_in(frame, "type");
    if (type != "text" || out.empty() || out.back() != type) out.push_back(type);
  }
  return out;
}

std::string text_in(const boost::json::object& frame, const char* name) {
  const boost::json::value* value = frame.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

AideClient greeted(AideWorld& world, const std::string& session) {
  AideClient client(world, world.cookie(), session);
  REQUIRE(client.status() == 101);
  client.greet();
  return client;
}

}  // namespace gantry::conformance
