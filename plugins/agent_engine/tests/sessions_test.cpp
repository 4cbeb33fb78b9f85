// SPDX-License-Identifier: Apache-2.0
// What is remembered of sessions that were asked for.
#include <gantry/testkit/fake_host.hpp>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "sessions.hpp"

namespace gantry::agent {
namespace {

/// Sessions of a store that has none.
struct Empty {
  testkit::FakeHost kit;
  StoreClient store{kit.host("agent_engine")};
  Sessions sessions{kit.host("agent_engine"), store};

  Empty() {
    REQUIRE(kit.host("store")
                .bus()
                .serve<StoreGet>([](const StoreGetRequest&) -> Result<StoreDocuments> {
                  return StoreDocuments{};
                })
                .ok());
    store.begin();
    sessions.ready();
  }
};

TEST_CASE("a session that nobody has made is not remembered by who asked for it") {
  Empty world;
  int unmade = 0;
  for (int i = 0; i < 100; ++i) {
    const SessionKey key{"p", "w", std::to_string(i)};
    CHECK(world.sessions.loaded(key) == nullptr);
    world.sessions.find(key, [&unmade](const Result<Sessions::Pointer>& found) {
      if (found.ok() && !(*found)->exists()) ++unmade;
    });
    world.kit.pump();
  }
  CHECK(unmade == 100);
  CHECK(world.sessions.keys() == 0);
  CHECK(world.sessions.all().empty());
}

TEST_CASE("who is about to make a session makes the one that others find") {
  Empty world;
  const SessionKey key{"p", "w", "k"};
  Sessions::Pointer kept;
  world.sessions.find(key, [&kept](const Result<Sessions::Pointer>& found) { kept = *found; });
  world.kit.pump();
  REQUIRE(kept);
  CHECK(world.sessions.loaded(key) == kept);
  CHECK(world.sessions.keys() == 1);
}

}  // namespace
}  // namespace gantry::agent
