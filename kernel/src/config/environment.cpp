// SPDX-License-Identifier: Apache-2.0
#include "config/environment.hpp"

#include <unistd.h>
#include <gantry/models_dir.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "config/yaml.hpp"

namespace gantry::config {
namespace {

constexpr std::string_view kFilePrefix = "file:";
constexpr std::size_t kLargestSecret = 64u << 10U;

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  for (const char c : name) {
    const bool fits =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!fits) return false;
  }
  return true;
}

// One `${…}` body ("NAME" or "NAME:-default"); an error message goes to `problem`.
std::string expand_one(std::string_view body, const Environment& environment,
                       std::string& problem) {
  const std::size_t dash = body.find(":-");
  const std::string name(body.substr(0, dash));
  if (!is_variable_name(name)) {
    problem =
        "'${" + std::string(body) + "}' names no environment variable; write $${ for a plain ${";
    return {};
  }
  const auto value = environment.get(name);
  if (dash != std::string_view::npos) {
    return value && !value->empty() ? *value : std::string(body.substr(dash + 2));
  }
  if (!value) {
    problem = "the environment variable " + name + " is not set; set it, or write ${" + name +
              ":-default}";
    return {};
  }
  return *value;
}

// Answers whether anything was replaced.
bool expand_text(const std::string& text, const Environment& environment, std::string& out,
                 std::string& problem) {
  bool replaced = false;
  std::size_t at = 0;
  while (at < text.size() && problem.empty()) {
    if (text.compare(at, 3, "$${") == 0) {
      out += "${";
      at += 3;
      replaced = true;
    } else if (text.compare(at, 2, "${") == 0) {
      const std::size_t end = text.find('}', at);
      if (end == std::string::npos) {
        problem = "'${' without '}'; write $${ for a plain ${";
        break;
      }
      out += expand_one(std::string_view(text).substr(at + 2, end - at - 2), environment, problem);
      at = end + 1;
      replaced = true;
    } else {
      out += text[at++];
    }
  }
  return replaced;
}

void read_secret_file(Value& value, const std::string& path, Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  fs::path file(value.as_text().substr(kFilePrefix.size()));
  if (file.is_relative()) file = fs::path(value.origin.file).parent_path() / file;
  std::string reason;
  auto text = read_file(file, kLargestSecret, reason);
  if (!text) {
    diagnostics.error(value.origin, path, "the secret's file " + file.string() + ": " + reason);
    return;
  }
  std::error_code ignored;
  const auto mode = fs::status(file, ignored).permissions();
  const auto others = fs::perms::group_read | fs::perms::others_read | fs::perms::others_write;
  if ((mode & others) != fs::perms::none) {
    diagnostics.warning(value.origin, path,
                        "the secret's file " + file.string() +
                            " can be read by others; chmod 600 " + file.string());
  }
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  Value content{std::move(*text)};
  content.origin = value.origin;
  content.secret = true;
  value = std::move(content);
}

}  // namespace

Environment Environment::process() {
  return {[](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): never set here
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  }};
}

Environment Environment::of(std::map<std::string, std::string> variables) {
  return {[variables = std::move(variables)](const std::string& name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional<std::string>(at->second);
  }};
}

Environment with_standard_dirs(Environment base, StandardDirs dirs) {
  const auto under = [](const Environment& environment, const std::string& variable,
                        const char* below) -> std::optional<std::string> {
    const auto dir = environment.get(variable);
    if (!dir || dir->empty()) return std::nullopt;
    return *dir + below;
  };
  return {[base = std::move(base), dirs = std::move(dirs),
           under](const std::string& name) -> std::optional<std::string> {
    if (auto value = base.get(name)) return value;
    const bool root = geteuid() == 0;
    if (name == "GANTRY_RUNTIME_DIR") {
      if (auto dir = under(base, "XDG_RUNTIME_DIR", "/gantry")) return dir;
      return root ? "/run/gantry" : "/tmp/gantry-" + std::to_string(geteuid());
    }
    if (name == "GANTRY_STATE_DIR") {
      if (!dirs.state.empty()) return dirs.state;
      if (auto dir = under(base, "XDG_STATE_HOME", "/gantry")) return dir;
      if (root) return "/var/lib/gantry";
      if (auto dir = under(base, "HOME", "/.local/state/gantry")) return dir;
    }
    if (name == "GANTRY_MODELS_DIR") {
      return models_dir(base.get, dirs.prefix, dirs.models).string();
    }
    return std::nullopt;
  }};
}

Environment only_places(Environment base) {
  return {[base = std::move(base)](const std::string& name) -> std::optional<std::string> {
    constexpr std::array<std::string_view, 7> kPlaces{
        "GANTRY_RUNTIME_DIR", "GANTRY_STATE_DIR", "GANTRY_MODELS_DIR", "HOME",
        "XDG_RUNTIME_DIR",    "XDG_STATE_HOME",   "XDG_CACHE_HOME"};
    if (std::find(kPlaces.begin(), kPlaces.end(), name) == kPlaces.end()) return std::nullopt;
    return base.get(name);
  }};
}

void expand_variables(Value& value, const Environment& environment, const std::string& path,
                      Diagnostics& diagnostics) {
  if (value.is_map()) {
    for (auto& entry : value.entries()) {
      expand_variables(entry.value, environment, join_path(path, entry.key), diagnostics);
    }
  } else if (value.is_list()) {
    std::size_t index = 0;
    for (auto& item : value.list()) {
      expand_variables(item, environment, path + "[" + std::to_string(index++) + "]", diagnostics);
    }
  } else if (value.is_text()) {
    std::string expanded;
    std::string problem;
    const bool replaced = expand_text(value.as_text(), environment, expanded, problem);
    if (!problem.empty()) return diagnostics.error(value.origin, path, problem);
    if (!replaced) return;
    Value fresh(expanded);
    fresh.origin = value.origin;
    fresh.spelling = expanded;
    fresh.loose = true;
    value = std::move(fresh);
  }
}

void read_secret_files(Value& value, const std::string& path, Diagnostics& diagnostics) {
  if (value.is_map()) {
    for (auto& entry : value.entries()) {
      read_secret_files(entry.value, join_path(path, entry.key), diagnostics);
    }
  } else if (value.is_list()) {
    std::size_t index = 0;
    for (auto& item : value.list()) {
      if (value.secret) item.secret = true;
      read_secret_files(item, path + "[" + std::to_string(index++) + "]", diagnostics);
    }
  } else if (value.secret && value.as_text().rfind(kFilePrefix, 0) == 0) {
    read_secret_file(value, path, diagnostics);
  }
}

}  // namespace gantry::config
