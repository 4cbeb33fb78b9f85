// SPDX-License-Identifier: Apache-2.0
// Runs the tables in cases/.
//
// A row: `name`, `rule`, the request (`get` or `post` with a path, or `method` and `path`;
// `headers_sent`; `body` as text, `send` as JSON, or `upload` as a form), `as` (whose token goes
// along: a name that an earlier row has kept), and what is expected: `status`, `type`, `exact`,
// `json` (the least that it must say), `without`, `headers`. `keep: {name: path.of.member}` keeps
// a text for later rows as $name; $rows_png is pictures/rows.png as base64, and so on, and an
// upload may have its bytes from there. `pixels: [[x, y, "#rrggbb"]]` looks into a PNG. <x*100> in
// what is sent stands for 100 times x. `group` starts a server of its own with the configuration
// given by plugin; $tables is this folder. `on` is the listener that is asked, by default agent.
#include <catch2/catch.hpp>
#include <gantry/base64.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/picture/decode.hpp>
#include <gantry/testkit/net_client.hpp>

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>

#include "agent_http/src/routes.hpp"
#include "agent_server.hpp"
#include "observer/json_match.hpp"
#include "perception_http/src/routes.hpp"
#include "support/known_keys.hpp"
#include "support/yaml_json.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;
using namespace std::string_literals;

const std::map<std::string, std::string> kBytes = {
    {"png", "\x89PNG\r\n\x1a\n0123456789"s},
    {"jpeg", "\xff\xd8\xff\xe0 0123456789"s},
    {"webp", "RIFF\x10\0\0\0WEBPVP8 "s},
    {"pdf", "%PDF-1.7\n1 0 obj"s},
};

/// <x*100> becomes 100 times x.
std::string expanded(std::string text) {
  static const std::regex kRepeat("<([^<>*]+)\\*([0-9]+)>");
  std::smatch found;
  while (std::regex_search(text, found, kRepeat)) {
    std::string many;
    for (int i = std::stoi(found[2]); i > 0; --i) many += found[1];
    text = found.prefix().str() + many + found.suffix().str();
  }
  return text;
}

struct Sent {
  std::string method = "GET";
  std::string path;
  testkit::Headers headers;
  std::string body;
};

const std::filesystem::path kPictures = GANTRY_AGENT_HTTP_TABLES "/pictures";

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Every picture by the name of its file, as base64.
Kept pictures_as_base64() {
  Kept out;
  for (const auto& entry : std::filesystem::directory_iterator(kPictures)) {
    std::string name = entry.path().filename().string();
    std::replace(name.begin(), name.end(), '.', '_');
    const std::string bytes = file_text(entry.path());
    out[name] = base64_of({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
  return out;
}

void check_pixels(const YAML::Node& pixels, const std::string& body) {
  const auto found =
      picture::decode({reinterpret_cast<const std::uint8_t*>(body.data()), body.size()});
  REQUIRE(found.ok());
  for (const YAML::Node& pixel : pixels) {
    const Image& image = found->image;
    const std::uint8_t* at =
        image.pixels.data() + pixel[1].as<int>() * image.stride + pixel[0].as<int>() * 3;
    char colour[8];
    std::snprintf(colour, sizeof colour, "#%02x%02x%02x", at[0], at[1], at[2]);
    INFO("pixel " << pixel[0] << "," << pixel[1]);
    CHECK(colour == pixel[2].as<std::string>());
  }
}

/// A form with one field. Bytes are a kind of the table above, or text as it is.
void add_upload(const YAML::Node& upload, Sent& sent) {
  const auto bytes = upload["bytes"].as<std::string>("png");
  const auto known = kBytes.find(bytes);
  const bool from_file = std::filesystem::exists(kPictures / bytes) && !bytes.empty();
  sent.body = "--xYz\r\nContent-Disposition: form-data; name=\"" +
              upload["field"].as<std::string>("file") + "\"";
  if (!upload["filename"] || !upload["filename"].IsNull()) {
    sent.body += "; filename=\"" + upload["filename"].as<std::string>("shot.png") + "\"";
  }
  sent.body += "\r\n";
  if (!upload["type"] || !upload["type"].IsNull()) {
    sent.body += "Content-Type: " + upload["type"].as<std::string>("image/png") + "\r\n";
  }
  sent.body += "\r\n" +
               (from_file               ? file_text(kPictures / bytes)
                : known == kBytes.end() ? expanded(bytes)
                                        : known->second) +
               "\r\n--xYz--\r\n";
  sent.headers.emplace_back("Content-Type", "multipart/form-data; boundary=xYz");
}

Sent request_of(const YAML::Node& row, const Kept& kept) {
  Sent sent;
  sent.method = row["method"].as<std::string>(row["post"] ? "POST" : "GET");
  for (const char* key : {"path", "get", "post"}) {
    if (row[key]) sent.path = filled(row[key].as<std::string>(), kept);
  }
  if (row["as"]) {
    sent.headers.emplace_back("Authorization", "Bearer " + kept.at(row["as"].as<std::string>()));
  }
  if (row["upload"]) add_upload(row["upload"], sent);
  if (row["send"]) {
    sent.body = expanded(filled(json::serialize(json_from(row["send"])), kept));
    sent.headers.emplace_back("Content-Type", "application/json");
  }
  if (row["body"]) sent.body = expanded(filled(row["body"].as<std::string>(), kept));
  for (const auto& header : row["headers_sent"]) {
    sent.headers.emplace_back(header.first.as<std::string>(),
                              filled(header.second.as<std::string>(), kept));
  }
  return sent;
}

/// The member at a path such as run.run_id.
const json::value* member(const json::value& in, std::string path) {
  const json::value* here = &in;
  path += '.';
  for (std::size_t dot = 0; here != nullptr && (dot = path.find('.')) != std::string::npos;
       path.erase(0, dot + 1)) {
    const std::string name = path.substr(0, dot);
    if (name.empty()) break;
    if (const json::array* list = here->if_array()) {
      const auto index = static_cast<std::size_t>(std::stoi(name));
      here = index < list->size() ? &(*list)[index] : nullptr;
    } else {
      here = here->is_object() ? here->get_object().if_contains(name) : nullptr;
    }
  }
  return here;
}

void check_body(const YAML::Node& row, const std::string& body, Kept& kept) {
  if (row["exact"]) CHECK(body == filled(row["exact"].as<std::string>(), kept));
  if (row["pixels"]) check_pixels(row["pixels"], body);
  if (row["bytes"]) CHECK(body == kBytes.at(row["bytes"].as<std::string>()));
  if (!row["json"] && !row["without"] && !row["keep"]) return;
  json::error_code broken;
  const json::value found = json::parse(body, broken);
  REQUIRE_FALSE(broken);
  if (row["json"]) {
    const json::value expected = json::parse(filled(json::serialize(json_from(row["json"])), kept));
    for (const std::string& line : shortfalls(expected, found)) FAIL_CHECK(line);
  }
  for (const auto& entry : row["keep"]) {
    const json::value* value = member(found, entry.second.as<std::string>());
    REQUIRE(value != nullptr);
    kept[entry.first.as<std::string>()] = value->as_string();
  }
  for (const YAML::Node& name : row["without"]) {
    CHECK(member(found, name.as<std::string>()) == nullptr);
  }
}

class Table {
 public:
  explicit Table(std::set<std::string>& names) : names_(names) {}

  std::size_t run(const std::string& file) {
    std::size_t rows = 0;
    for (const YAML::Node& row : YAML::LoadFile(file)) {
      const auto name = row["name"].as<std::string>();
      INFO(file << ": " << name << " (" << row["rule"].as<std::string>() << ")");
      check_keys(row,
                 {"name", "rule",         "group",   "get",   "post",   "method", "path",  "on",
                  "as",   "headers_sent", "body",    "send",  "upload", "status", "type",  "exact",
                  "json", "without",      "headers", "bytes", "pixels", "keep",   "covers"});
      CHECK(names_.insert(name).second);
      if (!server_ || row["group"]) start(row["group"]);
      run_row(row);
      ++rows;
    }
    return rows;
  }

 private:
  void start(const YAML::Node& group) {
    std::map<std::string, std::string> configs;
    for (const auto& plugin : group) {
      configs[plugin.first.as<std::string>()] =
          filled(plugin.second.as<std::string>(), {{"tables", GANTRY_AGENT_HTTP_TABLES}});
    }
    server_.reset();
    server_ = std::make_unique<AgentServer>(configs);
  }

  void run_row(const YAML::Node& row) {
    const std::uint16_t port = server_->port(row["on"].as<std::string>("agent"));
    kept_["port"] = std::to_string(port);
    testkit::HttpClient client("127.0.0.1", port, std::chrono::seconds(20));
    const Sent sent = request_of(row, kept_);
    const testkit::HttpReply reply =
        client.request(sent.method, sent.path, sent.headers, sent.body);
    INFO("body: " << reply.body.substr(0, 900));
    CHECK(reply.status == row["status"].as<int>());
    if (row["type"]) CHECK(reply.header("content-type") == row["type"].as<std::string>());
    for (const auto& header : row["headers"]) {
      CHECK(reply.header(header.first.as<std::string>()) ==
            filled(header.second.as<std::string>(), kept_));
    }
    check_body(row, reply.body, kept_);
  }

  std::set<std::string>& names_;
  std::unique_ptr<AgentServer> server_;
  Kept kept_ = pictures_as_base64();
};

TEST_CASE("every route of the agent's HTTP API answers as the tables say") {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(GANTRY_AGENT_HTTP_TABLES "/cases")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  std::set<std::string> names;
  std::size_t rows = 0;
  for (const std::string& file : files) rows += Table(names).run(file);
  CHECK(rows >= 350);
}

TEST_CASE("every route is in the matrix of users, or is about nobody") {
  // Runs belong to whoever has their key (contract 6); the others know of nobody.
  std::set<std::string> covered{"POST /api/embeddings/",
                                "GET /api/embeddings/health",
                                "GET /api/semantic/health",
                                "POST /api/runs/",
                                "POST /api/runs/workers/heartbeat",
                                "POST /api/runs/stop-all",
                                "GET /api/runs/{run_id}",
                                "GET /api/runs/{run_id}/events",
                                "POST /api/runs/{run_id}/events",
                                "POST /api/runs/{run_id}/control",
                                "POST /api/runs/{run_id}/worker-dispatched"};
  for (const YAML::Node& row : YAML::LoadFile(GANTRY_AGENT_HTTP_TABLES "/cases/users.yaml")) {
    for (const YAML::Node& route : row["covers"]) covered.insert(route.as<std::string>());
  }
  std::set<std::string> there;
  for (const auto& routes : {agent_http::all_routes(), perception_http::all_routes()}) {
    for (const agent_http::Route& route : routes) {
      there.insert(std::string(route.method) + ' ' + std::string(route.path));
    }
  }
  CHECK(covered == there);
}

TEST_CASE("what is refused and what fails is counted under the published codes") {
  AgentServer server({});
  testkit::HttpClient client("127.0.0.1", server.port(), std::chrono::seconds(20));
  const auto metrics = [&server] {
    const auto text = server.kernel().host().bus().call_wait<KernelMetrics>({});
    REQUIRE(text.ok());
    return (*text)->text;
  };
  CHECK(metrics().find("gantry_agent_http_errors_total") == std::string::npos);
  const auto made = client.request("POST", "/api/install/register", {}, "{}");
  REQUIRE(made.status == 200);
  const std::string token(json::parse(made.body).at("install_token").as_string());
  const testkit::Headers known{{"Authorization", "Bearer " + token},
                               {"Content-Type", "application/json"}};
  CHECK(client.request("GET", "/api/install/me", {}, "").status == 401);
  CHECK(client.request("POST", "/api/embeddings/", known, R"({"text":"x"})").status == 503);
  CHECK(client.request("POST", "/api/embeddings/", known, "{").status == 422);
  CHECK(client.request("GET", "/api/install/me", known, "").status == 200);
  const std::string counted = metrics();
  INFO(counted);
  for (const char* code : {"SESSION_ERROR", "EMBEDDING_ERROR", "PARSE_VALIDATION_ERROR"}) {
    CHECK(counted.find("gantry_agent_http_errors_total{code=\"" + std::string(code) + "\"} 1\n") !=
          std::string::npos);
  }
}

}  // namespace
}  // namespace gantry::conformance
