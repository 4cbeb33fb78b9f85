// SPDX-License-Identifier: Apache-2.0
#include "glob.hpp"

#include <gantry/utf8.hpp>

#include <algorithm>

namespace gantry::files {
namespace {

constexpr std::size_t kLongest = 1000;
constexpr std::size_t kMostAlternatives = 64;

Error bad(std::string_view pattern, const std::string& what) {
  return invalid_argument("the glob '" + std::string(pattern.substr(0, 80)) + "' " + what);
}

/// Where the brace at `open` closes, and the commas of its own level; npos: nowhere.
std::size_t closing_brace(std::string_view pattern, std::size_t open,
                          std::vector<std::size_t>& commas) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '{') {
      ++depth;
    } else if (pattern[i] == '}' && --depth == 0) {
      return i;
    } else if (pattern[i] == ',' && depth == 1) {
      commas.push_back(i);
    }
  }
  return std::string_view::npos;
}

std::size_t first_brace(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '{') {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Result<std::vector<std::string>> Glob::alternatives(std::string_view pattern) {
  std::vector<std::string> done;
  std::vector<std::string> open{std::string(pattern)};
  while (!open.empty()) {
    const std::string one = std::move(open.back());
    open.pop_back();
    const std::size_t brace = first_brace(one);
    if (brace == std::string::npos) {
      done.push_back(one);
    } else {
      std::vector<std::size_t> commas;
      const std::size_t close = closing_brace(one, brace, commas);
      if (close == std::string::npos) return bad(pattern, "has a { without }");
      commas.push_back(close);
      std::size_t begin = brace + 1;
      for (const std::size_t end : commas) {
        open.push_back(one.substr(0, brace) + one.substr(begin, end - begin) +
                       one.substr(close + 1));
        begin = end + 1;
      }
    }
    if (done.size() + open.size() > kMostAlternatives) {
      return bad(pattern, "has more than " + std::to_string(kMostAlternatives) + " alternatives");
    }
  }
  return done;
}

Result<Glob::Token> Glob::class_of(std::string_view pattern, std::size_t& at) {
  Token out;
  out.kind = Kind::Class;
  std::size_t i = at + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) {
    out.inverted = true;
    ++i;
  }
  bool first = true;
  for (; i < pattern.size() && (pattern[i] != ']' || first); ++i, first = false) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    const auto low = static_cast<unsigned char>(pattern[i]);
    auto high = low;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      high = static_cast<unsigned char>(pattern[i + 2]);
      i += 2;
    }
    out.ranges.emplace_back(low, high);
  }
  if (i >= pattern.size()) return bad(pattern, "has a [ without ]");
  at = i + 1;
  return out;
}

Result<Glob::Tokens> Glob::tokens_of(std::string_view pattern) {
  Tokens out;
  for (std::size_t i = 0; i < pattern.size();) {
    const std::string_view rest = pattern.substr(i);
    if (rest.starts_with("**/") && (i == 0 || pattern[i - 1] == '/')) {
      out.push_back({Kind::Folders, 0, false, {}});
      i += 3;
    } else if (rest.starts_with("**")) {
      out.push_back({Kind::Everything, 0, false, {}});
      i += 2;
    } else if (rest.front() == '*') {
      out.push_back({Kind::Star, 0, false, {}});
      ++i;
    } else if (rest.front() == '?') {
      out.push_back({Kind::AnyCharacter, 0, false, {}});
      ++i;
    } else if (rest.front() == '[') {
      GANTRY_ASSIGN(Token set, class_of(pattern, i));
      out.push_back(std::move(set));
    } else {
      if (rest.front() == '\\' && rest.size() > 1) ++i;
      out.push_back({Kind::Byte, pattern[i], false, {}});
      ++i;
    }
  }
  return out;
}

Result<Glob> Glob::compile(std::string_view pattern) {
  if (pattern.empty() || pattern.size() > kLongest) {
    return bad(pattern, "must have 1 to " + std::to_string(kLongest) + " bytes");
  }
  Glob out;
  out.whole_path_ = pattern.find('/') != std::string_view::npos;
  GANTRY_ASSIGN(const std::vector<std::string> all, alternatives(pattern));
  for (const std::string& one : all) {
    GANTRY_ASSIGN(Tokens tokens, tokens_of(one));
    out.alternatives_.push_back(std::move(tokens));
  }
  return out;
}

bool Glob::matches(std::string_view path) const {
  if (!whole_path_) path = path.substr(path.rfind('/') + 1);
  return std::any_of(alternatives_.begin(), alternatives_.end(),
                     [path](const Tokens& tokens) { return match(tokens, path); });
}

/// Which beginnings of the path the tokens so far can have taken, token after token.
bool Glob::match(const Tokens& tokens, std::string_view path) {
  std::vector<bool> reached(path.size() + 1);
  reached[0] = true;
  for (const Token& token : tokens) {
    std::vector<bool> next(path.size() + 1);
    bool spreads = false;  // a star that has begun and goes on
    for (std::size_t i = 0; i <= path.size(); ++i) {
      const bool slash_before = i > 0 && path[i - 1] == '/';
      switch (token.kind) {
        case Kind::Star:
          spreads = (spreads && !slash_before) || reached[i];
          next[i] = spreads;
          break;
        case Kind::Everything:
          spreads = spreads || reached[i];
          next[i] = spreads;
          break;
        case Kind::Folders:
          next[i] = reached[i] || (spreads && slash_before);
          spreads = spreads || reached[i];
          break;
        case Kind::Byte:
          if (reached[i] && i < path.size() && path[i] == token.byte) next[i + 1] = true;
          break;
        case Kind::AnyCharacter:
          if (reached[i] && i < path.size() && path[i] != '/') {
            next[i + std::max<std::size_t>(1, codec::utf8_length(path.substr(i)))] = true;
          }
          break;
        case Kind::Class:
          if (reached[i] && i < path.size() && path[i] != '/') {
            const auto byte = static_cast<unsigned char>(path[i]);
            const bool in = std::any_of(
                token.ranges.begin(), token.ranges.end(),
                [byte](const auto& range) { return byte >= range.first && byte <= range.second; });
            if (in != token.inverted) next[i + 1] = true;
          }
          break;
      }
    }
    reached = std::move(next);
  }
  return reached[path.size()];
}

}  // namespace gantry::files
