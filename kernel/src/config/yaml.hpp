// SPDX-License-Identifier: Apache-2.0
// YAML text to a Value tree. yaml-cpp stays inside yaml.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/value.hpp"

namespace gantry::config {

/// Bounds on hostile or mistaken input; exceeding one is an error that names it.
struct YamlLimits {
  std::size_t bytes = 4u << 20U;
  std::size_t nodes = 100'000;  ///< after aliases are followed
  int depth = 64;
};

/// Parses one document. Refuses syntax errors, repeated keys, keys that are no scalars, several
/// documents and everything over the limits. An empty document is an empty map.
std::optional<Value> parse_yaml(std::string_view text, const std::string& file,
                                Diagnostics& diagnostics, const YamlLimits& limits = {});

/// Reads and parses a file; a missing or unreadable file is an error with the system's reason.
std::optional<Value> load_yaml(const std::filesystem::path& file, Diagnostics& diagnostics,
                               const YamlLimits& limits = {});

/// Whole regular file as text, at most `limit` bytes. On failure `reason` says why. Never waits for
/// a writer: what is no regular file is refused.
std::optional<std::string> read_file(const std::filesystem::path& file, std::size_t limit,
                                     std::string& reason);

/// The value a plain (unquoted) scalar stands for: null, bool, int, float or text.
Value plain_scalar(std::string_view text);

}  // namespace gantry::config
