// SPDX-License-Identifier: Apache-2.0
#include "window_words.hpp"

#include <gantry/observed.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace gantry::rules {
namespace {

using observed::trim;

constexpr std::size_t kMostNames = 12;  // of a role
constexpr std::size_t kLongestName = 60;
constexpr std::size_t kMostRead = 600;

/// They hold others and are nothing to a person.
constexpr std::array<std::string_view, 8> kFrames{"Window",    "Pane",   "Root:", "Separator",
                                                  "ScrollBar", "Filler", "Frame", "Group"};

/// At most so many bytes of it, and no half of a character.
std::string_view head_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80) --most;
  return text.substr(0, most);
}

struct Seen {
  std::string_view role;
  std::string_view name;
};

/// One line of a tree; nothing when it is no element, or one that is not shown.
std::optional<Seen> read_line(std::string_view line) {
  constexpr std::string_view kBranch = "\u2514\u2500 ", kPlace = "  @(", kTimes = "\u00d7";
  const std::size_t branch = line.find(kBranch), place = line.rfind(kPlace);
  if (branch == line.npos || place == line.npos || place < branch) return std::nullopt;
  const std::string_view size = line.substr(std::min(line.find(") ", place), line.size()));
  const std::size_t times = size.find(kTimes);
  if (times == size.npos) return std::nullopt;
  const std::string_view wide = trim(size.substr(1, times - 1));
  const std::string_view high = trim(size.substr(times + kTimes.size()));
  if (wide.empty() || high.empty() || wide == "0" || high == "0") return std::nullopt;
  std::string_view words = line.substr(branch + kBranch.size(), place - branch - kBranch.size());
  Seen seen{words.substr(0, words.find(' ')), {}};
  words.remove_prefix(seen.role.size());
  if (!words.starts_with(" \"")) return seen;
  words.remove_prefix(2);
  // A value may follow the name, and marks in brackets.
  const std::size_t end = std::min({words.find("\" = "), words.find("\"  ["), words.rfind('"')});
  if (end != words.npos) seen.name = trim(words.substr(0, end));
  return seen;
}

struct Kind {
  std::string_view role;
  std::vector<std::string_view> names;
  std::size_t count = 0;
};

std::vector<Kind> kinds_of(std::string_view tree) {
  std::vector<Kind> kinds;
  while (!tree.empty()) {
    const std::size_t end = std::min(tree.find('\n'), tree.size());
    const auto seen = read_line(tree.substr(0, end));
    tree.remove_prefix(std::min(end + 1, tree.size()));
    if (!seen || std::find(kFrames.begin(), kFrames.end(), seen->role) != kFrames.end()) continue;
    auto kind = std::find_if(kinds.begin(), kinds.end(),
                             [&](const Kind& row) { return row.role == seen->role; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {seen->role, {}, 0});
    ++kind->count;
    if (!seen->name.empty()) kind->names.push_back(seen->name);
  }
  return kinds;
}

std::string line_of(const Kind& kind) {
  std::string out = "- " + std::to_string(kind.count) + " " + std::string(kind.role);
  const std::size_t shown = std::min(kind.names.size(), kMostNames);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string_view name = head_of(kind.names[i], kLongestName);
    out += (i == 0 ? ": " : ", ") + std::string(name);
    if (name.size() < kind.names[i].size()) out += "…";
  }
  if (kind.names.size() > shown) {
    out += " and " + std::to_string(kind.names.size() - shown) + " more";
  }
  return out;
}

/// The tool says why there is no text in the place of the text.
bool is_excuse(std::string_view read) {
  return read.starts_with("[OCR unavailable: ") || read.starts_with("[OCR failed: ");
}

bool was_cut(std::string_view tree) { return tree.ends_with("… [truncated]"); }

}  // namespace

std::string beginning(std::string_view text, std::size_t most) {
  const std::string_view head = head_of(text, most);
  if (head.size() == text.size()) return std::string(text);
  return std::string(head) + "… (" + std::to_string(text.size() - head.size()) +
         " bytes more are not shown)";
}

std::string window_words(std::string_view title, std::string_view tree, std::string_view read) {
  const std::vector<Kind> kinds = kinds_of(tree);
  const std::string_view words = is_excuse(read) ? std::string_view() : trim(read);
  if (kinds.empty() && words.empty()) return {};
  std::string out = title.empty() ? "The window" : '"' + std::string(title) + '"';
  out += kinds.empty() ? " shows:" : was_cut(tree) ? " has, in the part I looked at:" : " has:";
  for (const Kind& kind : kinds) out += '\n' + line_of(kind);
  if (!words.empty()) {
    if (!kinds.empty()) out += "\nIn its picture can be read:";
    out += '\n' + beginning(words, kMostRead);
  }
  return out;
}

}  // namespace gantry::rules
