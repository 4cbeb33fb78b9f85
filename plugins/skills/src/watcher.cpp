// SPDX-License-Identifier: Apache-2.0
#include "watcher.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace gantry::skills {
namespace {

constexpr std::uint32_t kChanges = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                   IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                   IN_ONLYDIR;
constexpr int kSettleMs = 50;  // editors write, rename and delete in one go
constexpr int kMostSettles = 20;

}  // namespace

Result<void> Watcher::start() {
  inotify_.reset(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  wake_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!inotify_ || !wake_) {
    return unavailable("folders cannot be watched: " + std::generic_category().message(errno),
                       "raise fs.inotify.max_user_instances");
  }
  thread_ = std::thread([this] { run(); });
  return {};
}

void Watcher::stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  thread_.join();
}

bool Watcher::add(const std::string& folder, const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (!inotify_) return false;
  const int watch = ::inotify_add_watch(inotify_.get(), folder.c_str(), kChanges);
  if (watch < 0) return false;
  keys_[watch].insert(key);
  return true;
}

void Watcher::remove(const std::string& key) {
  const std::lock_guard lock(mutex_);
  for (auto entry = keys_.begin(); entry != keys_.end();) {
    entry->second.erase(key);
    if (entry->second.empty()) {
      ::inotify_rm_watch(inotify_.get(), entry->first);
      entry = keys_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void Watcher::run() {
  std::set<std::string> changed;
  int settles = 0;
  while (true) {
    std::array<pollfd, 2> waits{{{inotify_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    const int ready = ::poll(waits.data(), waits.size(), changed.empty() ? -1 : kSettleMs);
    if (ready < 0 && errno != EINTR) return;
    if (waits[1].revents != 0) return;
    if (ready == 0 || ++settles > kMostSettles) {
      if (!changed.empty()) changed_(std::exchange(changed, {}));
      settles = 0;
      if (ready == 0) continue;
    }
    alignas(inotify_event) std::array<char, 16'384> events{};
    const ssize_t size = ::read(inotify_.get(), events.data(), events.size());
    const std::lock_guard lock(mutex_);
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, events.data() + at, sizeof event);
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        for (const auto& [watch, keys] : keys_) changed.insert(keys.begin(), keys.end());
        continue;
      }
      const auto found = keys_.find(event.wd);
      if (found == keys_.end()) continue;
      changed.insert(found->second.begin(), found->second.end());
      if ((event.mask & IN_IGNORED) != 0) keys_.erase(found);
    }
  }
}

}  // namespace gantry::skills
