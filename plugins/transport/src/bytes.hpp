// SPDX-License-Identifier: Apache-2.0
#pragma once

// Immutable, reference-counted octets. A body that came from a plugin (a screenshot, an audio clip)
// travels from there to writev() without a copy: whoever owns the memory is kept alive by `owner`.
// Thread rule: a Bytes value may be copied and destroyed on any thread.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gantry::transport {

class Bytes {
 public:
  Bytes() = default;

  /// Takes the string over; no copy of the characters.
  explicit Bytes(std::string text) {
    if (text.empty()) return;
    auto held = std::make_shared<const std::string>(std::move(text));
    view_ = *held;
    owner_ = std::move(held);
  }

  /// `view` must stay valid as long as `owner` lives.
  Bytes(std::shared_ptr<const void> owner, std::string_view view)
      : owner_(std::move(owner)), view_(view) {}

  static Bytes copy(std::string_view text) { return Bytes(std::string(text)); }

  /// A copy of both, one behind the other, in one allocation.
  static Bytes joined(std::string_view first, std::string_view second) {
    const size_t size = first.size() + second.size();
    std::shared_ptr<char[]> held = std::make_shared_for_overwrite<char[]>(size);
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), held.get()));
    const std::string_view view(held.get(), size);
    return {std::move(held), view};
  }

  /// For string literals and other memory that outlives the process's connections.
  static Bytes literal(std::string_view text) { return Bytes(nullptr, text); }

  std::string_view view() const { return view_; }
  const char* data() const { return view_.data(); }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

}  // namespace gantry::transport
