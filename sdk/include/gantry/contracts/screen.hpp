// SPDX-License-Identifier: Apache-2.0
//
// Screen capture.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gantry {

enum class CaptureTarget : std::uint8_t { Screen, Monitor, Window };
BOOST_DESCRIBE_ENUM(CaptureTarget, Screen, Monitor, Window)

struct CaptureRequest {
  CaptureTarget target = CaptureTarget::Screen;
  std::string handle;               // Window
  std::int32_t monitor = 0;         // Monitor
  std::optional<Rect> region;       // screen pixels, cut to the target
  bool cursor = false;              // draw the pointer into it
  std::uint64_t unless_serial = 0;  // not 0: answer without pixels when nothing changed since
};
BOOST_DESCRIBE_STRUCT(CaptureRequest, (), (target, handle, monitor, region, cursor, unless_serial))

struct Capture {
  bool unchanged = false;  // then `image` is empty
  Image image;
  Rect area;  // what the image shows, screen pixels
  std::uint64_t serial =
      0;              // grows with every change that the adapter saw of the target; 0: unknown
  std::string route;  // "XShm", "XComposite", "XGetImage", …
};
BOOST_DESCRIBE_STRUCT(Capture, (), (unchanged, image, area, serial, route))

/// Errors: not_found (window), out_of_range (region), failed_precondition (no pixels), unavailable.
struct CaptureScreen {
  static constexpr std::string_view kName = "gantry.screen.capture/1";
  static constexpr std::string_view kDoc =
      "Captures the screen, a monitor or a window as raw pixels.";
  using Request = CaptureRequest;
  using Response = Capture;
};

}  // namespace gantry
