// SPDX-License-Identifier: Apache-2.0
// Runs the tables in talks/: raw frames in, frames out, against the real plugins with the scripted
// model.
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent_server.hpp"
#include "talk.hpp"

namespace gantry::conformance {
namespace {

/// Runs one table. `group` at a row starts a server of its own with that configuration.
class Table {
 public:
  explicit Table(std::set<std::string>& names) : names_(names) {}

  std::size_t run(const std::string& file) {
    const char* only = std::getenv("GANTRY_ONLY_ROW");
    std::size_t rows = 0;
    for (const YAML::Node& row : YAML::LoadFile(file)) {
      const auto name = row["name"].as<std::string>();
      INFO(file << ": " << name << " (" << row["rule"].as<std::string>() << ")");
      CHECK(names_.insert(name).second);
      if (!server_ || row["group"]) start(row["group"]);
      ++rows;
      if (only != nullptr && name.find(only) == std::string::npos) continue;
      Talk talk(*server_, std::to_string(names_.size()));
      try {
        talk.run(row["talk"]);
      } catch (const std::exception& problem) {
        FAIL_CHECK(problem.what());
      }
    }
    return rows;
  }

 private:
  void start(const YAML::Node& group) {
    std::map<std::string, std::string> config;
    if (group && group.IsMap()) {
      for (const auto& entry : group) {
        config[entry.first.as<std::string>()] = entry.second.as<std::string>();
      }
    }
    server_.reset();
    folder_ = std::make_unique<testkit::TempDir>();
    server_ = std::make_unique<AgentServer>(folder_->path(), std::move(config));
  }

  std::set<std::string>& names_;
  std::unique_ptr<testkit::TempDir> folder_;
  std::unique_ptr<AgentServer> server_;
};

TEST_CASE("every talk goes as the tables say") {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(GANTRY_AGENT_TALKS)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  std::set<std::string> names;
  std::size_t rows = 0;
  for (const std::string& file : files) rows += Table(names).run(file);
  CHECK(rows >= 200);
}

}  // namespace
}  // namespace gantry::conformance
