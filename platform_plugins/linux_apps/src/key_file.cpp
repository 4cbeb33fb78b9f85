// SPDX-License-Identifier: Apache-2.0
#include "key_file.hpp"

namespace gantry::apps {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

char meant_by(char escape) {
  switch (escape) {
    case 's': return ' ';
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    default: return escape;
  }
}

}  // namespace

std::map<std::string, KeyGroup, std::less<>> read_key_file(std::string_view text) {
  std::map<std::string, KeyGroup, std::less<>> groups;
  KeyGroup* group = nullptr;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[' && line.back() == ']') {
      group = &groups[std::string(line.substr(1, line.size() - 2))];
      continue;
    }
    const std::size_t equals = line.find('=');
    if (group == nullptr || equals == std::string_view::npos) continue;
    group->emplace(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
  }
  return groups;
}

std::string unescaped(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool escape = value[i] == '\\' && i + 1 < value.size();
    out += escape ? meant_by(value[++i]) : value[i];
  }
  return out;
}

std::vector<std::string> list_of(std::string_view value) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    if (i < value.size() && value[i] == '\\') {
      ++i;
    } else if (i >= value.size() || value[i] == ';') {
      std::string part = unescaped(trimmed(value.substr(begin, i - begin)));
      if (!part.empty()) out.push_back(std::move(part));
      begin = i + 1;
    }
  }
  return out;
}

}  // namespace gantry::apps
