// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs tables of talks: rows with a name, the rule that they check, and what is said and heard. A
// row with `group` starts a server of its own, with that configuration; the rows after it use the
// same one.
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "known_keys.hpp"

namespace gantry::conformance {

/// Server(folder, configuration by plugin) and Talk(server, unique name).run(steps).
template <class Server, class Talk>
class TalkTables {
 public:
  /// All tables of a folder, in the order of their names. How many rows there were.
  static std::size_t run_folder(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    std::set<std::string> names;
    std::size_t rows = 0;
    for (const std::string& file : files) rows += TalkTables(names).run(file);
    return rows;
  }

 private:
  explicit TalkTables(std::set<std::string>& names) : names_(names) {}

  std::size_t run(const std::string& file) {
    const char* only = std::getenv("GANTRY_ONLY_ROW");
    std::size_t rows = 0;
    for (const YAML::Node& row : YAML::LoadFile(file)) {
      const auto name = row["name"].as<std::string>();
      INFO(file << ": " << name << " (" << row["rule"].as<std::string>() << ")");
      check_keys(row, {"name", "rule", "covers", "group", "talk"});
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

  void start(const YAML::Node& group) {
    std::map<std::string, std::string> config;
    if (group && group.IsMap()) {
      for (const auto& entry : group) {
        config[entry.first.as<std::string>()] = entry.second.as<std::string>();
      }
    }
    server_.reset();
    folder_ = std::make_unique<testkit::TempDir>();
    server_ = std::make_unique<Server>(folder_->path(), std::move(config));
  }

  std::set<std::string>& names_;
  std::unique_ptr<testkit::TempDir> folder_;
  std::unique_ptr<Server> server_;
};

}  // namespace gantry::conformance
