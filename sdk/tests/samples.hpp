// SPDX-License-Identifier: Apache-2.0
//
// Described types that the SDK's tests share.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/json.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gantry::samples {

enum class Colour : std::uint8_t { Red, Green };
BOOST_DESCRIBE_ENUM(Colour, Red, Green)

struct Point {
  std::int32_t x = 1;
  std::int32_t y = 2;
  friend bool operator==(const Point&, const Point&) = default;
};
BOOST_DESCRIBE_STRUCT(Point, (), (x, y))

/// One member of each kind that a contract may have.
struct Everything {
  bool flag = false;
  std::int8_t small = 0;
  std::uint8_t byte = 0;
  std::int64_t big = 0;
  std::uint64_t huge = 0;
  float single = 0;
  double real = 0;
  std::string text = "default";
  Colour colour = Colour::Green;
  Point point;
  std::optional<std::int32_t> maybe;
  std::vector<Point> points;
  std::vector<double> numbers;
  std::vector<std::optional<std::int32_t>> gaps;
  std::vector<bool> bits;
  std::map<std::string, std::int32_t> counts;
  Buffer data;
  Json any;
  friend bool operator==(const Everything&, const Everything&) = default;
};
BOOST_DESCRIBE_STRUCT(Everything, (),
                      (flag, small, byte, big, huge, single, real, text, colour, point, maybe,
                       points, numbers, gaps, bits, counts, data, any))

struct Node {
  std::string name;
  std::vector<Node> children;
};
BOOST_DESCRIBE_STRUCT(Node, (), (name, children))

struct Base {
  std::int32_t id = 0;
};
BOOST_DESCRIBE_STRUCT(Base, (), (id))
struct Derived : Base {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(Derived, (Base), (name))

}  // namespace gantry::samples
