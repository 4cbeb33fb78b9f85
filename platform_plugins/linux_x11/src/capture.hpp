// SPDX-License-Identifier: Apache-2.0
//
// Pixels of the screen and of windows. XDamage tells what changed, so a caller that knows the last
// serial is answered without a grab.
#pragma once

#include "connection.hpp"
#include "damage_watch.hpp"
#include "pixels.hpp"
#include "shm.hpp"
#include "windows.hpp"

#include <gantry/media.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::x11 {

struct Frame {
  bool unchanged = false;    // then `image` is empty
  Image image;               // Bgrx8
  Rect area;                 // what it shows, root pixels
  std::uint64_t serial = 0;  // 0: this server does not report damage
  std::string_view route;    // "XShm", "XComposite+XShm", "XGetImage", "XComposite+XGetImage"
};

struct FrameRequest {
  std::optional<Rect> region;  // root pixels; cut to the screen or window
  bool cursor = false;
  std::uint64_t unless_serial = 0;
};

/// Thread safe; grabs run one after another.
class ScreenCapture {
 public:
  explicit ScreenCapture(X11Connection& connection) : connection_(connection) {}

  /// The root window, or `region` of it. Errors: out_of_range (the region lies outside the screen),
  /// unavailable. [may block: a few round trips, about 1 ms for 1920x1080]
  Result<Frame> screen(const FrameRequest& request);
  /// One window without its frame, also when others cover it. Errors: not_found,
  /// failed_precondition (minimised or not mapped: it has no pixels), out_of_range. The first
  /// capture of a covered window waits until its program has drawn the covered parts. [may block]
  Result<Frame> window(xcb_window_t window, const FrameRequest& request, const Patience& patience);
  /// Gives idle memory back, here and (redirected windows) in the server. Called when nothing was
  /// captured for a while.
  void trim();

 private:
  /// What is known of one drawable between captures. `serial` is new after every change.
  struct Track {
    DamageWatch damage;
    std::uint64_t serial = 0;
    std::uint64_t pointer_state = 0;  // position and image of the pointer when it was last drawn
    Rect bounds;
    bool redirected = false;
  };
  /// What to read: a drawable whose pixel (0, 0) lies at `origin` of the root.
  struct Source {
    xcb_drawable_t drawable = XCB_NONE;
    Point origin;
    std::uint8_t depth = 0;
    xcb_visualid_t visual = 0;
    bool composite = false;
  };
  static Source root_pixels(const Session& session);
  static Result<Source> own_pixels(const Session& session, const Window& window);
  Result<Frame> listed_window(const SessionPtr& session, const WindowList& list,
                              const Window& window, const FrameRequest& request,
                              const Patience& patience);
  void forget_dead_windows(const WindowList& list, xcb_window_t root);
  Track& track_of(const SessionPtr& session, xcb_window_t window);
  void note_changes(Track& track);
  void redirect(const SessionPtr& session, xcb_window_t window, Track& track,
                const Patience& patience);
  Result<Frame> finish(const SessionPtr& session, Track& track, const Source& source,
                       const Rect& area, const FrameRequest& request);
  Result<Frame> grab(const SessionPtr& session, const Source& source, const Rect& area);
  void forget_other_sessions(const SessionPtr& session);

  X11Connection& connection_;
  std::mutex mutex_;
  ShmPool pool_;
  std::uint64_t generation_ = 0;
  std::map<xcb_window_t, Track> tracks_;
  std::uint64_t last_serial_ = 0;  // never repeats, not even over a restart of the server
  bool shm_works_ = true;
};

}  // namespace gantry::x11
