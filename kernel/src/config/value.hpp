// SPDX-License-Identifier: Apache-2.0
// The configuration's own value tree: what YAML, the environment and the command line become.
//
// Every node remembers where it was written. Maps keep the order of the file.
// Thread rules: plain values; share only as const.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/diagnostic.hpp"

namespace gantry::config {

struct Entry;
class Value;

enum class Kind { kNull, kBool, kInt, kFloat, kText, kList, kMap };

/// "map", "list", "text", …: the words used in messages.
std::string_view kind_name(Kind kind);

class Value {
 public:
  using List = std::vector<Value>;
  using Map = std::vector<Entry>;

  Value();
  explicit Value(bool value);
  explicit Value(std::int64_t value);
  explicit Value(double value);
  explicit Value(std::string value);
  explicit Value(List value);
  explicit Value(Map value);
  static Value map();

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_map() const { return kind() == Kind::kMap; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_text() const { return kind() == Kind::kText; }

  // Accessors of another kind than the value's answer the neutral value of their type.
  bool as_bool() const;
  std::int64_t as_int() const;
  double as_float() const;  ///< also reads an int
  const std::string& as_text() const;
  const List& as_list() const;
  const Map& as_map() const;
  List& list();    ///< becomes a list when it is not one
  Map& entries();  ///< becomes a map when it is not one

  /// The entry's value, or nullptr when this is no map or has no such key.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  /// Walks "a.b.c"; nullptr when a step is missing.
  const Value* find_path(std::string_view dotted) const;
  /// Replaces or appends.
  void set(std::string key, Value value);
  bool erase(std::string_view key);

  /// Same data; origins and spelling do not count.
  bool operator==(const Value& other) const;
  bool operator!=(const Value& other) const { return !(*this == other); }

  /// "int 5001", "text 'abc'", "a list of 3": for the "found" part of a refusal.
  std::string describe() const;

  Origin origin;
  /// The scalar as written. A value that came from the environment or the command line has no
  /// quotes that could show its type, so `loose` lets the schema read the spelling instead.
  std::string spelling;
  bool loose = false;
  /// Printed as *** and never shown in a message.
  bool secret = false;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> data_;
};

/// One key of a map, with the line of the key itself.
struct Entry {
  std::string key;
  Value value;
  Origin origin;
};

/// Lays `upper` over `lower`: maps merge key by key, everything else replaces. A null in `upper`
/// takes the key back to the default.
void merge(Value& lower, const Value& upper);

/// "a.b" for ("a", "b"); a key that holds a dot is quoted.
std::string join_path(std::string_view parent, std::string_view key);

enum class Redact { kNo, kSecrets };

/// Compact JSON. Numbers that JSON has no form for (nan, inf) become null.
std::string to_json(const Value& value, Redact redact);
/// Block YAML that reads back to the same tree.
std::string to_yaml(const Value& value, Redact redact);
/// A JSON string literal with its quotes.
std::string quote_json(std::string_view text);

}  // namespace gantry::config
