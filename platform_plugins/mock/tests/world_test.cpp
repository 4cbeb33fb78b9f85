// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

#include "drawing.hpp"
#include "mock_desktop.hpp"
#include "world.hpp"

namespace gantry::mock {
namespace {

TEST_CASE("the mock desktop has three windows and the editor has the focus") {
  const World world("cafe0001");
  REQUIRE(world.windows().windows.size() == 3);
  CHECK(world.windows().is_mock);
  const WindowInfo& top = world.windows().windows.back();
  CHECK(top.title == "Untitled — Notepad");
  CHECK(top.focused);
  CHECK(top.uid == "mock:0:cafe0001");
  CHECK(top.stacking == 2);
  const auto focused = std::count_if(world.windows().windows.begin(), world.windows().windows.end(),
                                     [](const WindowInfo& window) { return window.focused; });
  CHECK(focused == 1);
  CHECK(world.find("1003")->pid == 9012);
  CHECK(world.find("1004") == nullptr);
}

TEST_CASE("every parent in the tree comes before its children and ids are unique") {
  const World world("0");
  const A11yTree& tree = world.tree();
  REQUIRE(tree.nodes.size() == 17);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    INFO(tree.nodes[i].id);
    CHECK(tree.nodes[i].parent < static_cast<std::int32_t>(i));
    const auto same =
        std::count_if(tree.nodes.begin(), tree.nodes.end(),
                      [&](const A11yNode& node) { return node.id == tree.nodes[i].id; });
    CHECK(same == 1);
  }
  CHECK(tree.nodes[10].value_now == 40.0);
  CHECK(tree.nodes[11].selected == true);
  CHECK(tree.nodes[7].focused);
}

TEST_CASE("the picture shows the elements where the tree has them") {
  const World world("0");
  const Image picture = draw_editor(world.tree());
  REQUIRE(picture.width == 800);
  REQUIRE(picture.height == 600);
  REQUIRE(picture.format == PixelFormat::Rgb8);
  const auto pixel = [&](int x, int y) {
    const std::uint8_t* at = picture.pixels.data() + y * picture.stride + x * 3;
    return static_cast<unsigned>(at[0]) << 16U | static_cast<unsigned>(at[1]) << 8U | at[2];
  };
  CHECK(pixel(700, 5) == pixel(300, 5));      // the menu bar is one surface
  CHECK(pixel(700, 5) != pixel(700, 300));    // the paper is another
  CHECK(pixel(485, 545) != pixel(675, 545));  // 40 % of the progress bar is done
}

TEST_CASE("a region cuts the picture, and one outside of it is out of range") {
  const MockDesktop desktop("0", {});
  CaptureRequest whole;
  const Capture screen = *desktop.capture(whole);
  CaptureRequest request;
  request.region = Rect{790, 590, 50, 50};
  const auto part = desktop.capture(request);
  REQUIRE(part.ok());
  CHECK(part->area.x == 790);
  CHECK(part->area.y == 590);
  CHECK(part->area.width == 10);
  CHECK(part->area.height == 10);
  REQUIRE(part->image.width == 10);
  REQUIRE(part->image.pixels.size() == 10u * 10u * 3u);
  const auto* from = screen.image.pixels.data() + 590 * screen.image.stride + 790 * 3;
  CHECK(std::memcmp(part->image.pixels.data(), from, 30) == 0);
  // Of a window the region is in screen pixels as well.
  request.target = CaptureTarget::Window;
  request.handle = "1001";
  request.region = Rect{80, 60, 5, 5};
  REQUIRE(desktop.capture(request).ok());
  CHECK(std::memcmp(desktop.capture(request)->image.pixels.data(), screen.image.pixels.data(),
                    15) == 0);
  for (const Rect& outside : {Rect{800, 0, 10, 10}, Rect{-20, 0, 20, 10}, Rect{0, 0, 0, 10}}) {
    request.target = CaptureTarget::Screen;
    request.region = outside;
    const auto refused = desktop.capture(request);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::OutOfRange);
    CHECK(refused.error().message.find("outside the picture, which is 800x600 at 0,0") !=
          std::string::npos);
  }
}

}  // namespace
}  // namespace gantry::mock
