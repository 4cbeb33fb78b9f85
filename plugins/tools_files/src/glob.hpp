// SPDX-License-Identifier: Apache-2.0
#pragma once
// Patterns of paths: * (not /), ** (anything), **/ (any folders, also none), ? (one character but
// /), [a-z] [!a-z], {one,two}; \ takes the next character as it is. Matching takes time in the
// product of both lengths, whatever the pattern. Pure.

#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::files {

class Glob {
 public:
  /// InvalidArgument: too long, brackets or braces that do not close, too many alternatives.
  [[nodiscard]] static Result<Glob> compile(std::string_view pattern);

  /// A pattern without / looks at the last component of `path`, others at all of it.
  [[nodiscard]] bool matches(std::string_view path) const;

 private:
  enum class Kind { Byte, AnyCharacter, Star, Everything, Folders, Class };
  struct Token {
    Kind kind = Kind::Byte;
    char byte = 0;
    bool inverted = false;
    std::vector<std::pair<unsigned char, unsigned char>> ranges;
  };
  using Tokens = std::vector<Token>;

  static Result<std::vector<std::string>> alternatives(std::string_view pattern);
  static Result<Tokens> tokens_of(std::string_view pattern);
  static Result<Token> class_of(std::string_view pattern, std::size_t& at);
  static bool match(const Tokens& tokens, std::string_view path);

  std::vector<Tokens> alternatives_;
  bool whole_path_ = false;
};

}  // namespace gantry::files
