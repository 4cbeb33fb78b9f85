// SPDX-License-Identifier: Apache-2.0
// Replays recorded calls of the reference program, when they are at hand: in $GANTRY_SHARED, or in
// ../shared beside the source tree. They are not part of this repository.
#include <catch2/catch.hpp>
#include <gantry/testkit/net_client.hpp>

#include <yaml-cpp/yaml.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "json_match.hpp"
#include "observer_server.hpp"

namespace gantry::conformance {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr std::string_view kOcrSection = "\n\n[ocr]\n";

std::optional<fs::path> recordings_folder() {
  const char* named = std::getenv("GANTRY_SHARED");
  const char* source = std::getenv("GANTRY_SOURCE_DIR");
  fs::path shared;
  if (named != nullptr) {
    shared = named;
  } else if (source != nullptr) {
    shared = fs::path(source).parent_path() / "shared";
  }
  const fs::path folder = shared / "golden" / "screen-observer" / "mock";
  if (shared.empty() || !fs::exists(folder / "index.json")) return std::nullopt;
  return folder;
}

json::value read_json(const fs::path& file) {
  std::ifstream in(file);
  return json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

/// What the text recognition says depends on what is installed: descriptions end before it.
void cut_installation(json::value& answer, const std::set<std::string>& installation) {
  json::object* object = answer.if_object();
  if (object == nullptr) return;
  for (const std::string& name : installation) object->erase(name);
  json::value* description = object->if_contains("description");
  if (description == nullptr || !description->is_string()) return;
  const std::string text(description->get_string());
  *description = text.substr(0, text.find(kOcrSection));
}

/// Names and types without help texts and numbers.
std::string metric_names(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP")) continue;
    out += line.starts_with('#') ? line : line.substr(0, line.find(' '));
    out += '\n';
  }
  return out;
}

class Replay {
 public:
  explicit Replay(fs::path folder)
      : folder_(std::move(folder)),
        plan_(YAML::LoadFile(GANTRY_OBSERVER_TABLES "/recordings.yaml")),
        server_("{port: 0}", "{sketch: {grid_width: 110, grid_height: 38, unicode_box: true}}") {
    for (const YAML::Node& name : plan_["volatile"]) varying_.names.insert(name.as<std::string>());
    for (const YAML::Node& name : plan_["installation"]) {
      installation_.insert(name.as<std::string>());
    }
    for (const YAML::Node& name : plan_["same"]) same_.insert(name.as<std::string>());
  }

  void run() {
    const json::value index = read_json(folder_ / "index.json");
    for (const json::value& entry : index.at("entries").as_array()) {
      const std::string name(entry.at("name").as_string());
      const YAML::Node other = plan_["differs"][name];
      if (same_.contains(name)) {
        compare(entry, name);
      } else if (other) {
        const testkit::HttpReply reply = send(entry);
        INFO(name << ": " << reply.body);
        CHECK(reply.status == other["status"].as<int>());
        CHECK(json::parse(reply.body).is_object());
        ++differing_;
      } else {
        ++unserved_;
      }
    }
    CHECK(compared_ == same_.size());
    CHECK(differing_ == plan_["differs"].size());
    WARN("recordings: " << compared_ << " the same, " << differing_ << " different on purpose, "
                        << unserved_ << " of routes that are not served yet");
  }

 private:
  testkit::HttpReply send(const json::value& entry) {
    testkit::HttpClient client("127.0.0.1", server_.port());
    const json::value& body = entry.at("body");
    std::string text;
    if (body.is_string()) {
      text = body.as_string();
    } else if (!body.is_null()) {
      text = json::serialize(body);
    }
    return client.request(std::string(entry.at("method").as_string()),
                          std::string(entry.at("path").as_string()), {}, text);
  }

  void compare(const json::value& entry, const std::string& name) {
    ++compared_;
    const testkit::HttpReply reply = send(entry);
    INFO(name << ": " << reply.body.substr(0, 600));
    CHECK(reply.status == entry.at("status").to_number<int>());
    CHECK(reply.header("content-type") == std::string(entry.at("content_type").as_string()));
    json::value expected = read_json(folder_ / std::string(entry.at("file").as_string()));
    if (!entry.at("raw_json").as_bool()) {
      CHECK(metric_names(reply.body) == metric_names(std::string(expected.at("text").as_string())));
      return;
    }
    json::value found = json::parse(reply.body);
    cut_installation(expected, installation_);
    cut_installation(found, installation_);
    for (const std::string& line : shortfalls(expected, found, varying_)) FAIL_CHECK(line);
  }

  fs::path folder_;
  YAML::Node plan_;
  ObserverServer server_;
  Volatile varying_;
  std::set<std::string> installation_;
  std::set<std::string> same_;
  std::size_t compared_ = 0;
  std::size_t differing_ = 0;
  std::size_t unserved_ = 0;
};

TEST_CASE("recorded calls of the reference program are answered alike") {
  const std::optional<fs::path> folder = recordings_folder();
  if (!folder) {
    WARN("SKIPPED: no recordings; set GANTRY_SHARED to the folder that holds golden/");
    SUCCEED();
    return;
  }
  Replay(*folder).run();
}

}  // namespace
}  // namespace gantry::conformance
