// SPDX-License-Identifier: Apache-2.0
#pragma once
// The environment of applications, and the folders of the desktop (XDG Base Directory
// Specification). Values are immutable; current_environment() reads the process's own.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::apps {

/// Variables as NAME=VALUE.
class Environment {
 public:
  explicit Environment(std::vector<std::string> variables) : variables_(std::move(variables)) {}

  /// Empty when it is not set.
  [[nodiscard]] std::string get(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }
  /// What an application gets of it.
  [[nodiscard]] Environment for_application(const EnvironmentSettings& settings) const;

  /// Whether a window could show anywhere.
  [[nodiscard]] bool has_display() const;
  /// LC_ALL, LC_MESSAGES or LANG.
  [[nodiscard]] std::string language() const;
  /// The user's folder of `kind` (DATA, CONFIG) and the system's, the one that counts most first.
  [[nodiscard]] std::vector<std::string> folders(std::string_view kind) const;
  /// The path of an executable; `name` is a file name or an absolute path. Nothing: there is none.
  [[nodiscard]] std::optional<std::string> find_program(const std::string& name) const;

 private:
  std::vector<std::string> variables_;
};

[[nodiscard]] Environment current_environment();

}  // namespace gantry::apps
