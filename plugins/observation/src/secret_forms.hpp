// SPDX-License-Identifier: Apache-2.0
#pragma once
// Other writings of a text that must not be written down: in other case, with escapes of patterns
// and selectors, as another number, all of it but one end. Pure; safe on any thread.

#include <string>
#include <string_view>
#include <vector>

namespace gantry::observation {

/// A text as patterns and selectors mean it: escapes such as \x41, \x{41}, \u0041, \u{41} and \.
/// are what they stand for, and what cannot be seen is gone.
[[nodiscard]] std::string meant_text(std::string_view text);

/// One writing of a number for all that are equal: "97531" for 97531.0 and 9.7531e4. Empty: the
/// text as a whole is no number.
[[nodiscard]] std::string number_form(std::string_view text);

/// A secret, made ready to be looked for.
struct SecretForms {
  explicit SecretForms(std::string_view secret);

  std::string meant;
  std::string lower;                 ///< `meant` in lower case.
  std::string number;                ///< number_form(), where it is one.
  std::vector<std::string> trimmed;  ///< Without the last letter, and without the first; where what
                                     ///< is left is long enough to mean this secret.
};

/// A text that may be a secret's other writing, made ready to look in.
struct SearchedText {
  explicit SearchedText(std::string_view text);

  /// `least`: bytes below which a writing is too common to mean the secret. In other case it needs
  /// at least six, because short words begin sentences and titles.
  [[nodiscard]] bool holds(const SecretForms& secret, std::size_t least) const;
  /// The same for what is left of the secret without one of its ends.
  [[nodiscard]] bool holds_trimmed(const SecretForms& secret) const;

  std::string meant;
  std::string lower;  ///< `meant` in lower case.
  std::string number;
};

}  // namespace gantry::observation
