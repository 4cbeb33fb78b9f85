// SPDX-License-Identifier: Apache-2.0
//
// Values that several contracts share.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string>

namespace gantry {

/// A rectangle in absolute screen pixels. The origin is the platform's: on X11 the top left corner
/// of the whole desktop.
struct Rect {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;

  [[nodiscard]] bool empty() const { return width <= 0 || height <= 0; }
  [[nodiscard]] bool contains(std::int32_t px, std::int32_t py) const {
    return px >= x && py >= y && px - x < width && py - y < height;
  }
  friend bool operator==(const Rect&, const Rect&) = default;
};
BOOST_DESCRIBE_STRUCT(Rect, (), (x, y, width, height))

/// A contract's answer that has nothing to say but success.
struct Done {
  bool done = true;
};
BOOST_DESCRIBE_STRUCT(Done, (), (done))

/// A request without parameters.
struct Nothing {
  std::int32_t reserved = 0;
};
BOOST_DESCRIBE_STRUCT(Nothing, (), (reserved))

/// What an act is for. An adapter does the same with or without it; an adapter that plays a
/// scenario answers by it, and all of them may write it into their logs.
struct ActIntent {
  std::string tool;     // the observer's tool: "click_element", "set_value", …; empty: unknown
  std::string element;  // the element it is meant for, as in A11yNode::native; empty: none
};
BOOST_DESCRIBE_STRUCT(ActIntent, (), (tool, element))

}  // namespace gantry
