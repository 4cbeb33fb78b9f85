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

#include "text_buffer.hpp"

namespace gantry::observation {

/// Appends `text` as a JSON string, cleaned by strip_terminal_controls().
void append_json_string(std::string& out, std::string_view text);
void append_json_string(TextBuffer& out, std::string_view text);
std::string json_string(std::string_view text);
void append_json_integer(std::string& out, std::int64_t value);
/// 100 becomes 100.0; what is not finite becomes null.
void append_json_number(std::string& out, double value);

/// Text that already is JSON.
struct RawJson {
  std::string text;
};

/// Members that may be missing, for everything that has add(name, value).
template <class Members>
class OptionalMembers {
 public:
  /// null when empty.
  template <class Name, class T>
  void add_or_null(const Name& name, const std::optional<T>& value) {
    if (value) {
      members().add(name, *value);
    } else {
      members().add(name, nullptr);
    }
  }
  /// Left out when empty.
  template <class Name, class T>
  void add_if(const Name& name, const std::optional<T>& value) {
    if (value) members().add(name, *value);
  }
  template <class Name>
  void add_if(const Name& name, const std::string& value) {
    if (!value.empty()) members().add(name, value);
  }

 private:
  Members& members() { return static_cast<Members&>(*this); }
};

/// Collects the members of one object. Names must outlive it (they are literals); adding a name
/// again replaces its value.
class JsonObject : public OptionalMembers<JsonObject> {
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

  /// Every member of the other object.
  void add_all(const JsonObject& other);

  [[nodiscard]] std::string text() const;

 private:
  using Member = std::pair<std::string_view, std::string>;
  std::vector<Member> members_;  ///< as they came; text() sorts them
};

/// Writes the members of one object straight into a text, for objects that are many or large.
/// Members must be added in the order of their names, each once; names are literals.
class JsonWriter : public OptionalMembers<JsonWriter> {
 public:
  explicit JsonWriter(TextBuffer& out) : out_(out) {}
  void end() {
    if (before_ == '{') out_.put('{');
    out_.put('}');
  }

  template <std::size_t Size>
  void add(const char (&name)[Size], const std::string& value) {
    append_json_string(member(name), value);
  }
  template <std::size_t Size>
  void add(const char (&name)[Size], bool value) {
    member(name);
    if (value) {
      out_.put("true");
    } else {
      out_.put("false");
    }
  }
  template <std::size_t Size>
  void add(const char (&name)[Size], double value) {
    std::string number;
    append_json_number(number, value);
    member(name).put(number);
  }
  template <std::size_t Size>
  void add(const char (&name)[Size], std::nullptr_t) {
    member(name).put("null");
  }
  template <std::size_t Size, std::integral T>
    requires(!std::same_as<T, bool>)
  void add(const char (&name)[Size], T value) {
    member(name).put_integer(value);
  }
  /// The text, to which the member's value must be appended next.
  template <std::size_t Size>
  TextBuffer& member(const char (&name)[Size]) {
    out_.put_member(before_, name);
    before_ = ',';
    return out_;
  }

 private:
  TextBuffer& out_;
  char before_ = '{';  ///< the next member
};

/// Collects the elements of one array.
class JsonArray {
 public:
  void add(std::string_view value);
  void add(const JsonObject& value) { add_raw(value.text()); }
  void add(const RawJson& value) { add_raw(value.text); }
  void add(std::int64_t value);
  void add(int value) { add(std::int64_t{value}); }
  void add_raw(std::string_view json);
  [[nodiscard]] RawJson done() const { return {"[" + elements_ + "]"}; }

 private:
  std::string elements_;
};

}  // namespace gantry::observation
