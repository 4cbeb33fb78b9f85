// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tells clients that resources they subscribed to have changed: the window list, trees, sketches,
// pictures. Events of the desktop say what may have changed; drawn pixels, of which there are no
// events, are asked for by their serial while somebody wants a picture. Of pictures that clients
// may not have nothing is told, not even that they have changed. Each resource is told at most once
// in an interval, and the last change is always told. Strand only.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core.hpp"

namespace gantry::mcp {

/// What an address shows of the desktop.
struct WatchedResource {
  enum class Kind { Windows, Tree, Picture, Screen };
  Kind kind = Kind::Windows;
  std::string window_uid;  ///< Tree and Picture.
};

/// What is watched of a desktop. Answers come on the strand, or not at all.
class WatchedDesktop {
 public:
  struct Window {
    std::string uid;
    std::string handle;
    std::int64_t pid = 0;
    std::int32_t x = 0, y = 0;  ///< A point of it, screen pixels.
  };
  virtual ~WatchedDesktop() = default;
  virtual void windows(std::function<void(const std::vector<Window>&)> done) = 0;
  /// A number that grows whenever something is drawn; 0 when that cannot be known, nothing when
  /// clients may not have the picture. nullptr: of the whole screen. `known` is the last one.
  virtual void pixels(const Window* window, std::uint64_t known,
                      std::function<void(std::optional<std::uint64_t>)> done) = 0;
};

class ResourceWatch {
 public:
  using Reader = std::function<std::optional<WatchedResource>(const std::string& uri)>;
  /// `read` understands addresses; what it does not know is not watched.
  ResourceWatch(Core& core, WatchedDesktop& desktop, Reader read);
  ResourceWatch(const ResourceWatch&) = delete;
  ResourceWatch& operator=(const ResourceWatch&) = delete;

  void tree_changed(std::int64_t pid);
  /// Of the window with this handle; empty: of any.
  void window_changed(const std::string& handle);
  /// Somebody subscribed to something.
  void subscribed();
  void stop();

 private:
  void schedule();
  void flush();
  void tell(const std::vector<WatchedDesktop::Window>& windows);
  void look_at_pixels(const std::vector<WatchedDesktop::Window>& windows);
  void ask_pixels(const std::string& uri, const WatchedDesktop::Window* window);
  [[nodiscard]] bool changed(const std::string& uri, const WatchedResource& resource,
                             const WatchedDesktop::Window* window) const;

  Core& core_;
  WatchedDesktop& desktop_;
  Reader read_;
  std::set<std::int64_t> pids_;    // whose trees may have changed
  std::set<std::string> handles_;  // of windows that may have changed
  std::set<std::string> drawn_;    // addresses of pictures that have changed
  bool any_window_ = false;        // some window has changed, and it is not known which
  std::map<std::string, std::uint64_t> serials_;  // of pictures, by address
  std::set<std::string> owed_;   // addresses of pictures that changed before anybody looked
  std::set<std::string> shown_;  // addresses of pictures that clients may have
  std::shared_ptr<void> flushing_;
  std::shared_ptr<void> looking_;
  std::int64_t flushed_ns_ = 0;
  std::shared_ptr<int> life_ = std::make_shared<int>(0);
};

}  // namespace gantry::mcp
