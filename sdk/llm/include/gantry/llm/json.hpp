// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing the JSON of providers, which nobody here defines. Built on codec.hpp's strict
// parser. Heavy (Boost.JSON): for .cpp files. Pure functions.
#pragma once

#include <gantry/codec.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gantry::llm {

/// Parses and hands the value to `use` while it lives.
template <class F>
Result<void> read_json(std::string_view text, F&& use) {
  return codec::with_parsed(
      text,
      [](void* state, const boost::json::value& value) -> Result<void> {
        (*static_cast<std::remove_reference_t<F>*>(state))(value);
        return {};
      },
      &use);
}

/// The value itself, or null when `text` is no JSON.
[[nodiscard]] boost::json::value parse_or_null(std::string_view text);

/// `text` itself, or "null" when it is no JSON.
[[nodiscard]] std::string_view json_or_null(std::string_view text);

/// The member, or nullptr when `value` is no object or has none (null counts as none).
[[nodiscard]] const boost::json::value* member(const boost::json::value& value,
                                               std::string_view name);
/// The member by a path of names: at(v, {"error", "message"}).
[[nodiscard]] const boost::json::value* at(const boost::json::value& value,
                                           std::initializer_list<std::string_view> path);
/// The text of a member; empty when there is none or it is something else.
[[nodiscard]] std::string_view text_of(const boost::json::value& value, std::string_view name);
/// A whole number of a member, also when it is written with a fraction.
[[nodiscard]] std::optional<std::int64_t> number_of(const boost::json::value& value,
                                                    std::string_view name);
/// The elements of a member; an empty array when there is none.
[[nodiscard]] const boost::json::array& array_of(const boost::json::value& value,
                                                 std::string_view name);

[[nodiscard]] inline boost::json::string_view jsv(std::string_view text) {
  return {text.data(), text.size()};
}
[[nodiscard]] std::string base64(std::string_view bytes);
/// Writes an object into a text, member by member: requests hold whole conversations, and making
/// values of them first takes several times as long.
class ObjectText {
 public:
  explicit ObjectText(std::string& out) : out_(out) { out_ += '{'; }
  /// The name, a word of a protocol that needs no escapes, and the colon; the caller writes the
  /// value behind them.
  std::string& member(std::string_view name) {
    out_ += std::exchange(first_, false) ? "\"" : ",\"";
    out_ += name;
    out_ += "\":";
    return out_;
  }
  ObjectText& text(std::string_view name, std::string_view value) {
    codec::write_string(member(name), value);
    return *this;
  }
  /// `json` is JSON.
  ObjectText& json(std::string_view name, std::string_view json) {
    member(name) += json;
    return *this;
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

/// "data:image/png;base64,…"
[[nodiscard]] std::string data_url(std::string_view media_type, std::string_view bytes);

}  // namespace gantry::llm
