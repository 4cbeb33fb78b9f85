// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>

#include <filesystem>
#include <system_error>

namespace gantry::mock {
namespace {

namespace fs = std::filesystem;

/// As JSON that machines read; what is not known is left out by them.
struct ProblemDetail {
  std::string file;
  std::int32_t line = 0;
  std::string path;
  std::string found;
  std::string allowed;
};
BOOST_DESCRIBE_STRUCT(ProblemDetail, (), (file, line, path, found, allowed))

/// <prefix>/share/gantry/config/scenarios of the program <prefix>/bin/gantry.
fs::path installed_scenarios() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return program.parent_path().parent_path() / "share/gantry/config/scenarios";
}

}  // namespace

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

std::vector<std::string> folders_of(const Settings& settings) {
  std::vector<std::string> out = settings.scenario_roots;
  if (!settings.scenario.empty()) {
    const fs::path folder = fs::path(settings.scenario).parent_path();
    out.push_back(folder.empty() ? "." : folder.string());
  }
  if (const fs::path examples = installed_scenarios(); !examples.empty()) {
    out.push_back(examples.string());
  }
  return out;
}

Error error_of(const ScenarioProblem& problem) {
  Error error = invalid_argument(problem.message());
  error.detail = to_json(
      ProblemDetail{problem.file, problem.line, problem.path, problem.found, problem.allowed});
  return error;
}

}  // namespace gantry::mock
