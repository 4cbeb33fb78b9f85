// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/buffer.hpp>

#include <array>
#include <thread>
#include <vector>

namespace gantry {
namespace {

TEST_CASE("an empty buffer is a value like any other") {
  const Buffer none;
  CHECK(none.empty());
  CHECK(none.text().empty());
  CHECK(none == Buffer::copy(std::string_view{}));
}

TEST_CASE("of() keeps the bytes where the container had them") {
  std::vector<std::uint8_t> bytes(1000, 7);
  const auto* before = bytes.data();
  const Buffer buffer = Buffer::of(std::move(bytes));
  CHECK(buffer.data() == before);
  CHECK(buffer.size() == 1000);
}

TEST_CASE("of() copes with strings that hold their bytes inside themselves") {
  Buffer buffer = Buffer::of(std::string("short"));
  const auto* bytes = buffer.data();
  Buffer copy = buffer;
  buffer = {};
  CHECK(copy.text() == "short");
  CHECK(copy.data() == bytes);
  copy = {};
  CHECK(copy.empty());
}

TEST_CASE("wrap() tells its owner once, when the last copy goes") {
  const std::array<std::uint8_t, 3> bytes{1, 2, 3};
  int released = 0;
  {
    Buffer outer;
    {
      const Buffer inner = Buffer::wrap(bytes, [&] { ++released; });
      CHECK(inner.data() == bytes.data());
      outer = inner;
    }
    CHECK(released == 0);
    Buffer moved = std::move(outer);
    CHECK(released == 0);
  }
  CHECK(released == 1);
}

TEST_CASE("the C form carries the reference") {
  int released = 0;
  const std::array<std::uint8_t, 1> bytes{9};
  gantry_buf raw = Buffer::wrap(bytes, [&] { ++released; }).detach();
  {
    const Buffer shared = Buffer::share(raw);
    CHECK(shared.size() == 1);
  }
  CHECK(released == 0);
  { const Buffer adopted = Buffer::adopt(raw); }
  CHECK(released == 1);
}

TEST_CASE("static C buffers without an owner need no functions") {
  const std::array<std::uint8_t, 2> bytes{1, 2};
  gantry_buf raw{};
  raw.data = bytes.data();
  raw.size = bytes.size();
  Buffer shared = Buffer::share(raw);
  Buffer copy = shared;
  shared = {};
  CHECK(copy.size() == 2);
  copy = {};
  CHECK(copy.empty());
}

TEST_CASE("copies may be made and dropped on any thread") {
  std::atomic<int> released{0};
  const std::array<std::uint8_t, 1> bytes{9};
  {
    const Buffer shared = Buffer::wrap(bytes, [&] { ++released; });
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([copy = shared]() mutable {
        for (int i = 0; i < 10000; ++i) {
          Buffer again = copy;
          copy = std::move(again);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(released == 0);
  }
  CHECK(released == 1);
}

}  // namespace
}  // namespace gantry
