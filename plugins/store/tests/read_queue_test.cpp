// SPDX-License-Identifier: Apache-2.0
#include <gantry/testkit/fake_host.hpp>

#include <catch2/catch.hpp>
#include <memory>
#include <new>
#include <vector>

#include "read_queue.hpp"

namespace gantry::store {
namespace {

TEST_CASE("many reads are done by few threads, in their order") {
  testkit::FakeHost kit;
  const auto queue = std::make_shared<ReadQueue>(kit.host(), 2);
  std::vector<int> done;
  for (int i = 0; i < 5; ++i) queue->add([&done, i] { done.push_back(i); });
  CHECK(kit.pump() == 2);
  CHECK(done == std::vector<int>{0, 1, 2, 3, 4});
  queue->add([&done] { done.push_back(5); });
  CHECK(kit.pump() == 1);
  CHECK(done.back() == 5);
}

TEST_CASE("reads that have not begun can be dropped, and others asked for after that") {
  testkit::FakeHost kit;
  const auto queue = std::make_shared<ReadQueue>(kit.host(), 2);
  int done = 0;
  auto held = std::make_shared<int>();
  for (int i = 0; i < 5; ++i) queue->add([&done, held] { ++done; });
  queue->clear();
  CHECK(held.use_count() == 1);
  kit.pump();
  CHECK(done == 0);
  queue->add([&done] { ++done; });
  kit.pump();
  CHECK(done == 1);
}

TEST_CASE("a read that throws takes none of the others with it") {
  testkit::FakeHost kit;
  const auto queue = std::make_shared<ReadQueue>(kit.host(), 1);
  int done = 0;
  queue->add([] { throw std::bad_alloc(); });
  queue->add([&done] { ++done; });
  kit.pump();
  CHECK(done == 1);
}

}  // namespace
}  // namespace gantry::store
