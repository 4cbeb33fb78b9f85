// SPDX-License-Identifier: Apache-2.0
#include "text_lines.hpp"

#include <algorithm>

namespace gantry::files {
namespace {

constexpr std::size_t kLookedAt = 8000;

}  // namespace

std::optional<LineView> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t at = text.find('\n');
  const std::string_view whole = text.substr(0, at == std::string_view::npos ? at : at + 1);
  text.remove_prefix(whole.size());
  std::size_t end = whole.ends_with('\n') ? 1 : 0;
  if (whole.ends_with("\r\n")) end = 2;
  return LineView{whole.substr(0, whole.size() - end), whole.substr(whole.size() - end)};
}

std::size_t count_lines(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  while (const auto line = take_line(text)) {
    out.push_back({std::string(line->text), std::string(line->end)});
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
