// SPDX-License-Identifier: Apache-2.0
#include "resource_watch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gantry::mcp {
namespace {

/// An application says a change in many pieces; they are told as one.
constexpr auto kGather = std::chrono::milliseconds(50);

const WatchedDesktop::Window* find_window(const std::vector<WatchedDesktop::Window>& windows,
                                          const std::string& uid) {
  const auto found = std::find_if(windows.begin(), windows.end(),
                                  [&](const auto& window) { return window.uid == uid; });
  return found == windows.end() ? nullptr : &*found;
}

bool is_picture(const WatchedResource& resource) {
  return resource.kind == WatchedResource::Kind::Picture ||
         resource.kind == WatchedResource::Kind::Screen;
}

}  // namespace

ResourceWatch::ResourceWatch(Core& core, WatchedDesktop& desktop, Reader read)
    : core_(core), desktop_(desktop), read_(std::move(read)) {}

void ResourceWatch::tree_changed(std::int64_t pid) {
  pids_.insert(pid);
  schedule();
}

void ResourceWatch::window_changed(const std::string& handle) {
  any_window_ = any_window_ || handle.empty();
  handles_.insert(handle);
  schedule();
}

void ResourceWatch::schedule() {
  if (flushing_) return;
  if (core_.hub.wanted().empty()) {
    pids_.clear();
    handles_.clear();
    any_window_ = false;
    return;
  }
  const auto interval = std::chrono::milliseconds(core_.settings.resources.update_interval);
  const std::int64_t since = core_.environment.now_ns() - flushed_ns_;
  const Duration pause = flushed_ns_ == 0 ? Duration(0) : Duration(interval) - Duration(since);
  flushing_ = core_.environment.after(std::max(pause, Duration(kGather)), [this] { flush(); });
}

void ResourceWatch::flush() {
  flushed_ns_ = core_.environment.now_ns();
  desktop_.windows([this, life = std::weak_ptr(life_)](const auto& windows) {
    if (!life.expired()) tell(windows);
  });
}

void ResourceWatch::tell(const std::vector<WatchedDesktop::Window>& windows) {
  for (const std::string& uri : core_.hub.wanted()) {
    const auto resource = read_(uri);
    if (!resource || !changed(uri, *resource, find_window(windows, resource->window_uid))) continue;
    if (is_picture(*resource) && !shown_.contains(uri)) {
      owed_.insert(uri);  // told when the next look finds that it may be told
    } else {
      core_.hub.resource(uri);
    }
  }
  pids_.clear();
  handles_.clear();
  drawn_.clear();
  any_window_ = false;
  flushing_.reset();
}

/// A window that is gone has changed too.
bool ResourceWatch::changed(const std::string& uri, const WatchedResource& resource,
                            const WatchedDesktop::Window* window) const {
  using Kind = WatchedResource::Kind;
  if (drawn_.contains(uri)) return true;
  if (resource.kind == Kind::Windows) return !handles_.empty();
  if (resource.kind == Kind::Screen) return !handles_.empty() || !pids_.empty();
  if (window == nullptr) return !handles_.empty();
  if (pids_.contains(window->pid)) return true;
  return any_window_ || handles_.contains(window->handle);
}

void ResourceWatch::subscribed() {
  if (looking_) return;
  const auto interval = std::chrono::milliseconds(core_.settings.resources.update_interval);
  const auto look = [this, life = std::weak_ptr(life_)](const auto& windows) {
    if (!life.expired()) look_at_pixels(windows);
  };
  const auto wanted = core_.hub.wanted();
  std::erase_if(owed_, [&wanted](const std::string& uri) { return !wanted.contains(uri); });
  const bool pictures = std::any_of(wanted.begin(), wanted.end(), [this](const std::string& uri) {
    const auto resource = read_(uri);
    return resource && is_picture(*resource);
  });
  if (!pictures) {
    shown_.clear();
    owed_.clear();
    return serials_.clear();
  }
  desktop_.windows(look);
  looking_ = core_.environment.after(interval, [this] {
    looking_.reset();
    subscribed();
  });
}

void ResourceWatch::look_at_pixels(const std::vector<WatchedDesktop::Window>& windows) {
  for (const std::string& uri : core_.hub.wanted()) {
    const auto resource = read_(uri);
    if (!resource || !is_picture(*resource)) continue;
    const auto* window = find_window(windows, resource->window_uid);
    if (resource->kind == WatchedResource::Kind::Screen || window != nullptr) {
      ask_pixels(uri, window);
    }
  }
}

void ResourceWatch::ask_pixels(const std::string& uri, const WatchedDesktop::Window* window) {
  const auto known = serials_.find(uri);
  desktop_.pixels(window, known == serials_.end() ? 0 : known->second,
                  [this, uri, life = std::weak_ptr(life_)](std::optional<std::uint64_t> serial) {
                    if (life.expired()) return;
                    const bool owed = owed_.erase(uri) > 0;
                    if (!serial) {
                      shown_.erase(uri);
                      serials_.erase(uri);
                      return;
                    }
                    shown_.insert(uri);
                    bool drawn = owed;
                    if (*serial != 0) {
                      std::uint64_t& seen = serials_.try_emplace(uri, *serial).first->second;
                      drawn = std::exchange(seen, *serial) != *serial || owed;
                    }
                    if (!drawn) return;
                    drawn_.insert(uri);
                    schedule();
                  });
}

void ResourceWatch::stop() {
  life_.reset();
  flushing_.reset();
  looking_.reset();
}

}  // namespace gantry::mcp
