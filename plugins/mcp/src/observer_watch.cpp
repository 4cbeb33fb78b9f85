// SPDX-License-Identifier: Apache-2.0
#include "observer_watch.hpp"

#include <gantry/guard_presence.hpp>

#include <optional>
#include <utility>

namespace gantry::mcp {
namespace {

// What somebody must be allowed to use to be told that its picture has changed.
constexpr std::string_view kScreenTool = "get_full_screenshot";
constexpr std::string_view kWindowTool = "get_screenshot";

}  // namespace

void BusWatchedDesktop::windows(std::function<void(const std::vector<Window>&)> done) {
  host_.bus().call<ListWindows>({}, [done = std::move(done)](Result<Ref<WindowList>> list) {
    std::vector<Window> windows;
    if (list.ok()) {
      for (const WindowInfo& window : (*list)->windows) {
        windows.push_back(
            {window.uid, window.handle, window.pid, window.bounds.x, window.bounds.y});
      }
    }
    done(windows);
  });
}

void BusWatchedDesktop::pixels(const Window* window, std::uint64_t known,
                               std::function<void(std::optional<std::uint64_t>)> done) {
  may_look(window == nullptr ? kScreenTool : kWindowTool,
           [this, place = window == nullptr ? std::nullopt : std::optional(*window), known,
            done = std::move(done)](bool allowed) mutable {
             if (!allowed) return done(std::nullopt);
             look(place ? &*place : nullptr, known, std::move(done));
           });
}

void BusWatchedDesktop::may_look(std::string_view tool, std::function<void(bool)> done) {
  GuardAdmitRequest request;  // without a number: it is only asked, and holds no place in a budget
  request.tool = tool;
  request.kind = GuardKind::Picture;
  request.caller = "mcp:resources";
  host_.bus().call<GuardAdmit>(
      std::move(request), [this, done = std::move(done)](Result<Ref<GuardVerdict>> verdict) {
        if (verdict.ok()) return done((*verdict)->allowed);
        if (verdict.error().code != Code::Unavailable) return done(false);
        host_.bus().call<KernelPlugins>({}, [done](const Result<Ref<PluginInfoList>>& plugins) {
          done(!guard_installed(plugins));
        });
      });
}

void BusWatchedDesktop::look(const Window* window, std::uint64_t known,
                             std::function<void(std::optional<std::uint64_t>)> done) {
  CaptureRequest request;
  // The serial is of the whole target; one pixel is enough to be told it.
  request.region = Rect{0, 0, 1, 1};
  if (window != nullptr) {
    request.target = CaptureTarget::Window;
    request.handle = window->handle;
    request.region = Rect{window->x, window->y, 1, 1};
  }
  request.unless_serial = known;
  host_.bus().call<CaptureScreen>(std::move(request),
                                  [done = std::move(done)](Result<Ref<Capture>> capture) {
                                    done(capture.ok() ? (*capture)->serial : 0);
                                  });
}

}  // namespace gantry::mcp
