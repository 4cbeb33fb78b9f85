// SPDX-License-Identifier: Apache-2.0
#pragma once
// Contents that were too big for a result, kept under an address that nobody can guess, so that a
// client may read them as resources for a while. Bounded. Strand only.

#include <gantry/contracts/content.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace gantry::mcp {

class Shelf {
 public:
  static constexpr std::int64_t kLifetimeNs = 10LL * 60 * 1'000'000'000;
  static constexpr std::size_t kMostBytes = 64U << 20U;

  /// Keeps `block` as a resource and answers its address. The oldest give way.
  std::string put(ContentBlock block, std::int64_t now_ns);
  /// nullptr when it is not there (any more). Valid until the next put().
  [[nodiscard]] const ContentBlock* find(std::string_view uri, std::int64_t now_ns);

 private:
  struct Kept {
    ContentBlock block;
    std::int64_t expires_ns = 0;
    std::size_t bytes = 0;
  };
  void drop_oldest();

  std::deque<Kept> kept_;  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace gantry::mcp
