// SPDX-License-Identifier: Apache-2.0
// Where things are: one rule for a build tree and for an installation prefix.
//   <prefix>/bin/gantry  <prefix>/lib/gantry/plugins  <prefix>/share/gantry/config
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/cli.hpp"
#include "kernel.hpp"

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

fs::path installed_config_dir() { return fs::path(prefix_dir()) / "share/gantry/config"; }

fs::path find_main_file(const Invocation& invocation) {
  if (!invocation.config_file.empty()) return invocation.config_file;
  if (const auto named = environment("GANTRY_CONFIG"); !named.empty()) return named;
  std::vector<fs::path> places;
  if (const auto dir = environment("XDG_CONFIG_HOME"); !dir.empty()) {
    places.push_back(fs::path(dir) / "gantry/gantry.yaml");
  } else if (const auto home = environment("HOME"); !home.empty()) {
    places.push_back(fs::path(home) / ".config/gantry/gantry.yaml");
  }
  places.emplace_back("/etc/gantry/gantry.yaml");
  places.push_back(installed_config_dir() / "gantry.yaml");
  for (const auto& place : places) {
    std::error_code ignored;
    if (fs::exists(place, ignored)) return place;
  }
  return {};
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value == nullptr ? std::string{} : std::string(value);
}

std::string prefix_dir() {
  std::error_code error;
  const auto self = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string("/usr") : self.parent_path().parent_path().string();
}

plugin::PlanOptions plan_options(const Invocation& invocation) {
  plugin::PlanOptions options;
  auto& layers = options.layers;
  layers.environment = config::Environment::process();
  layers.main_file = find_main_file(invocation);
  if (!layers.main_file.empty()) {
    layers.profile_dirs.push_back(layers.main_file.parent_path() / "profiles");
  }
  const auto installed = installed_config_dir() / "profiles";
  std::error_code ignored;
  if (layers.profile_dirs.empty() ||
      !fs::equivalent(layers.profile_dirs.front(), installed, ignored)) {
    layers.profile_dirs.push_back(installed);
  }
  layers.profiles = invocation.profiles;
  if (layers.profiles.empty()) {
    if (const auto name = environment("GANTRY_PROFILE"); !name.empty()) {
      layers.profiles = {name};
      layers.profiles_from = "GANTRY_PROFILE";
    }
  }
  layers.sets = invocation.sets;
  layers.with_written = !invocation.safe_mode;
  options.vendor_dir = invocation.plugin_dir.empty() ? fs::path(prefix_dir()) / "lib/gantry/plugins"
                                                     : fs::path(invocation.plugin_dir);
  options.user = geteuid();
  options.safe_mode = invocation.safe_mode;
  options.host_version = plugin::Version::parse(kernel::version()).value_or(plugin::Version{});
  return options;
}

}  // namespace gantry::cli
