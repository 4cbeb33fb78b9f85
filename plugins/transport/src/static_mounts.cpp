// SPDX-License-Identifier: Apache-2.0
#include "static_mounts.hpp"

#include <set>
#include <utility>

namespace gantry::transport {

StaticMounts::StaticMounts(Host& host, Server& server, const Settings& settings, Open open)
    : host_(host), server_(server), settings_(settings), open_(std::move(open)) {
  for (const auto& folder : settings_.folders) waiting_.push_back(&folder);
}

std::vector<const StaticSettings*> StaticMounts::take(const std::string& listener) {
  std::vector<const StaticSettings*> taken;
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const StaticSettings* folder) {
    if (folder->listener != listener) return false;
    taken.push_back(folder);
    return true;
  });
  return taken;
}

void StaticMounts::listener_serves(const std::string& listener) {
  for (const auto* folder : take(listener)) mount(*folder);
}

void StaticMounts::daemon_started() {
  std::set<std::string> listeners;
  {
    const std::lock_guard lock(mutex_);
    for (const auto* folder : waiting_) listeners.insert(folder->listener);
  }
  for (const auto& listener : listeners) {
    const auto own = settings_.listeners.find(listener);
    const bool known = own != settings_.listeners.end() && !own->second.address.empty();
    const Result<void> opened =
        known ? open_(listener)
              : Result<void>(unavailable(
                    "no plugin has opened the listener '" + listener + "', and it has no address",
                    "set transport.listeners." + listener + ".address"));
    if (opened.ok()) {
      listener_serves(listener);
    } else {
      complain(listener, opened.error().message);
    }
  }
}

/// The folders go on waiting: a plugin that failed is tried again, and may open the listener then.
void StaticMounts::complain(const std::string& listener, const std::string& reason) {
  std::vector<const StaticSettings*> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = waiting_;
  }
  for (const auto* folder : waiting) {
    if (folder->listener == listener) {
      refuse(*folder, reason, "name a listener that a plugin opens");
    }
  }
}

void StaticMounts::mount(const StaticSettings& folder) {
  StaticOptions options;
  options.listener = folder.listener;
  options.prefix = folder.prefix;
  options.folder = folder.folder;
  options.index = folder.index;
  options.max_bytes = static_cast<std::uint64_t>(folder.max_size);
  auto mounts = make_static_mounts(
      options, [&host = host_](std::function<void()> work) { host.blocking(std::move(work)); });
  if (const auto failure = server_.exchange({}, mounts)) {
    refuse(folder, failure->message,
           failure->kind == MountFailure::Kind::kExposed
               ? "set transport.listeners." + folder.listener + ".token"
               : "give the folder another prefix");
    return;
  }
  host_.healthy("static." + folder.prefix);
  host_.log().info(
      "serving a folder",
      {{"folder", folder.folder}, {"listener", folder.listener}, {"prefix", folder.prefix}});
}

void StaticMounts::refuse(const StaticSettings& folder, const std::string& reason,
                          const std::string& cure) {
  host_.degraded("static." + folder.prefix, reason, cure);
  host_.log().error("a folder is not served", {{"folder", folder.folder}, {"reason", reason}});
}

}  // namespace gantry::transport
