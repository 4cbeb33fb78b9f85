// SPDX-License-Identifier: Apache-2.0
#pragma once
// Regular expressions from clients. Perl syntax over Unicode text, which covers what clients of the
// observer protocol write in Python's; matching is bounded, so a hostile pattern costs milliseconds
// and not minutes.

#include <gantry/result.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace gantry::observation {

class Pattern {
 public:
  /// Fails with InvalidArgument that names the position and the reason.
  [[nodiscard]] static Result<Pattern> compile(std::string_view expression);

  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  /// True when the pattern matches anywhere in `text` (valid UTF-8). False as well when the bound
  /// on matching effort was reached.
  [[nodiscard]] bool search(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace gantry::observation
