// SPDX-License-Identifier: Apache-2.0
#include "capture.hpp"

#include "visual.hpp"

#include <xcb/composite.h>
#include <xcb/xfixes.h>

#include <algorithm>
#include <utility>

namespace gantry::x11 {

namespace {

std::optional<CursorImage> read_cursor(const Session& session, std::uint64_t* state) {
  if (!session.extensions().xfixes) return std::nullopt;
  const auto reply = fetch_or_null<xcb_xfixes_get_cursor_image_reply>(
      session.xcb(), xcb_xfixes_get_cursor_image(session.xcb()));
  if (!reply) return std::nullopt;
  *state = (static_cast<std::uint64_t>(reply->cursor_serial) << 32) |
           (static_cast<std::uint64_t>(static_cast<std::uint16_t>(reply->x)) << 16) |
           static_cast<std::uint16_t>(reply->y);
  CursorImage cursor{{reply->x - reply->xhot, reply->y - reply->yhot, reply->width, reply->height},
                     {}};
  const std::uint32_t* pixels = xcb_xfixes_get_cursor_image_cursor_image(reply.get());
  cursor.argb.assign(pixels, pixels + xcb_xfixes_get_cursor_image_cursor_image_length(reply.get()));
  return cursor;
}

Result<Rect> root_area(const Session& session) {
  // Not the setup block: the root may have been resized since.
  GANTRY_ASSIGN(const auto root, fetch<xcb_get_geometry_reply>(
                                     session.xcb(), xcb_get_geometry(session.xcb(), session.root()),
                                     "asking for the size of the screen"));
  return Rect{0, 0, root->width, root->height};
}

Error outside(const Rect& wanted, const Rect& available, std::string_view target) {
  return {Code::OutOfRange,
          "capturing " + to_text(wanted) + ": it lies outside the " + std::string(target) +
              ", which is " + to_text(available),
          {}};
}

/// Whether the root window does not show all of `window`.
bool covered(const WindowList& list, const Window& window, const Rect& screen) {
  if (!screen.contains(window.bounds)) return true;
  return std::any_of(list.windows.begin(), list.windows.end(), [&](const Window& other) {
    return other.stacking > window.stacking && other.mapped && !other.minimized &&
           !intersection(grown(other.client, other.frame), window.bounds).empty();
  });
}

Frame frame_of(std::span<const std::uint8_t> bytes, const PixelLayout& layout, const Rect& area,
               Buffer in_place) {
  Frame frame;
  frame.area = area;
  frame.image = {area.width, area.height, layout.stride(area.width), PixelFormat::Bgrx8, {}};
  if (layout.is_bgrx()) {
    frame.image.pixels = std::move(in_place);
  } else {
    frame.image.stride = area.width * 4;
    frame.image.pixels = Buffer::of(to_bgrx(bytes, layout, area.width, area.height));
  }
  return frame;
}

std::size_t image_size(const PixelLayout& layout, const Rect& area) {
  return static_cast<std::size_t>(layout.stride(area.width)) *
         static_cast<std::size_t>(area.height);
}

void paint_cursor(Frame& frame, const CursorImage& cursor) {
  // The pixels are ours alone until the frame is handed out, so writing into the buffer is safe.
  auto* bytes = const_cast<std::uint8_t*>(frame.image.pixels.data());
  draw_cursor({bytes, frame.image.pixels.size()}, frame.image.stride, frame.area, cursor);
}

}  // namespace

void ScreenCapture::forget_other_sessions(const SessionPtr& session) {
  if (generation_ == session->generation()) return;
  generation_ = session->generation();
  tracks_.clear();
  shm_works_ = true;
}

void ScreenCapture::trim() {
  const std::lock_guard lock(mutex_);
  pool_.trim();
  if (const SessionPtr session = connection_.current();
      session && session->generation() == generation_) {
    for (const auto& [window, track] : tracks_) {
      if (track.redirected) {
        xcb_composite_unredirect_window(session->xcb(), window, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
      }
    }
  }
  tracks_.clear();
}

ScreenCapture::Track& ScreenCapture::track_of(const SessionPtr& session, xcb_window_t window) {
  Track& track = tracks_[window];
  if (!track.damage.active()) track.damage = DamageWatch(session, window);
  return track;
}

/// A new serial when something was drawn since the last call, or when that cannot be known. Damage
/// is taken away before the grab that follows, so a change in between is reported once too often
/// and never missed.
void ScreenCapture::note_changes(Track& track) {
  if (track.damage.changed().value_or(true) || track.serial == 0) track.serial = ++last_serial_;
}

ScreenCapture::Source ScreenCapture::root_pixels(const Session& session) {
  return {session.root(), {0, 0}, session.screen().root_depth, session.screen().root_visual, false};
}

Result<ScreenCapture::Source> ScreenCapture::own_pixels(const Session& session,
                                                        const Window& window) {
  const auto attributes_cookie = xcb_get_window_attributes(session.xcb(), window.id);
  const auto geometry_cookie = xcb_get_geometry(session.xcb(), window.id);
  // Both replies are taken before either is looked at: an untaken one stays in memory.
  auto attributes_reply = fetch<xcb_get_window_attributes_reply>(session.xcb(), attributes_cookie,
                                                                 "asking for the window's visual");
  auto geometry_reply = fetch<xcb_get_geometry_reply>(session.xcb(), geometry_cookie,
                                                      "asking for the window's geometry");
  GANTRY_ASSIGN(const auto attributes, std::move(attributes_reply));
  GANTRY_ASSIGN(const auto geometry, std::move(geometry_reply));
  // The pixmap of a window begins at the outer corner of its border.
  const Point corner{window.client.x - geometry->border_width,
                     window.client.y - geometry->border_width};
  return Source{window.id, corner, geometry->depth, attributes->visual, true};
}

Result<Frame> ScreenCapture::screen(const FrameRequest& request) {
  GANTRY_ASSIGN(const SessionPtr session, connection_.session());
  const X11Connection::Call call(connection_);
  const std::lock_guard lock(mutex_);
  forget_other_sessions(session);
  GANTRY_ASSIGN(const Rect whole, root_area(*session));
  const Rect area = request.region ? intersection(*request.region, whole) : whole;
  if (area.empty()) return outside(*request.region, whole, "screen");
  return finish(session, track_of(session, session->root()), root_pixels(*session), area, request);
}

Result<Frame> ScreenCapture::window(xcb_window_t id, const FrameRequest& request,
                                    const Patience& patience) {
  GANTRY_ASSIGN(const SessionPtr session, connection_.session());
  const X11Connection::Call call(connection_);
  const std::lock_guard lock(mutex_);
  forget_other_sessions(session);
  const std::string what = "capturing window " + id_text(id);
  // A window that is resized or closed between the list and the grab makes the grab fail; the next
  // look tells which of the two it was.
  constexpr int kLooks = 3;
  Result<Frame> frame = internal_error(what);
  for (int look = 0; look < kLooks; ++look) {
    GANTRY_ASSIGN(const WindowList list,
                  list_windows(*session, {}, {.popups = true, .processes = false}));
    forget_dead_windows(list, session->root());
    const Window* window = find_window(list, id);
    if (window == nullptr) {
      return not_found(what + ": there is no such window now; list the windows again");
    }
    if (!window->mapped || window->minimized) {
      return failed_precondition(what + " '" + window->title + "': it is " +
                                 (window->minimized ? "minimised" : "not mapped") +
                                 " and has no pixels; activate it first");
    }
    frame = listed_window(session, list, *window, request, patience);
    if (frame.ok()) return frame;
    const Code code = frame.error().code;
    if (code != Code::NotFound && code != Code::FailedPrecondition) break;
  }
  return std::move(frame).error().with_context(what);
}

void ScreenCapture::forget_dead_windows(const WindowList& list, xcb_window_t root) {
  std::erase_if(tracks_, [&](const auto& entry) {
    return entry.first != root && find_window(list, entry.first) == nullptr;
  });
}

Result<Frame> ScreenCapture::listed_window(const SessionPtr& session, const WindowList& list,
                                           const Window& window, const FrameRequest& request,
                                           const Patience& patience) {
  const Rect area = request.region ? intersection(*request.region, window.bounds) : window.bounds;
  if (area.empty()) return outside(*request.region, window.bounds, "window");
  GANTRY_ASSIGN(const Rect screen, root_area(*session));
  Track& track = track_of(session, window.id);
  if (std::exchange(track.bounds, window.bounds) != window.bounds) track.serial = 0;
  const bool hidden = covered(list, window, screen);
  if (hidden && session->extensions().composite) {
    GANTRY_ASSIGN(const Source source, own_pixels(*session, window));
    redirect(session, window.id, track, patience);
    return finish(session, track, source, area, request);
  }
  const Rect visible = intersection(area, screen);
  if (visible.empty()) return outside(window.bounds, screen, "screen");
  GANTRY_ASSIGN(Frame frame, finish(session, track, root_pixels(*session), visible, request));
  if (hidden && !frame.unchanged) frame.route = "the screen, without what lies below other windows";
  return frame;
}

void ScreenCapture::redirect(const SessionPtr& session, xcb_window_t window, Track& track,
                             const Patience& patience) {
  if (std::exchange(track.redirected, true)) return;
  xcb_composite_redirect_window(session->xcb(), window, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
  // The new pixmap begins with what the screen showed, covering windows included; the server then
  // sends the program an expose for the covered parts. Wait until it has drawn and gone quiet.
  constexpr std::int64_t kQuiet = 40'000'000;
  const Patience limit = patience.at_most(400ms);
  std::int64_t quiet_since = limit.now();
  for (bool drawn = false; !drawn || limit.now() - quiet_since < kQuiet;) {
    const auto changed = track.damage.changed();
    if (changed.value_or(false)) {
      drawn = true;
      quiet_since = limit.now();
      track.serial = ++last_serial_;
    }
    if (!changed || !limit.pause(5ms)) return;
  }
}

Result<Frame> ScreenCapture::finish(const SessionPtr& session, Track& track, const Source& source,
                                    const Rect& area, const FrameRequest& request) {
  note_changes(track);
  std::optional<CursorImage> cursor;
  std::uint64_t pointer_state = track.pointer_state;
  if (request.cursor) cursor = read_cursor(*session, &pointer_state);
  if (std::exchange(track.pointer_state, pointer_state) != pointer_state)
    track.serial = ++last_serial_;
  const std::uint64_t serial = track.damage.active() ? track.serial : 0;
  if (serial != 0 && serial == request.unless_serial)
    return Frame{true, {}, area, serial, "XDamage"};

  Source readable = source;
  if (source.composite) {
    // Named anew for each grab: a name goes stale with every resize and map, and naming costs
    // nothing.
    readable.drawable = xcb_generate_id(session->xcb());
    xcb_composite_name_window_pixmap(session->xcb(), source.drawable, readable.drawable);
  }
  auto frame = grab(session, readable, area);
  if (source.composite) {
    xcb_free_pixmap(session->xcb(), readable.drawable);
    session->flush();
  }
  if (!frame) return frame;
  if (cursor) paint_cursor(*frame, *cursor);
  frame->serial = serial;
  return frame;
}

Result<Frame> ScreenCapture::grab(const SessionPtr& session, const Source& source,
                                  const Rect& area) {
  GANTRY_ASSIGN(const PixelLayout layout, pixel_layout(*session, source.depth, source.visual));
  const auto x = static_cast<std::int16_t>(area.x - source.origin.x);
  const auto y = static_cast<std::int16_t>(area.y - source.origin.y);
  const auto width = static_cast<std::uint16_t>(area.width);
  const auto height = static_cast<std::uint16_t>(area.height);
  const std::size_t size = image_size(layout, area);
  if (shm_works_) {
    if (auto segment = pool_.take(session, size)) {
      const auto cookie = xcb_shm_get_image(session->xcb(), source.drawable, x, y, width, height,
                                            ~0U, XCB_IMAGE_FORMAT_Z_PIXMAP, (*segment)->id(), 0);
      auto reply = fetch<xcb_shm_get_image_reply>(session->xcb(), cookie, "grabbing pixels");
      if (!reply) return std::move(reply).error();
      const auto bytes = (*segment)->bytes().first(size);
      Frame frame = frame_of(bytes, layout, area, Buffer::wrap(bytes, [keep = *segment] {}));
      frame.route = source.composite ? "XComposite+XShm" : "XShm";
      return frame;
    }
    shm_works_ = false;  // a server on another machine: that does not change within a session
  }
  const auto cookie = xcb_get_image(session->xcb(), XCB_IMAGE_FORMAT_Z_PIXMAP, source.drawable, x,
                                    y, width, height, ~0U);
  auto reply = fetch<xcb_get_image_reply>(session->xcb(), cookie, "grabbing pixels");
  if (!reply) return std::move(reply).error();
  const std::span<const std::uint8_t> bytes(
      xcb_get_image_data(reply->get()),
      static_cast<std::size_t>(xcb_get_image_data_length(reply->get())));
  if (bytes.size() < size)
    return Error{Code::DataLoss, "the X server sent fewer pixels than it promised", {}};
  Frame frame =
      frame_of(bytes, layout, area, layout.is_bgrx() ? Buffer::copy(bytes.first(size)) : Buffer());
  frame.route = source.composite ? "XComposite+XGetImage" : "XGetImage";
  return frame;
}

}  // namespace gantry::x11
