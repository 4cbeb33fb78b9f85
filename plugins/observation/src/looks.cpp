// SPDX-License-Identifier: Apache-2.0
#include "looks.hpp"

namespace gantry::observation {

void Looks::forget() {
  windows_ = std::make_shared<SharedWindows>(desktop_);
  of_window_.clear();
}

Task<Outcome<WindowsNow>> Looks::windows(std::int64_t due_ns, const Life& life) {
  const std::shared_ptr<SharedWindows> shared = windows_;
  const auto read = [this](const std::optional<WindowsNow>&) { return directory_.list(); };
  co_return co_await shared->get(due_ns, life, read);
}

Task<Outcome<TreeCapture>> Looks::tree(const WindowInfo& window, std::int64_t due_ns,
                                       const Life& life) {
  if (of_window_.size() >= kMaxWindows && !of_window_.contains(window.uid)) {
    std::erase_if(of_window_, [](const auto& entry) { return entry.second->idle(); });
  }
  std::shared_ptr<SharedTree>& entry = of_window_[window.uid];
  if (entry == nullptr) entry = std::make_shared<SharedTree>(desktop_);
  const std::shared_ptr<SharedTree> shared = entry;
  const auto read = [this, &window](const std::optional<TreeCapture>& last) {
    return read_again(window, last ? last->tree : nullptr);
  };
  co_return co_await shared->get(due_ns, life, read);
}

Task<Outcome<TreeCapture>> Looks::read_again(const WindowInfo& window,
                                             std::shared_ptr<const Tree> before) {
  Outcome<TreeCapture> capture = co_await trees_.get(window, Freshness::Fresh);
  if (capture.ok() && before != nullptr && capture->tree->hash == before->hash &&
      same_content(capture->tree->root, before->root)) {
    capture->tree = std::move(before);
  }
  co_return capture;
}

}  // namespace gantry::observation
