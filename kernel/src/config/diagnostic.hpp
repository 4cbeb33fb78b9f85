// SPDX-License-Identifier: Apache-2.0
// What is wrong with a configuration or a manifest, said so that it can be fixed.
//
// Thread rules: plain values, no locking.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::config {

/// Where a value was written: a file name or a description such as "--set" or "environment".
struct Origin {
  std::string file;
  int line = 0;  ///< 1-based; 0 when the source has no lines

  /// "gantry.yaml:12", or only the file when there is no line.
  std::string to_string() const;
};

enum class Severity { kWarning, kError };

/// One finding. `path` is the dotted key ("plugins.transport.config.port").
struct Diagnostic {
  Severity severity = Severity::kError;
  Origin origin;
  std::string path;
  std::string message;

  /// "gantry.yaml:12: error: plugins.transport.config.port: found …, allowed …".
  std::string to_string() const;
};

/// Collects every finding of a pass, so that one run shows all of them.
class Diagnostics {
 public:
  void error(const Origin& origin, std::string path, std::string message);
  void warning(const Origin& origin, std::string path, std::string message);
  void append(const Diagnostics& other);

  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& items() const { return items_; }
  /// One finding a line.
  std::string to_string() const;

 private:
  std::vector<Diagnostic> items_;
  std::size_t errors_ = 0;
};

/// The nearest of `known` to `word` when it is near enough to be a typing slip, else "".
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// " Did you mean 'x'?" or "": the tail of a refusal that names an unknown word.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// "a, b, c".
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

}  // namespace gantry::config
