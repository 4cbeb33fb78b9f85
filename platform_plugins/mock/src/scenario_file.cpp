// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "scenario.hpp"

namespace gantry::mock {
namespace {

namespace fs = std::filesystem;

/// Both without links and dots.
bool lies_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

std::optional<fs::path> real_path(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::canonical(path, error);
  if (error) return std::nullopt;
  return out;
}

/// The file that is meant, without links and dots.
std::optional<fs::path> locate(const fs::path& path, const std::vector<std::string>& folders) {
  std::vector<fs::path> places{path};
  if (path.is_relative()) {
    for (const std::string& folder : folders) places.push_back(fs::path(folder) / path);
  }
  for (const fs::path& place : places) {
    const std::optional<fs::path> file = real_path(place);
    if (!file) continue;
    for (const std::string& folder : folders) {
      const std::optional<fs::path> root = real_path(folder);
      if (root && lies_in(*file, *root)) return file;
    }
  }
  return std::nullopt;
}

ScenarioProblem unreadable_file(const std::string& file, std::string what) {
  ScenarioProblem problem;
  problem.file = file;
  problem.what = std::move(what);
  return problem;
}

}  // namespace

std::variant<Scenario, ScenarioProblem> load_scenario_file(const std::string& path,
                                                           const std::vector<std::string>& folders,
                                                           const ScenarioLimits& limits) {
  // What lies outside is answered like what does not exist: nobody learns which files there are.
  const std::optional<fs::path> file = locate(path, folders);
  if (!file) {
    ScenarioProblem problem = unreadable_file(
        path,
        "no such file in a scenario folder; put it into one, or add its folder to the key "
        "plugins.mock.config.scenario_roots");
    problem.allowed = fmt::format("{}", fmt::join(folders, ", "));
    return problem;
  }
  std::error_code error;
  if (!fs::is_regular_file(*file, error)) return unreadable_file(path, "is not a file");
  std::ifstream stream(*file, std::ios::binary);
  std::string text(limits.bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || (!stream.eof() && stream.fail())) {
    return unreadable_file(path, "cannot be read");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return parse_scenario(text, path, limits);
}

}  // namespace gantry::mock
