// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON text in the observer protocol's form: compact, members sorted by name, ASCII only
// (everything else as \uXXXX), numbers with a fraction as Python prints them (observer
// contract 1.1). Strings lose terminal control sequences on the way, because most of them come from
// the screen.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::observation {

/// Appends `text` as a JSON string, cleaned by strip_terminal_controls().
void append_json_string(std::string& out, std::string_view text);
void append_json_integer(std::string& out, std::int64_t value);
/// 100 becomes 100.0; what is not finite becomes null.
void append_json_number(std::string& out, double value);

/// Text that already is JSON.
struct RawJson {
  std::string text;
};

/// Collects the members of one object. Names must outlive it (they are literals); adding a name
/// again replaces its value.
class JsonObject {
 public:
  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, const char* value) { add(name, std::string_view(value)); }
  void add(std::string_view name, const std::string& value) { add(name, std::string_view(value)); }
  void add(std::string_view name, bool value);
  void add(std::string_view name, double value);
  void add(std::string_view name, std::nullptr_t);
  void add(std::string_view name, RawJson value);
  void add(std::string_view name, const JsonObject& value) { add(name, RawJson{value.text()}); }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void add(std::string_view name, T value) {
    std::string text;
    append_json_integer(text, static_cast<std::int64_t>(value));
    add(name, RawJson{std::move(text)});
  }
  /// null when empty.
  template <class T>
  void add_or_null(std::string_view name, const std::optional<T>& value) {
    if (value) {
      add(name, *value);
    } else {
      add(name, nullptr);
    }
  }
  /// Left out when empty.
  template <class T>
  void add_if(std::string_view name, const std::optional<T>& value) {
    if (value) add(name, *value);
  }
  void add_if(std::string_view name, const std::string& value) {
    if (!value.empty()) add(name, value);
  }

  /// Every member of the other object.
  void add_all(const JsonObject& other);

  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::pair<std::string_view, std::string>> members_;
};

/// Collects the elements of one array.
class JsonArray {
 public:
  void add(std::string_view value);
  void add(const JsonObject& value) { add_raw(value.text()); }
  void add(std::int64_t value);
  void add(int value) { add(std::int64_t{value}); }
  void add_raw(std::string_view json);
  [[nodiscard]] RawJson done() const { return {"[" + elements_ + "]"}; }

 private:
  std::string elements_;
};

}  // namespace gantry::observation
