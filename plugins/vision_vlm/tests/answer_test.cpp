// SPDX-License-Identifier: Apache-2.0
// What a model writes that no picture can have.
#include <catch2/catch.hpp>

#include <string>

#include "answer.hpp"
#include "wire.hpp"

namespace gantry::vision_vlm {
namespace {

TEST_CASE("a box is never larger than its picture") {
  const char* const texts[] = {
      R"({"bbox": {"x": -5e18, "y": -5e18, "width": 1e19, "height": 1e19}})",
      R"({"bbox": [-1e15, -1e15, 1e15, 1e15]})",
  };
  for (const char* text : texts) {
    CAPTURE(text);
    const auto found = targets_in(text, {2000, 1000}, Unit::Pixels);
    REQUIRE(found.size() == 1);
    CHECK(found[0].width == 2000);
    CHECK(found[0].height == 1000);
  }
}

TEST_CASE("a model's words cannot act on a terminal or turn themselves around") {
  const auto found = targets_in(R"({"bbox": [1, 1, 9, 9], "label": "Sa\u001b[2Jve\u202e"})",
                                {20, 10}, Unit::Pixels);
  REQUIRE(found.size() == 1);
  CHECK(found[0].label == "Save");
  http::HttpAnswer answer;
  answer.head.status = 200;
  answer.body = R"({"choices": [{"message": {"content": "A \u001b[31mred\u2066 button"}}]})";
  const auto reply = read_reply(answer);
  REQUIRE(reply.ok());
  CHECK(reply->text == "A red button");
}

}  // namespace
}  // namespace gantry::vision_vlm
