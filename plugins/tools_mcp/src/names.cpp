// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

namespace gantry::tools_mcp {
namespace {

/// With an underscore in the middle: a server and a tool could make them together.
constexpr std::array<std::string_view, 20> kOwnNames{"web_search",
                                                     "web_fetch",
                                                     "grounded_mouse_action",
                                                     "grounded_scroll_action",
                                                     "mouse_control",
                                                     "scroll_control",
                                                     "keyboard_control",
                                                     "switch_window",
                                                     "get_open_windows",
                                                     "get_system_stats",
                                                     "open_app",
                                                     "run_shell_command",
                                                     "read_file",
                                                     "write_file",
                                                     "list_files",
                                                     "search_files",
                                                     "read_clipboard",
                                                     "write_clipboard",
                                                     "patch_file",
                                                     "replace_in_file"};

std::string legal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-';
    out += good ? c : '_';
  }
  return out;
}

/// FNV-1a over server, a zero and the tool, folded to 32 bits.
std::string digits_of(const RemoteName& name) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : name.server + '\0' + name.tool) {
    hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001B3U;
  }
  auto rest = static_cast<std::uint32_t>(hash ^ (hash >> 32U));
  std::string out(8, '0');
  for (char& c : out) {
    c = "0123456789abcdef"[rest >> 28U];
    rest <<= 4U;
  }
  return out;
}

}  // namespace

bool is_own_name(std::string_view name) {
  return std::find(kOwnNames.begin(), kOwnNames.end(), name) != kOwnNames.end();
}

std::vector<std::string> tool_names(const std::vector<RemoteName>& tools) {
  std::vector<std::string> out;
  std::set<std::string> taken;
  for (const RemoteName& tool : tools) {
    std::string name = legal(tool.server) + '_' + legal(tool.tool);
    if (name.size() > kLongestName || is_own_name(name) || taken.contains(name)) {
      name.resize(std::min(name.size(), kLongestName - 9));
      name += '_' + digits_of(tool);
    }
    // Two whose digits are the same as well are told apart by their place.
    for (int place = 2; taken.contains(name); ++place) {
      const std::string mark = '_' + std::to_string(place);
      name.resize(std::min(name.size(), kLongestName - mark.size()));
      name += mark;
    }
    taken.insert(name);
    out.push_back(std::move(name));
  }
  return out;
}

bool fits(std::string_view pattern, std::string_view name) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

}  // namespace gantry::tools_mcp
