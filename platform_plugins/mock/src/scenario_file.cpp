// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gantry/path_roots.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "scenario.hpp"

namespace gantry::mock {
namespace {

namespace fs = std::filesystem;

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
  const std::optional<fs::path> file = find_in_roots(path, folders);
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
