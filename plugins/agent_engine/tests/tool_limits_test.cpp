// SPDX-License-Identifier: Apache-2.0
#include "tool_limits.hpp"

#include <catch2/catch.hpp>

namespace gantry::agent {
namespace {

LlmToolCall call_of(std::string name, std::string arguments) {
  return {"c", std::move(name), Json(std::move(arguments)), {}};
}

std::string many_arguments(int count) {
  std::string out = "{";
  for (int i = 0; i < count; ++i) out += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\":1";
  return out + "}";
}

std::string one_argument(std::size_t bytes) {
  return R"({"a":")" + std::string(bytes, 'x') + R"("})";
}

std::string deep(int levels) {
  return R"({"a":)" + std::string(static_cast<std::size_t>(levels), '[') +
         std::string(static_cast<std::size_t>(levels), ']') + "}";
}

TEST_CASE("what a call may be at most is taken, and what is more is told") {
  struct Row {
    LlmToolCall call;
    std::size_t before;
    bool by_client;
    const char* problem;  // empty: taken
  };
  const Row rows[] = {
      {call_of("t", "{}"), 49, true, ""},
      {call_of("t", "{}"), 50, true, "50 calls"},
      {call_of("t", "{}"), 50, false, "50 calls"},
      {call_of(std::string(256, 'n'), "{}"), 0, true, ""},
      {call_of(std::string(257, 'n'), "{}"), 0, true, "name has 257 bytes"},
      {call_of("t", many_arguments(100)), 0, true, ""},
      {call_of("t", many_arguments(101)), 0, true, "has 101 arguments"},
      {call_of("t", one_argument(64 << 10)), 0, true, ""},
      {call_of("t", one_argument((64 << 10) + 1)), 0, true, "'a' has 65537 bytes"},
      {call_of("t",
               "{\"" + std::string(63, 'n') + "\u20AC\":\"" + std::string(65'537, 'x') + "\"}"),
       0, true, "nnn' has 65537 bytes"},
      {call_of("t", one_argument((64 << 10) + 1)), 0, false, ""},
      {call_of("t", one_argument(1 << 20)), 0, false, "arguments have 1048584 bytes"},
      {call_of("t", deep(99)), 0, true, ""},
      {call_of("t", deep(101)), 0, true, "deeper than 100"},
  };
  for (const Row& row : rows) {
    const std::string found = limit_problem(row.call, row.before, row.by_client);
    INFO(found << " instead of " << row.problem);
    CHECK(found.empty() == std::string_view(row.problem).empty());
    CHECK(found.find(row.problem) != std::string::npos);
  }
}

}  // namespace
}  // namespace gantry::agent
