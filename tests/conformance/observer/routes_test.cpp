// SPDX-License-Identifier: Apache-2.0
// Runs routes.yaml and the tables in cases/.
#include <catch2/catch.hpp>
#include <gantry/testkit/net_client.hpp>

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>

#include "json_match.hpp"
#include "observer_server.hpp"
#include "support/yaml_json.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;

testkit::HttpReply send(testkit::HttpClient& client, const YAML::Node& row, const Kept& kept) {
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
  return client.request(method, filled(path, kept), headers,
                        filled(row["body"].as<std::string>(""), kept));
}

void check_body(const YAML::Node& row, const std::string& raw, Kept& kept) {
  const std::string body = !raw.empty() && raw.back() == '\n' ? raw.substr(0, raw.size() - 1) : raw;
  if (row["exact"]) CHECK(body == row["exact"].as<std::string>());
  for (const YAML::Node& part : row["contains"]) {
    INFO("part: " << part.as<std::string>());
    CHECK(raw.find(part.as<std::string>()) != std::string::npos);
  }
  if (!row["json"] && !row["without"] && !row["keep"]) return;
  CHECK(raw.ends_with('\n'));
  json::error_code broken;
  const json::value found = json::parse(body, broken);
  REQUIRE_FALSE(broken);
  if (row["json"]) {
    const json::value expected = json::parse(filled(json::serialize(json_from(row["json"])), kept));
    for (const std::string& line : shortfalls(expected, found)) FAIL_CHECK(line);
  }
  for (const auto& entry : row["keep"]) {
    const json::value* member = found.as_object().if_contains(entry.second.as<std::string>());
    REQUIRE(member != nullptr);
    kept[entry.first.as<std::string>()] = member->as_string();
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

/// Runs a table on servers of its own; answers how many rows it had.
class Table {
 public:
  explicit Table(std::set<std::string>& names) : names_(names) {}

  std::size_t run(const std::string& file) {
    std::size_t rows = 0;
    for (const YAML::Node& row : YAML::LoadFile(file)) {
      const auto name = row["name"].as<std::string>();
      INFO(file << ": " << name << " (" << row["rule"].as<std::string>() << ")");
      CHECK(names_.insert(name).second);
      if (!server_ || row["group"]) {
        server_.reset();
        server_ = server_for(row);
      }
      run_row(row);
      ++rows;
    }
    return rows;
  }

 private:
  void run_row(const YAML::Node& row) {
    testkit::HttpClient client("127.0.0.1", server_->port(), std::chrono::seconds(20));
    const testkit::HttpReply reply = send(client, row, kept_);
    INFO("body: " << reply.body.substr(0, 600));
    CHECK(reply.status == row["status"].as<int>());
    if (row["type"]) CHECK(reply.header("content-type") == row["type"].as<std::string>());
    if (row["headers"]) {
      for (const auto& header : row["headers"]) {
        CHECK(reply.header(header.first.as<std::string>()) == header.second.as<std::string>());
      }
    }
    check_body(row, reply.body, kept_);
  }

  std::set<std::string>& names_;
  std::unique_ptr<ObserverServer> server_;
  Kept kept_;
};

TEST_CASE("every route answers as the tables say") {
  namespace fs = std::filesystem;
  std::vector<std::string> files{GANTRY_OBSERVER_TABLES "/routes.yaml"};
  for (const auto& entry : fs::directory_iterator(GANTRY_OBSERVER_TABLES "/cases")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin() + 1, files.end());
  std::set<std::string> names;
  std::size_t rows = 0;
  for (const std::string& file : files) rows += Table(names).run(file);
  CHECK(rows >= 250);
}

}  // namespace
}  // namespace gantry::conformance
