// SPDX-License-Identifier: Apache-2.0
// Files for tests: a private folder that goes away, and the tables of cases.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "config/yaml.hpp"

namespace gantry::test {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gantry-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const {
    auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// The repository's folder, as ctest passes it.
inline std::filesystem::path source_dir() {
  const char* dir = std::getenv("GANTRY_SOURCE_DIR");
  if (dir == nullptr) throw std::runtime_error("GANTRY_SOURCE_DIR is not set; run through ctest");
  return dir;
}

/// A table of cases: a YAML list.
inline config::Value load_cases(const std::filesystem::path& relative) {
  config::Diagnostics diagnostics;
  auto cases = config::load_yaml(source_dir() / relative, diagnostics);
  if (!cases || cases->as_list().empty()) throw std::runtime_error(diagnostics.to_string());
  return *cases;
}

/// A member as text ("" when there is none).
inline std::string text_of(const config::Value& value, std::string_view key) {
  const auto* member = value.find(key);
  return member != nullptr ? member->as_text() : std::string{};
}

}  // namespace gantry::test
