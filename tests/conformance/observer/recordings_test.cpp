// SPDX-License-Identifier: Apache-2.0
// Replays recorded calls of the reference program, when they are at hand: in $GANTRY_SHARED, or in
// ../shared beside the source tree. They are not part of this repository.
#include <catch2/catch.hpp>
#include <gantry/testkit/net_client.hpp>

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/regex.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
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

/// Names that each server makes up for itself: a later request means its own.
class OwnNames {
 public:
  void learn(const json::value& theirs, const json::value& ours) {
    if (const json::object* object = theirs.if_object(); object && ours.is_object()) {
      for (const auto& [key, value] : *object) {
        const json::value* other = ours.get_object().if_contains(key);
        if (other != nullptr) learn(value, *other);
      }
    } else if (const json::array* array = theirs.if_array(); array && ours.is_array()) {
      for (std::size_t i = 0; i < std::min(array->size(), ours.get_array().size()); ++i) {
        learn((*array)[i], ours.get_array()[i]);
      }
    } else if (theirs.is_string() && ours.is_string()) {
      learn_text(std::string(theirs.get_string()), std::string(ours.get_string()));
    }
  }

  [[nodiscard]] std::string applied_to(std::string text) const {
    for (const auto& [theirs, ours] : names_) {
      for (std::size_t at = 0; (at = text.find(theirs, at)) != std::string::npos;) {
        text.replace(at, theirs.size(), ours);
        at += ours.size();
      }
    }
    return text;
  }

 private:
  void learn_text(const std::string& theirs, const std::string& ours) {
    static const boost::regex kMade("(tt|snap|ct|mock:\\d+|trace|rep):?-?[0-9a-f]+");
    if (theirs != ours && boost::regex_match(theirs, kMade) && boost::regex_match(ours, kMade)) {
      names_.emplace(theirs, ours);
    }
  }

  std::map<std::string, std::string> names_;
};

/// What recordings.yaml says about a recording that is answered differently on purpose.
struct Difference {
  int status = 0;                 ///< 0: the recorded one
  bool whole = true;              ///< nothing but the status is compared
  std::set<std::string> members;  ///< with these the rest is compared
};

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
    for (const auto& row : plan_["differs"]) {
      Difference& difference = differs_[row.first.as<std::string>()];
      REQUIRE_FALSE(row.second["why"].as<std::string>().empty());
      difference.status = row.second["status"].as<int>(0);
      for (const YAML::Node& name : row.second["members"]) {
        difference.members.insert(name.as<std::string>());
        difference.whole = false;
      }
    }
  }

  void run() {
    const json::value index = read_json(folder_ / "index.json");
    for (const json::value& entry : index.at("entries").as_array()) {
      const std::string name(entry.at("name").as_string());
      const auto found = differs_.find(name);
      compare(entry, name, found != differs_.end() ? &found->second : nullptr);
      differing_ += found != differs_.end() ? 1U : 0U;
      ++compared_;
    }
    CHECK(differing_ == differs_.size());
    WARN("recordings: " << compared_ - differing_ << " the same, " << differing_
                        << " different on purpose");
  }

 private:
  testkit::HttpReply send(const json::value& entry) {
    testkit::HttpClient client("127.0.0.1", server_.port(), std::chrono::seconds(30));
    const json::value& body = entry.at("body");
    std::string text;
    if (body.is_string()) {
      text = body.as_string();
    } else if (!body.is_null()) {
      text = json::serialize(body);
    }
    return client.request(std::string(entry.at("method").as_string()),
                          names_.applied_to(std::string(entry.at("path").as_string())), {},
                          names_.applied_to(text));
  }

  void compare(const json::value& entry, const std::string& name, const Difference* difference) {
    const testkit::HttpReply reply = send(entry);
    INFO(name << ": " << reply.body.substr(0, 600));
    const int status = difference != nullptr && difference->status != 0
                           ? difference->status
                           : entry.at("status").to_number<int>();
    CHECK(reply.status == status);
    if (difference != nullptr && difference->whole) {
      CHECK(json::parse(reply.body).is_object());
      return;
    }
    CHECK(reply.header("content-type") == std::string(entry.at("content_type").as_string()));
    json::value expected = read_json(folder_ / std::string(entry.at("file").as_string()));
    if (!entry.at("raw_json").as_bool()) {
      CHECK(metric_names(reply.body) == metric_names(std::string(expected.at("text").as_string())));
      return;
    }
    json::value found = json::parse(reply.body);
    names_.learn(expected, found);
    expected = json::parse(names_.applied_to(json::serialize(expected)));
    cut_installation(expected, installation_);
    cut_installation(found, installation_);
    if (difference != nullptr) {
      for (const std::string& member : difference->members) erase_member(expected, member);
    }
    for (const std::string& line : shortfalls(expected, found, varying_)) FAIL_CHECK(line);
  }

  static void erase_member(json::value& value, const std::string& name) {
    if (json::object* object = value.if_object()) {
      object->erase(name);
      for (auto& member : *object) erase_member(member.value(), name);
    } else if (json::array* array = value.if_array()) {
      for (json::value& element : *array) erase_member(element, name);
    }
  }

  fs::path folder_;
  YAML::Node plan_;
  ObserverServer server_;
  OwnNames names_;
  Volatile varying_;
  std::set<std::string> installation_;
  std::map<std::string, Difference> differs_;
  std::size_t compared_ = 0;
  std::size_t differing_ = 0;
};

TEST_CASE("recorded calls of the reference program are answered alike") {
  const std::optional<fs::path> folder = recordings_folder();
  if (!folder) {
    CHECK(std::getenv("GANTRY_SHARED") == nullptr);  // who names a folder wants it compared
    WARN("SKIPPED: no recordings; set GANTRY_SHARED to the folder that holds golden/");
    return;
  }
  Replay(*folder).run();
}

}  // namespace
}  // namespace gantry::conformance
