// SPDX-License-Identifier: Apache-2.0
// Runs routes.yaml.
#include <catch2/catch.hpp>
#include <gantry/testkit/net_client.hpp>

#include <yaml-cpp/yaml.h>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "json_match.hpp"
#include "observer_server.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;

/// Plain scalars become numbers, booleans and null as YAML reads them; quoted ones stay text.
json::value json_from(const YAML::Node& in) {
  if (in.IsMap()) {
    json::object object;
    for (const auto& entry : in) object[entry.first.as<std::string>()] = json_from(entry.second);
    return object;
  }
  if (in.IsSequence()) {
    json::array array;
    for (const YAML::Node& element : in) array.push_back(json_from(element));
    return array;
  }
  if (in.IsNull()) return nullptr;
  const auto text = in.as<std::string>();
  if (in.Tag() == "!") return json::string(text);  // quoted
  json::error_code no_json;
  json::value plain = json::parse(text, no_json);
  return no_json ? json::value(text) : plain;
}

testkit::HttpReply send(testkit::HttpClient& client, const YAML::Node& row) {
  std::string method = row["method"].as<std::string>("GET");
  std::string path = row["path"].as<std::string>("");
  if (row["get"]) path = row["get"].as<std::string>();
  if (row["post"]) {
    method = "POST";
    path = row["post"].as<std::string>();
  }
  testkit::Headers headers;
  if (row["headers_sent"]) {
    for (const auto& header : row["headers_sent"]) {
      headers.emplace_back(header.first.as<std::string>(), header.second.as<std::string>());
    }
  }
  return client.request(method, path, headers, row["body"].as<std::string>(""));
}

void check_body(const YAML::Node& row, const std::string& raw) {
  const std::string body = !raw.empty() && raw.back() == '\n' ? raw.substr(0, raw.size() - 1) : raw;
  if (row["exact"]) CHECK(body == row["exact"].as<std::string>());
  for (const YAML::Node& part : row["contains"]) {
    INFO("part: " << part.as<std::string>());
    CHECK(raw.find(part.as<std::string>()) != std::string::npos);
  }
  if (!row["json"] && !row["without"]) return;
  CHECK(raw.ends_with('\n'));
  json::error_code broken;
  const json::value found = json::parse(body, broken);
  REQUIRE_FALSE(broken);
  if (row["json"]) {
    for (const std::string& line : shortfalls(json_from(row["json"]), found)) FAIL_CHECK(line);
  }
  for (const YAML::Node& name : row["without"]) {
    CHECK_FALSE(found.get_object().contains(name.as<std::string>()));
  }
}

std::unique_ptr<ObserverServer> server_for(const YAML::Node& row) {
  // Port 0: tests run side by side.
  std::string rest = row["rest"].as<std::string>("{}");
  rest.insert(1, rest == "{}" ? "port: 0" : "port: 0, ");
  return std::make_unique<ObserverServer>(rest, row["observation"].as<std::string>("{}"),
                                          row["platform"].as<std::string>("mock"));
}

TEST_CASE("every route answers as the table says") {
  std::unique_ptr<ObserverServer> server;
  std::size_t rows = 0;
  for (const YAML::Node& row : YAML::LoadFile(GANTRY_OBSERVER_TABLES "/routes.yaml")) {
    INFO(row["name"].as<std::string>());
    if (!server || row["group"]) {
      server.reset();
      server = server_for(row);
    }
    testkit::HttpClient client("127.0.0.1", server->port());
    const testkit::HttpReply reply = send(client, row);
    INFO("body: " << reply.body.substr(0, 600));
    CHECK(reply.status == row["status"].as<int>());
    if (row["type"]) CHECK(reply.header("content-type") == row["type"].as<std::string>());
    if (row["headers"]) {
      for (const auto& header : row["headers"]) {
        CHECK(reply.header(header.first.as<std::string>()) == header.second.as<std::string>());
      }
    }
    check_body(row, reply.body);
    ++rows;
  }
  CHECK(rows > 60);
}

}  // namespace
}  // namespace gantry::conformance
