// SPDX-License-Identifier: Apache-2.0
#pragma once
// A folder with a workspace in it, and the tools on it as the plugin calls them.

#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "file_tools.hpp"

namespace gantry::files::testing {

namespace fs = std::filesystem;

inline std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string text_of(const Result<ToolResult>& result) {
  if (!result.ok()) return std::string(code_name(result.error().code));
  std::string out;
  for (const ContentBlock& block : result->content) out += block.text;
  return out;
}

/// work/ is the workspace, secret/ and workspace/ lie beside it.
struct Place {
  testkit::TempDir folder;
  fs::path top = fs::canonical(folder.path());
  fs::path work = top / "work";
  std::shared_ptr<Settings> settings = std::make_shared<Settings>();
  Resolver resolver = Resolver::Kernel;
  std::vector<std::string> more_roots;
  std::vector<std::string> hidden;

  Place() {
    put(work / "file", "inside\n");
    put(top / "secret/key", "private\n");
    put(top / "workspace/key", "private\n");
  }
  [[nodiscard]] Roots roots() const {
    std::vector<std::string> all{work.string()};
    all.insert(all.end(), more_roots.begin(), more_roots.end());
    return {std::move(all), hidden, resolver};
  }
  [[nodiscard]] Work at_work() const {
    return {settings, [] { return false; }, [] { return std::int64_t{0}; }};
  }
  [[nodiscard]] Result<ToolResult> read(const std::string& path, std::int64_t offset = 1,
                                        std::int64_t limit = 0) const {
    return files::read(roots(), at_work(), {path, offset, limit, ""});
  }
  [[nodiscard]] Result<ToolResult> write(const std::string& path, const std::string& text,
                                         bool must_be_new = false) const {
    return files::write(roots(), at_work(), {path, text, must_be_new, ""});
  }
  [[nodiscard]] Result<ToolResult> replace(const std::string& path,
                                           std::vector<Replacement> wishes) const {
    return files::replace(roots(), at_work(), {path, std::move(wishes), {}, ""});
  }
  [[nodiscard]] Result<ToolResult> patch(const std::string& text) const {
    return files::apply_patch(roots(), at_work(), {text, ""});
  }
  /// Names below the workspace, hidden ones too.
  [[nodiscard]] std::string names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(work)) {
      all.push_back(fs::relative(entry.path(), work).string());
    }
    std::sort(all.begin(), all.end());
    std::string out;
    for (const std::string& name : all) out += name + " ";
    return out;
  }
};

}  // namespace gantry::files::testing
