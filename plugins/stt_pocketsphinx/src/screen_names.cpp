// SPDX-License-Identifier: Apache-2.0
#include "screen_names.hpp"

#include <set>

namespace gantry::stt_pocketsphinx {
namespace {

void add_title(std::set<std::string>& out, const std::string& title) {
  out.insert(title);
  std::size_t at = 0;
  while (true) {
    const std::size_t dash = title.find(" - ", at);
    out.insert(title.substr(at, dash == std::string::npos ? dash : dash - at));
    if (dash == std::string::npos) return;
    at = dash + 3;
  }
}

bool is_named(const A11yNode& node) {
  return node.showing && !node.password && !node.name.empty() && node.name.size() <= kLongestName;
}

}  // namespace

std::vector<std::string> titles_of(const WindowList& windows) {
  std::set<std::string> titles;
  for (const WindowInfo& window : windows.windows) {
    add_title(titles, window.title);
    if (!window.app_id.empty()) titles.insert(window.app_id);
  }
  return {titles.begin(), titles.end()};
}

std::vector<std::string> names_in(const A11yTree& tree) {
  std::vector<std::string> out;
  std::set<std::string> known;
  for (const bool acting : {true, false}) {
    for (const A11yNode& node : tree.nodes) {
      if (out.size() == kMostNames) return out;
      if (node.actions.empty() == acting || !is_named(node)) continue;
      if (known.insert(node.name).second) out.push_back(node.name);
    }
  }
  return out;
}

}  // namespace gantry::stt_pocketsphinx
