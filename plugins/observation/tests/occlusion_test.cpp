// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "occlusion.hpp"

namespace gantry::observation {
namespace {

TEST_CASE("a hole in the middle leaves four strips in the published order") {
  const Rect cover{20, 20, 20, 20};
  const std::vector<Rect> parts = subtract({0, 0, 100, 100}, std::span(&cover, 1));
  REQUIRE(parts.size() == 4);
  CHECK(parts[0] == Rect{0, 0, 100, 20});
  CHECK(parts[1] == Rect{0, 40, 100, 60});
  CHECK(parts[2] == Rect{0, 20, 20, 20});
  CHECK(parts[3] == Rect{40, 20, 60, 20});
}

TEST_CASE("nothing is left of what is covered, off the screen or without size") {
  const Rect cover{0, 0, 50, 50};
  CHECK(visible_parts({10, 10, 5, 5}, std::nullopt, std::span(&cover, 1)).empty());
  CHECK(visible_parts({200, 0, 10, 10}, Rect{0, 0, 100, 100}, {}).empty());
  CHECK(visible_parts({10, 10, 0, 0}, std::nullopt, {}).empty());
}

TEST_CASE("the parts of a rectangle are its area without the covers, and do not overlap") {
  const std::vector<Rect> covers{{5, 5, 30, 10}, {20, 0, 10, 40}, {0, 30, 60, 4}, {-5, -5, 8, 8}};
  const Rect whole{0, 0, 50, 40};
  const std::vector<Rect> parts = subtract(whole, covers);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 50; ++x) {
      int covered = 0;
      for (const Rect& cover : covers) covered += cover.contains(x, y) ? 1 : 0;
      int holding = 0;
      for (const Rect& part : parts) holding += part.contains(x, y) ? 1 : 0;
      REQUIRE(holding == (covered == 0 ? 1 : 0));
    }
  }
}

TEST_CASE("a click goes to the centre, or to the largest part when the centre is covered") {
  const Rect box{0, 0, 100, 20};
  CHECK(point_in(box, {}).x == 50);
  const Rect cover{40, 0, 20, 20};
  const auto parts = visible_parts(box, std::nullopt, std::span(&cover, 1));
  const ScreenPoint point = point_in(box, parts);
  CHECK_FALSE(cover.contains(point.x, point.y));
  CHECK(box.contains(point.x, point.y));
}

TEST_CASE("a window is raised by a click near its top, away from its buttons") {
  const Rect window{80, 60, 800, 600};
  const ScreenPoint plain = raising_point(std::span(&window, 1), std::nullopt);
  CHECK(plain.x == 280);
  CHECK(plain.y == 72);
  const ScreenPoint bar = raising_point(std::span(&window, 1), Rect{80, 60, 800, 30});
  CHECK(bar.x == 280);
  CHECK(bar.y == 75);
  const Rect narrow{0, 0, 100, 5};
  CHECK(raising_point(std::span(&narrow, 1), std::nullopt).x == 50);
  CHECK(raising_point(std::span(&narrow, 1), std::nullopt).y == 2);
}

TEST_CASE("windows above are those of higher stacking, and pop-ups of other programs") {
  WindowInfo below;
  below.uid = "a";
  below.pid = 1;
  below.stacking = 1;
  WindowInfo above = below;
  above.uid = "b";
  above.stacking = 2;
  above.frame = {0, 0, 9, 9};
  WindowInfo own_menu = above;
  own_menu.uid = "m";
  own_menu.transient = true;
  WindowInfo foreign_menu = own_menu;
  foreign_menu.uid = "n";
  foreign_menu.pid = 2;
  WindowInfo hidden = above;
  hidden.uid = "h";
  hidden.minimized = true;
  CHECK(frames_above({below, above, own_menu, foreign_menu, hidden}, below).size() == 2);
  CHECK(frames_above({below, above}, above).empty());
}

}  // namespace
}  // namespace gantry::observation
