// SPDX-License-Identifier: Apache-2.0
//
// Buffer: immutable bytes with shared ownership that cross the plugin boundary without a copy.
// Copying is one atomic increment; any thread may hold and drop copies.
#pragma once

#include <gantry/abi/types.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry {

inline std::string_view view(gantry_str text) { return {text.data, text.size}; }
inline gantry_str to_str(std::string_view text) { return {text.data(), text.size()}; }

class Buffer {
 public:
  Buffer() = default;
  /// Copies `bytes`.
  static Buffer copy(std::string_view bytes) { return of(std::string(bytes)); }
  static Buffer copy(std::span<const std::uint8_t> bytes) {
    return of(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  }
  /// Takes over a container (std::string, std::vector<std::uint8_t>) without copying its bytes.
  template <class Container>
  static Buffer of(Container container) {
    auto* holder = new Holder<Container>{{1}, std::move(container)};
    Buffer buffer;
    buffer.raw_ = {reinterpret_cast<const std::uint8_t*>(holder->bytes.data()),
                   holder->bytes.size(), holder, &Holder<Container>::retain,
                   &Holder<Container>::release};
    return buffer;
  }
  /// Bytes that somebody else keeps; `release` runs when the last copy goes, on any thread.
  static Buffer wrap(std::span<const std::uint8_t> bytes, std::function<void()> release) {
    struct External {
      std::function<void()> done;
      std::span<const std::uint8_t> bytes;
      [[nodiscard]] const std::uint8_t* data() const { return bytes.data(); }
      [[nodiscard]] std::size_t size() const { return bytes.size(); }
    };
    struct Owner {
      explicit Owner(External e) : external(std::move(e)) {}
      Owner(Owner&& other) noexcept : external(std::exchange(other.external, External{})) {}
      Owner(const Owner&) = delete;
      Owner& operator=(const Owner&) = delete;
      Owner& operator=(Owner&&) = delete;
      ~Owner() {
        if (external.done) external.done();
      }
      [[nodiscard]] const std::uint8_t* data() const { return external.data(); }
      [[nodiscard]] std::size_t size() const { return external.size(); }
      External external;
    };
    return of(Owner(External{std::move(release), bytes}));
  }
  /// Takes over one reference of a C buffer.
  static Buffer adopt(gantry_buf raw) {
    Buffer buffer;
    buffer.raw_ = raw;
    return buffer;
  }
  /// A further reference to a C buffer.
  static Buffer share(const gantry_buf& raw) {
    if (raw.retain != nullptr) raw.retain(raw.owner);
    return adopt(raw);
  }

  Buffer(const Buffer& other) : raw_(other.raw_) {
    if (raw_.retain != nullptr) raw_.retain(raw_.owner);
  }
  Buffer(Buffer&& other) noexcept : raw_(std::exchange(other.raw_, gantry_buf{})) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Buffer() {
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDelete): the analyzer does not follow the count
    if (raw_.release != nullptr) raw_.release(raw_.owner);
  }

  [[nodiscard]] const std::uint8_t* data() const { return raw_.data; }
  [[nodiscard]] std::size_t size() const { return raw_.size; }
  [[nodiscard]] bool empty() const { return raw_.size == 0; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {raw_.data, raw_.size}; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(raw_.data), raw_.size};
  }
  /// The C view, borrowed.
  [[nodiscard]] const gantry_buf& raw() const { return raw_; }
  /// Gives the reference away.
  [[nodiscard]] gantry_buf detach() { return std::exchange(raw_, gantry_buf{}); }

  friend bool operator==(const Buffer& a, const Buffer& b) { return a.text() == b.text(); }

 private:
  template <class Container>
  struct Holder {
    std::atomic<std::uint32_t> references;
    Container bytes;
    static void retain(void* self) {
      static_cast<Holder*>(self)->references.fetch_add(1, std::memory_order_relaxed);
    }
    static void release(void* self) {
      auto* holder = static_cast<Holder*>(self);
      if (holder->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete holder;
    }
  };
  gantry_buf raw_{};
};

}  // namespace gantry
