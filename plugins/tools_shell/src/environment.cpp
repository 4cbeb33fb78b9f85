// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

namespace gantry::shell {
namespace {

constexpr std::array<std::string_view, 5> kOwnPrefixes{"GANTRY_", "WINDIE_", "GOCLAW_", "CORTASK_",
                                                       "OWUI_"};
constexpr std::array<std::string_view, 8> kSecretParts{
    "KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH", "COOKIE", "SESSION_BUS"};
/// Of the daemon, besides what is configured: how programs talk and reckon time.
constexpr std::array<std::string_view, 4> kUsual{"LANG", "LC_ALL", "LC_CTYPE", "TZ"};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

bool is_name(std::string_view name) {
  return !name.empty() && (name.front() < '0' || name.front() > '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

}  // namespace

bool may_set(std::string_view name) {
  const std::string upper_name = upper(name);
  return is_name(name) && !upper_name.starts_with("LD_") &&
         std::none_of(kOwnPrefixes.begin(), kOwnPrefixes.end(),
                      [&](std::string_view prefix) { return upper_name.starts_with(prefix); });
}

bool may_pass(std::string_view name) {
  const std::string upper_name = upper(name);
  return may_set(name) &&
         std::none_of(kSecretParts.begin(), kSecretParts.end(), [&](std::string_view part) {
           return upper_name.find(part) != std::string::npos;
         });
}

Result<void> check_environment(const EnvironmentSettings& settings) {
  for (const std::string& name : settings.pass) {
    if (may_pass(name)) continue;
    return invalid_argument("environment.pass must not name " + name +
                            ": commands get no variables of the daemon itself, of the loader or "
                            "that look like secrets; environment.set gives them a value of their "
                            "own");
  }
  for (const auto& [name, value] : settings.set) {
    if (may_set(name)) continue;
    return invalid_argument("environment.set must not name '" + name + "'");
  }
  return {};
}

std::vector<std::string> command_environment(const EnvironmentSettings& settings,
                                             std::string_view home) {
  std::map<std::string, std::string> out;
  out["PATH"] = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
  out["HOME"] = std::string(home);
  out["TERM"] = "dumb";
  const auto pass = [&out](const std::string& name) {
    if (const char* value = std::getenv(name.c_str())) out[name] = value;
  };
  for (const std::string_view name : kUsual) pass(std::string(name));
  for (const std::string& name : settings.pass) pass(name);
  for (const auto& [name, value] : settings.set) out[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : out) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace gantry::shell
