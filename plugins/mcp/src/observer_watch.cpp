// SPDX-License-Identifier: Apache-2.0
#include "observer_watch.hpp"

#include <utility>

namespace gantry::mcp {

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
                               std::function<void(std::uint64_t)> done) {
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
