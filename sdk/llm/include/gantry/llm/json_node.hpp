// SPDX-License-Identifier: Apache-2.0
//
// Reading the events of providers: the values of a document stand in one row, in the order of the
// text, and are views into it. An answer has hundreds of small events, of which a few members
// count. Takes and refuses what codec.hpp's parser does, and refuses more than a million values.
#pragma once

#include <gantry/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gantry::llm {

/// A value in the row. Of the document's reader.
struct JsonRow {
  enum class Kind : std::uint8_t { null, no, yes, number, text, array, object };

  const char* name_data = nullptr;  // of a member
  const char* data = nullptr;       // of a string: what it means; else as the document has it
  std::uint32_t name_size = 0;
  std::uint32_t size = 0;
  std::uint32_t rows = 1;  // this one and those of what is inside it
  Kind kind = Kind::null;

  [[nodiscard]] std::string_view name() const { return {name_data, name_size}; }
  [[nodiscard]] std::string_view text() const { return {data, size}; }
};

class JsonItems;

/// A value of a document, or none. Of no use after what it was handed to has returned.
class JsonNode {
 public:
  JsonNode() = default;
  explicit JsonNode(const JsonRow* row) : row_(row) {}

  explicit operator bool() const { return row_ != nullptr; }
  [[nodiscard]] bool is_object() const { return is(JsonRow::Kind::object); }
  [[nodiscard]] bool is_array() const { return is(JsonRow::Kind::array); }
  [[nodiscard]] bool is_text() const { return is(JsonRow::Kind::text); }
  [[nodiscard]] bool is_true() const { return is(JsonRow::Kind::yes); }
  /// Of a string; else empty.
  [[nodiscard]] std::string_view text() const {
    return is(JsonRow::Kind::text) ? row_->text() : std::string_view();
  }
  /// A number without its fraction.
  [[nodiscard]] std::optional<std::int64_t> number() const;
  /// The elements of an array; none when it is something else.
  [[nodiscard]] JsonItems items() const;
  /// The member; none when this is no object or has none (null counts as none). Of a repeated one
  /// the last counts.
  [[nodiscard]] JsonNode member(std::string_view name) const;
  /// The text, as codec::serialize() has it; null of none.
  [[nodiscard]] std::string json() const;

 private:
  [[nodiscard]] bool is(JsonRow::Kind kind) const { return row_ != nullptr && row_->kind == kind; }

  const JsonRow* row_ = nullptr;
};

/// The elements of an array, for loops.
class JsonItems {
 public:
  class Iterator {
   public:
    explicit Iterator(const JsonRow* row) : row_(row) {}
    JsonNode operator*() const { return JsonNode(row_); }
    Iterator& operator++() {
      row_ += row_->rows;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const JsonRow* row_;
  };

  JsonItems() = default;
  JsonItems(const JsonRow* begin, const JsonRow* end) : begin_(begin), end_(end) {}

  [[nodiscard]] Iterator begin() const { return Iterator(begin_); }
  [[nodiscard]] Iterator end() const { return Iterator(end_); }
  [[nodiscard]] bool empty() const { return begin_ == end_; }
  /// None when it is empty.
  [[nodiscard]] JsonNode front() const { return empty() ? JsonNode() : JsonNode(begin_); }

 private:
  const JsonRow* begin_ = nullptr;
  const JsonRow* end_ = nullptr;
};

/// Reads one document after the other, in the same memory. One thread at a time.
class JsonReader {
 public:
  /// Hands the value to `use` while it and `text` live. Errors: invalid_argument (no JSON, with the
  /// words of codec.hpp's parser), resource_exhausted, internal (an exception of `use`).
  template <class F>
  Result<void> read(std::string_view text, F&& use) {
    return read(
        text,
        [](void* state, JsonNode root) {
          (*static_cast<std::remove_reference_t<F>*>(state))(root);
        },
        &use);
  }

 private:
  Result<void> read(std::string_view text, void (*use)(void* state, JsonNode root), void* state);

  std::vector<JsonRow> rows_;
  std::string texts_;  // the strings with escapes
};

// Names for what json.hpp has of values, too.
[[nodiscard]] inline JsonNode member(JsonNode node, std::string_view name) {
  return node.member(name);
}
/// The text of a member; empty when there is none or it is something else.
[[nodiscard]] inline std::string_view text_of(JsonNode node, std::string_view name) {
  return node.member(name).text();
}
[[nodiscard]] inline std::optional<std::int64_t> number_of(JsonNode node, std::string_view name) {
  return node.member(name).number();
}
/// A count of tokens, from 0 to 2^40, so that a few of them can be added; nothing when there is
/// none.
[[nodiscard]] inline std::optional<std::int64_t> count_of(JsonNode node, std::string_view name) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  const auto number = number_of(node, name);
  return number ? std::optional(std::clamp<std::int64_t>(*number, 0, kMost)) : std::nullopt;
}
/// The elements of a member; none when there is none.
[[nodiscard]] inline JsonItems array_of(JsonNode node, std::string_view name) {
  return node.member(name).items();
}

}  // namespace gantry::llm
