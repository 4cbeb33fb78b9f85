// SPDX-License-Identifier: Apache-2.0
#pragma once
// Captures of windows: asks the accessibility adapter, keeps what it answered for a while, and
// hands out tokens for what clients have seen.

#include <memory>
#include <string>
#include <string_view>

#include "desktop.hpp"
#include "errors.hpp"
#include "settings.hpp"
#include "tree.hpp"
#include "tree_cache.hpp"

namespace gantry::observation {

enum class Freshness {
  Cached,  ///< A capture within the time to live will do.
  Fresh,   ///< Always a new capture, which then is the cached one.
};

struct TreeCapture {
  std::shared_ptr<const Tree> tree;
  std::string_view cache;       ///< "hit", "miss" or "bypass".
  std::int64_t capture_ms = 0;  ///< What the capture cost when it was made.
};

class Trees {
 public:
  Trees(Desktop& desktop, const TreeSettings& settings)
      : desktop_(desktop),
        settings_(settings),
        cache_(settings.cache_ttl * kNanosecondsPerMillisecond) {}

  /// PlatformUnsupported when the window has no accessibility tree, Timeout when its application
  /// does not answer. `window` must live until the task is done.
  Task<Outcome<TreeCapture>> get(const WindowInfo& window, Freshness freshness);

  [[nodiscard]] std::string mint_token(const std::string& uid, std::shared_ptr<const Tree> tree) {
    return tokens_.mint(uid, std::move(tree), desktop_.monotonic_ns());
  }

  /// The settings object that was given to the constructor has changed.
  void apply_settings() { cache_.set_ttl(settings_.cache_ttl * kNanosecondsPerMillisecond); }

  /// After an input: nobody knows which windows it changed.
  void forget_all() { cache_.invalidate_all(); }
  /// An application said that its tree changed.
  void forget_process(std::int64_t pid);

  [[nodiscard]] const TreeCache& cache() const { return cache_; }

 private:
  static constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;

  Desktop& desktop_;
  const TreeSettings& settings_;
  TreeCache cache_;
  TreeTokens tokens_;
  std::map<std::string, std::int64_t> process_of_;  ///< By window uid, for forget_process().
};

}  // namespace gantry::observation
