// SPDX-License-Identifier: Apache-2.0
#include "media_types.hpp"

#include <algorithm>
#include <set>

#include "key_file.hpp"

namespace gantry::apps {
namespace {

constexpr std::string_view kEntrySuffix = ".desktop";

/// Applications in the order in which they are named, each once, none that is not installed.
class Order {
 public:
  explicit Order(const std::vector<DesktopEntry>& entries) : entries_(entries) {}

  void add(std::string_view id) {
    if (id.ends_with(kEntrySuffix)) id.remove_suffix(kEntrySuffix.size());
    if (!named_.insert(std::string(id)).second) return;
    const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                    [id](const DesktopEntry& e) { return e.info.id == id; });
    if (entry != entries_.end()) found_.push_back(&*entry);
  }
  void leave_out(std::string_view id) {
    if (id.ends_with(kEntrySuffix)) id.remove_suffix(kEntrySuffix.size());
    named_.insert(std::string(id));
  }
  [[nodiscard]] std::size_t size() const { return found_.size(); }
  /// The ids; behind the first `fixed`, programs for terminals go last.
  [[nodiscard]] std::vector<std::string> ids(std::size_t fixed) {
    std::stable_partition(found_.begin() + static_cast<std::ptrdiff_t>(fixed), found_.end(),
                          [](const DesktopEntry* e) { return !e->info.in_terminal; });
    std::vector<std::string> out;
    for (const DesktopEntry* entry : found_) out.push_back(entry->info.id);
    return out;
  }

 private:
  const std::vector<DesktopEntry>& entries_;
  std::vector<const DesktopEntry*> found_;
  std::set<std::string, std::less<>> named_;
};

std::vector<std::string> named_in(const std::string& text, std::string_view group,
                                  const std::string& media_type) {
  const auto groups = read_key_file(text);
  const auto found = groups.find(group);
  if (found == groups.end()) return {};
  const auto value = found->second.find(media_type);
  return value == found->second.end() ? std::vector<std::string>() : list_of(value->second);
}

}  // namespace

AppsForType apps_for_type(const std::string& media_type, const Associations& associations,
                          const std::vector<DesktopEntry>& entries) {
  Order order(entries);
  AppsForType out;
  out.media_type = media_type;
  for (const std::string& file : associations.mimeapps) {
    for (const auto& id : named_in(file, "Default Applications", media_type)) order.add(id);
  }
  const std::size_t chosen = order.size();
  out.chosen = chosen != 0;
  for (const std::string& file : associations.mimeapps) {
    for (const auto& id : named_in(file, "Added Associations", media_type)) order.add(id);
    for (const auto& id : named_in(file, "Removed Associations", media_type)) order.leave_out(id);
  }
  for (const std::string& file : associations.mimeinfo) {
    for (const auto& id : named_in(file, "MIME Cache", media_type)) order.add(id);
  }
  for (const DesktopEntry& entry : entries) {
    const auto& types = entry.media_types;
    if (std::find(types.begin(), types.end(), media_type) != types.end()) order.add(entry.info.id);
  }
  out.apps = order.ids(chosen);
  return out;
}

}  // namespace gantry::apps
