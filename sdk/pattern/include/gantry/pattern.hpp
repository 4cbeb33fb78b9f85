// SPDX-License-Identifier: Apache-2.0
#pragma once
// Regular expressions from clients and operators, in one syntax for those who check them and those
// who apply them. Perl syntax over Unicode text, which covers what clients of the observer protocol
// write in Python's; matching is bounded, so a hostile pattern costs milliseconds and not minutes.
// A static library that a plugin links for itself: nothing of it crosses to another plugin, and
// nothing of the library below it shows here.

#include <gantry/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gantry {

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
  /// True when the pattern matches all of `text`; bounded like search().
  [[nodiscard]] bool matches_whole(std::string_view text) const;
  /// Puts `with` in place of every match that is not empty; true when there was one. When the bound
  /// is reached the rest of the text stays as it is.
  bool replace_all(std::string& text, std::string_view with) const;
  /// How often the bound was reached since the last reset_effort(). After kMaxExhausted of them
  /// every further attempt is false at once, so that a hostile pattern over a whole tree stays
  /// bounded too.
  [[nodiscard]] int exhausted() const;
  void reset_effort() const;
  static constexpr int kMaxExhausted = 4;

 private:
  [[nodiscard]] bool match(std::string_view text, std::uint32_t options) const;

  struct Compiled;
  explicit Pattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace gantry
