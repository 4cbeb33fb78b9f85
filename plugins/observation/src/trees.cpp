// SPDX-License-Identifier: Apache-2.0
#include "trees.hpp"

#include <fmt/format.h>

#include <cmath>

#include "a11y_map.hpp"
#include "time_units.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kMaxKnownWindows = 256;
constexpr std::size_t kMaxDelivered = 8;
constexpr std::size_t kMaxLast = 16;

Failure no_tree(const WindowInfo& window, const Error& error) {
  Failure why = failure_from(error);
  // Not found here means that no accessible application owns the window, not that the window is
  // gone.
  if (error.code == Code::NotFound) why.fault = Fault::PlatformUnsupported;
  return failure(why.fault,
                 fmt::format("Could not retrieve element tree for this window: {}", error.message),
                 {{"window_uid", window.uid}, {"window", window.title}});
}

A11yTreeRequest request_for(const WindowInfo& window, const TreeSettings& settings) {
  A11yTreeRequest request;
  request.handle = window.handle;
  request.pid = window.pid;
  request.title = window.title;
  request.bounds = window.bounds;
  request.max_nodes = settings.max_nodes;
  request.budget_ms = static_cast<std::int32_t>(settings.budget);
  return request;
}

std::shared_ptr<const Tree> build(const A11yTree& answer, const WindowInfo& window,
                                  const Trees::Redact& redact) {
  Tree::Degraded degraded;
  if (answer.degraded) {
    degraded = {answer.degraded->reason, answer.degraded->detail, answer.degraded->cure, false};
  } else if (answer.truncated) {
    degraded = {"budget", "the tree was cut by the node or time budget",
                "raise tree.max_nodes or tree.budget", false};
  }
  degraded.cut = answer.truncated;
  Node root = map_tree(answer);
  if (redact) redact(root, window);
  return make_tree(std::move(root), std::move(degraded));
}

}  // namespace

bool Trees::wants_more(const Outcome<TreeCapture>& reported) const {
  if (!fuse_ || settings_.fuse == "off") return false;
  if (!reported.ok()) return reported.failure().fault == Fault::PlatformUnsupported;
  return settings_.fuse == "always" ||
         reported->tree->named_count < static_cast<std::size_t>(settings_.sparse_threshold);
}

Task<Outcome<TreeCapture>> Trees::get(const WindowInfo& window, Freshness freshness) {
  const Outcome<TreeCapture> capture = co_await reported(window, freshness);
  if (!wants_more(capture)) co_return capture;
  const std::shared_ptr<const Tree> base = capture.ok() ? capture->tree : nullptr;
  const std::int64_t began = desktop_.monotonic_ns();
  const auto known = fused_.find(window.uid);
  if (freshness == Freshness::Cached && known != fused_.end() && known->second.reported == base &&
      began - known->second.made_ns < settings_.cache_ttl * kNanosecondsPerMillisecond) {
    co_return TreeCapture{known->second.tree, "hit", capture.ok() ? capture->capture_ms : 0};
  }
  const std::uint64_t rules = rules_;
  const std::shared_ptr<const Tree> tree = co_await fuse_(window, base);
  if (rules != rules_) co_return co_await get(window, Freshness::Fresh);
  if (tree == nullptr) co_return capture;
  if (fused_.size() >= kMaxLast && !fused_.contains(window.uid)) fused_.clear();
  const std::int64_t now = desktop_.monotonic_ns();
  fused_[window.uid] = {base, tree, now};
  const std::int64_t seeing = std::llround(static_cast<double>(now - began) / 1e6);
  co_return TreeCapture{tree, freshness == Freshness::Cached ? "miss" : "bypass",
                        seeing + (capture.ok() ? capture->capture_ms : 0)};
}

Task<Outcome<TreeCapture>> Trees::reported(const WindowInfo& window, Freshness freshness) {
  if (freshness == Freshness::Cached) {
    if (auto tree = cache_.lookup(window.uid, desktop_.monotonic_ns())) {
      const auto stats = cache_.stats().find(window.uid);
      const std::int64_t cost = stats != cache_.stats().end() ? stats->second.capture_ms : 0;
      co_return TreeCapture{std::move(tree), "hit", cost};
    }
  }
  const std::int64_t began = desktop_.monotonic_ns();
  A11yTreeRequest request = request_for(window, settings_);
  const auto last = last_.find(window.uid);
  const std::shared_ptr<const Tree> before = last != last_.end() ? last->second.tree : nullptr;
  if (before != nullptr && last->second.pid == window.pid && last->second.bounds == window.bounds &&
      last->second.max_nodes == settings_.max_nodes) {
    request.unless_sequence = last->second.sequence;
  }
  const std::uint64_t rules = rules_;
  const Answer<A11yTree> answer = co_await desktop_.tree(std::move(request));
  if (rules != rules_) co_return co_await reported(window, Freshness::Fresh);
  if (!answer.ok()) co_return no_tree(window, answer.error());
  const bool unchanged = (*answer)->unchanged && before != nullptr;
  if (!unchanged && (*answer)->nodes.empty()) {
    co_return no_tree(window, not_found("the adapter answered with no elements"));
  }
  std::shared_ptr<const Tree> tree = unchanged ? before : build(**answer, window, redact_);
  if (last_.size() >= kMaxLast && !last_.contains(window.uid)) last_.clear();
  last_[window.uid] = {tree, (*answer)->sequence, window.pid, window.bounds, settings_.max_nodes};
  const std::int64_t now = desktop_.monotonic_ns();
  CaptureStats stats;
  stats.captured_at = static_cast<double>(desktop_.wall_ns()) / kNanosecondsPerSecond;
  stats.capture_ms = std::llround(static_cast<double>(now - began) / 1e6);
  stats.node_count = tree->node_count;
  stats.named_node_count = tree->named_count;
  cache_.store(window.uid, tree, stats, now);
  if (process_of_.size() >= kMaxKnownWindows) process_of_.clear();
  process_of_[window.uid] = (*answer)->pid != 0 ? (*answer)->pid : window.pid;
  co_return TreeCapture{std::move(tree), freshness == Freshness::Cached ? "miss" : "bypass",
                        stats.capture_ms};
}

void Trees::forget_everything() {
  ++rules_;
  cache_.invalidate_all();
  tokens_ = {};
  last_.clear();
  fused_.clear();
  delivered_.clear();
}

void Trees::deliver(const std::string& uid, std::shared_ptr<const Tree> tree) {
  if (delivered_.size() >= kMaxKnownWindows && !delivered_.contains(uid)) delivered_.clear();
  auto& seen = delivered_[uid];
  std::erase(seen, tree);
  seen.push_front(std::move(tree));
  if (seen.size() > kMaxDelivered) seen.pop_back();
}

std::shared_ptr<const Tree> Trees::seen_with(const std::string& uid,
                                             std::string_view element_id) const {
  const auto seen = delivered_.find(uid);
  if (seen == delivered_.end()) return nullptr;
  for (const auto& tree : seen->second) {
    if (find_by_id(tree->root, element_id) != nullptr) return tree;
  }
  return nullptr;
}

std::int64_t Trees::process_of(const WindowInfo& window) const {
  const auto known = process_of_.find(window.uid);
  return known != process_of_.end() ? known->second : window.pid;
}

void Trees::forget_process(std::int64_t pid) {
  for (const auto& [uid, owner] : process_of_) {
    if (owner != pid) continue;
    cache_.invalidate(uid);
    fused_.erase(uid);
  }
}

}  // namespace gantry::observation
