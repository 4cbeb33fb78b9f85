// SPDX-License-Identifier: Apache-2.0
#pragma once
// Captures of windows: asks the accessibility adapter, keeps what it answered for a while, and
// hands out tokens for what clients have seen.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "desktop.hpp"
#include "errors.hpp"
#include "settings.hpp"
#include "time_units.hpp"
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

  /// What is done to every capture before anybody gets it, and before it is hashed.
  using Redact = std::function<void(Node& root, const WindowInfo& window)>;
  void redact_with(Redact redact) { redact_ = std::move(redact); }
  /// The rules have changed: whatever was captured, delivered or promised under the old ones goes.
  void forget_everything();

  /// Adds what is seen to what an adapter says, which is nullptr where it says nothing. The answer
  /// is nullptr when there is nothing to add.
  using Fuse = std::function<Task<std::shared_ptr<const Tree>>(
      const WindowInfo& window, std::shared_ptr<const Tree> reported)>;
  void fuse_with(Fuse fuse) { fuse_ = std::move(fuse); }

  /// PlatformUnsupported when the window has no accessibility tree, Timeout when its application
  /// does not answer. `window` must live until the task is done. With what is seen of the window,
  /// as far as `fuse` of the settings says so.
  Task<Outcome<TreeCapture>> get(const WindowInfo& window, Freshness freshness);
  /// The same without what is seen: for what has to know before a picture may be looked at.
  Task<Outcome<TreeCapture>> reported(const WindowInfo& window, Freshness freshness);

  /// The token of a capture that a client gets to see.
  [[nodiscard]] std::string mint_token(const std::string& uid, std::shared_ptr<const Tree> tree) {
    deliver(uid, tree);
    return tokens_.mint(uid, std::move(tree), desktop_.monotonic_ns());
  }

  /// A client sees this capture: the element ids that it sends later mean elements of this one.
  void deliver(const std::string& uid, std::shared_ptr<const Tree> tree);
  /// The capture in which a client last saw an element of this id, or nullptr.
  [[nodiscard]] std::shared_ptr<const Tree> seen_with(const std::string& uid,
                                                      std::string_view element_id) const;
  /// The capture of a token that has not expired, or nullptr.
  [[nodiscard]] std::shared_ptr<const Tree> seen_under(const std::string& uid,
                                                       std::string_view token) const {
    return tokens_.find(uid, token, desktop_.monotonic_ns());
  }
  /// What was last shown of the window to any client, unless it has expired.
  [[nodiscard]] TreeTokens::Seen last_seen(const std::string& uid) const {
    return tokens_.latest(uid, desktop_.monotonic_ns());
  }
  /// The process whose accessibility tree the window shows; the window's own before the first read.
  [[nodiscard]] std::int64_t process_of(const WindowInfo& window) const;

  /// The settings object that was given to the constructor has changed.
  void apply_settings() { cache_.set_ttl(settings_.cache_ttl * kNanosecondsPerMillisecond); }

  /// After an input: nobody knows which windows it changed.
  void forget_all() {
    cache_.invalidate_all();
    fused_.clear();
  }
  /// An application said that its tree changed.
  void forget_process(std::int64_t pid);

  [[nodiscard]] const TreeCache& cache() const { return cache_; }

 private:
  /// The last answer for a window: an adapter that has nothing new need not say it all again.
  struct Last {
    std::shared_ptr<const Tree> tree;
    std::uint64_t sequence = 0;
    std::int64_t pid = 0;
    Rect bounds;
    int max_nodes = 0;
  };

  /// A tree with what was seen, and the one that it was made of.
  struct Fused {
    std::shared_ptr<const Tree> reported;
    std::shared_ptr<const Tree> tree;
    std::int64_t made_ns = 0;
  };
  [[nodiscard]] bool wants_more(const Outcome<TreeCapture>& reported) const;

  Desktop& desktop_;
  const TreeSettings& settings_;
  Redact redact_;
  Fuse fuse_;
  std::map<std::string, Fused> fused_;
  TreeCache cache_;
  TreeTokens tokens_;
  std::map<std::string, std::int64_t> process_of_;  ///< By window uid, for forget_process().
  std::map<std::string, Last> last_;
  std::uint64_t rules_ = 0;  ///< Counts how often they changed: what was asked before is old.
  std::map<std::string, std::deque<std::shared_ptr<const Tree>>> delivered_;  ///< Newest first.
};

}  // namespace gantry::observation
