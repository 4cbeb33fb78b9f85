// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing JSON as text: members in the order in which they are added, nothing parsed twice. Pure.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gantry::mcp {

/// A JSON string with its quotes.
[[nodiscard]] std::string quoted(std::string_view text);
/// A JSON string of base64 with its quotes.
[[nodiscard]] std::string quoted_base64(std::span<const std::uint8_t> bytes);

/// A JSON object that grows.
class ObjectText {
 public:
  ObjectText& add(std::string_view key, std::string_view text);
  ObjectText& add(std::string_view key, const char* text) {
    return add(key, std::string_view(text));
  }
  ObjectText& add(std::string_view key, const std::string& text) {
    return add(key, std::string_view(text));
  }
  ObjectText& add(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  ObjectText& add(std::string_view key, std::int64_t value);
  ObjectText& add(std::string_view key, double value);
  /// Leaves the member out when `text` is empty.
  ObjectText& add_if(std::string_view key, std::string_view text);
  /// `json` must be one JSON value.
  ObjectText& raw(std::string_view key, std::string_view json);

  [[nodiscard]] bool empty() const { return text_.size() == 1; }
  /// The whole object.
  [[nodiscard]] std::string text() const { return text_ + '}'; }
  /// The same, given away.
  [[nodiscard]] std::string take();

 private:
  void key(std::string_view name);
  std::string text_ = "{";
};

/// A JSON array that grows.
class ArrayText {
 public:
  ArrayText& add(std::string_view text);
  ArrayText& raw(std::string_view json);
  [[nodiscard]] std::string text() const { return text_ + ']'; }

 private:
  std::string text_ = "[";
};

}  // namespace gantry::mcp
