// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>

#include "source.hpp"

namespace gantry::perception_http {
namespace {

TEST_CASE("pictures stand in requests as base64 or data URLs") {
  const auto bytes = [](std::string_view text) {
    const auto found = inline_bytes(text);
    return found ? std::string(found->text()) : "refused";
  };
  CHECK(bytes("aGVsbG8=") == "hello");
  CHECK(bytes("data:image/png;base64,aGVsbG8=") == "hello");
  CHECK(bytes("DATA:,aGVsbG8=") == "hello");
  CHECK(bytes(" aGVs\r\nbG8=\n") == "hello");
  CHECK(bytes("data:image/png;base64, aGVs bG8=") == "hello");
  CHECK(bytes("").empty());
  CHECK(bytes("data:image/png;base64,").empty());
  for (const char* wrong : {"aGVsbG8", "aGVsbG8==", "a", "====", "aGVsbG8=aGVs", "aGV-bG8=", "aGV_",
                            "data:image/png;base64", "data:", "hällo+==", "aGVs!G8=", "\x01GVs"}) {
    INFO(wrong);
    CHECK(bytes(wrong) == "refused");
  }
}

}  // namespace
}  // namespace gantry::perception_http
