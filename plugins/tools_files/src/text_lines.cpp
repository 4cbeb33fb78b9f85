// SPDX-License-Identifier: Apache-2.0
#include "text_lines.hpp"

#include <algorithm>

namespace gantry::files {
namespace {

constexpr std::size_t kLookedAt = 8000;

}  // namespace

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  while (!text.empty()) {
    const std::size_t at = text.find('\n');
    if (at == std::string_view::npos) {
      out.push_back({std::string(text), ""});
      break;
    }
    const bool two = at > 0 && text[at - 1] == '\r';
    out.push_back({std::string(text.substr(0, two ? at - 1 : at)), two ? "\r\n" : "\n"});
    text.remove_prefix(at + 1);
  }
  return out;
}

std::string joined(const std::vector<Line>& lines) {
  std::string out;
  for (const Line& line : lines) out.append(line.text).append(line.end);
  return out;
}

std::string line_ending(std::string_view text) {
  bool any = false;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    if (at == 0 || text[at - 1] != '\r') return "\n";
    any = true;
  }
  return any ? "\r\n" : "\n";
}

std::string with_ending(std::string_view text, std::string_view ending) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool bare = text[i] == '\n' && (i == 0 || text[i - 1] != '\r');
    if (bare) {
      out += ending;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_binary(std::string_view bytes) {
  return bytes.substr(0, kLookedAt).find('\0') != std::string_view::npos;
}

std::string_view image_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") {
    return "image/webp";
  }
  return {};
}

}  // namespace gantry::files
