// SPDX-License-Identifier: Apache-2.0
// What the text of a key has to be besides a string: the `format` of a manifest. Each is a rule
// that a plugin applies when it starts, checked here so that `gantry check` and a reload know it
// before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::config {

enum class Format {
  kRegex,    ///< compiles as gantry::Pattern; "" is none
  kAddress,  ///< of a listener, "127.0.0.1:80", "[::1]:80", "localhost:80" or "unix:/path"; "" none
  kHost,     ///< of a listener, a numeric address or "localhost": names need a name server
  kPath,     ///< begins with a slash
  kFile,     ///< names a file that this process can read; "" is none
};

/// The words of manifests: regex, address, host, path, file.
std::vector<std::string> format_names();
std::optional<Format> parse_format(std::string_view name);

/// Why `text` is not of the format, or "" when it is.
std::string format_fault(Format format, const std::string& text);

}  // namespace gantry::config
