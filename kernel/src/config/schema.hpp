// SPDX-License-Identifier: Apache-2.0
// What a plugin's manifest says about its configuration keys, and the check of a value tree
// against it.
//
// A key in plugin.yaml:
//   port: {type: int, default: 5001, range: [0, 65535], doc: "…", reload: restart}
// Attributes: type, default, required, required_unless ({another key of the same map: [its
// values]}: required and not empty while that key has another value), range, values (enum), format
// (of a string: format.hpp), secret, doc, reload, env (names of environment variables that set it),
// items (spec of list elements), keys (specs of a map's fixed keys), entries (spec of the values of
// a map with free keys). Thread rules: plain values; share only as const.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/format.hpp"
#include "config/value.hpp"

namespace gantry::config {

enum class Type { kBool, kInt, kFloat, kString, kEnum, kList, kMap, kDuration, kBytes };
enum class Reload { kRestart, kLive };

/// "int", "duration", …: the word used in manifests.
std::string_view type_name(Type type);

struct KeySpec {
  std::string name;
  Type type = Type::kString;
  Value default_value;  ///< normalised (durations in ms, sizes in bytes); null when there is none
  bool required = false;
  std::string unless_key;  ///< required_unless; empty: none
  std::vector<std::string> unless_values;
  bool secret = false;
  bool files_only = false;       ///< no client may write it while the daemon runs
  std::optional<Format> format;  ///< of a string
  Reload reload = Reload::kRestart;
  std::optional<double> min;  ///< value, length of a list or of a string, ms, or bytes
  std::optional<double> max;
  std::vector<std::string> values;  ///< of an enum
  std::vector<std::string> env;
  std::string doc;
  std::shared_ptr<const KeySpec> items;
  std::shared_ptr<const KeySpec> entries;
  std::vector<KeySpec> keys;
  Origin origin;

  /// "int in 0…65535", "one of a, b": the "allowed" part of a refusal.
  std::string allowed() const;
};

struct Schema {
  std::vector<KeySpec> keys;

  const KeySpec* find(std::string_view name) const;
  std::vector<std::string> names() const;
};

/// Reads the `config:` map of a manifest. Every mistake in it is a diagnostic; keys with mistakes
/// are left out.
Schema parse_schema(const Value& keys, const std::string& path, Diagnostics& diagnostics);

/// Checks `given` (a map or null) and answers the complete, typed map: defaults filled in,
/// durations as int milliseconds, sizes as int bytes, secrets marked. `path` prefixes messages.
Value apply_schema(const Schema& schema, const Value& given, const std::string& path,
                   Diagnostics& diagnostics);

/// At most 64 of the letters a-z 0-9 _, and no section of the configuration: kernel, log.
bool is_plugin_name(std::string_view name);

/// Milliseconds of 250, "250", "250ms", "5s", "2m", "1h", "1d" or "1.5s".
std::optional<std::int64_t> parse_duration(std::string_view text);
/// Bytes of 512, "512", "10KiB", "10MiB", "1GiB", "10kB", "10MB", "1GB".
std::optional<std::int64_t> parse_bytes(std::string_view text);

}  // namespace gantry::config
