// SPDX-License-Identifier: Apache-2.0
#include "config/value.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gantry::config {
namespace {

constexpr std::array<std::string_view, 7> kKindNames{"nothing", "bool", "int", "float",
                                                     "text",    "list", "map"};

template <typename T>
const T& neutral() {
  static const T kEmpty{};
  return kEmpty;
}

}  // namespace

std::string_view kind_name(Kind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

Value::Value() = default;
Value::Value(bool value) : data_(value) {}
Value::Value(std::int64_t value) : data_(value) {}
Value::Value(double value) : data_(value) {}
Value::Value(std::string value) : data_(std::move(value)) {}
Value::Value(List value) : data_(std::move(value)) {}
Value::Value(Map value) : data_(std::move(value)) {}

Value Value::map() { return Value(Map{}); }

bool Value::as_bool() const {
  const auto* value = std::get_if<bool>(&data_);
  return value != nullptr && *value;
}

std::int64_t Value::as_int() const {
  const auto* value = std::get_if<std::int64_t>(&data_);
  return value != nullptr ? *value : 0;
}

double Value::as_float() const {
  if (const auto* value = std::get_if<double>(&data_)) return *value;
  return static_cast<double>(as_int());
}

const std::string& Value::as_text() const {
  const auto* value = std::get_if<std::string>(&data_);
  return value != nullptr ? *value : neutral<std::string>();
}

const Value::List& Value::as_list() const {
  const auto* value = std::get_if<List>(&data_);
  return value != nullptr ? *value : neutral<List>();
}

const Value::Map& Value::as_map() const {
  const auto* value = std::get_if<Map>(&data_);
  return value != nullptr ? *value : neutral<Map>();
}

Value::List& Value::list() {
  if (!is_list()) data_ = List{};
  return std::get<List>(data_);
}

Value::Map& Value::entries() {
  if (!is_map()) data_ = Map{};
  return std::get<Map>(data_);
}

const Value* Value::find(std::string_view key) const {
  for (const auto& entry : as_map()) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

const Value* Value::find_path(std::string_view dotted) const {
  const Value* at = this;
  while (at != nullptr && !dotted.empty()) {
    const std::size_t dot = dotted.find('.');
    at = at->find(dotted.substr(0, dot));
    dotted = dot == std::string_view::npos ? std::string_view{} : dotted.substr(dot + 1);
  }
  return at;
}

void Value::set(std::string key, Value value) {
  if (Value* present = find(key)) {
    *present = std::move(value);
    return;
  }
  const Origin written = value.origin;
  entries().push_back({std::move(key), std::move(value), written});
}

bool Value::erase(std::string_view key) {
  if (!is_map()) return false;
  auto& map = entries();
  const auto at =
      std::find_if(map.begin(), map.end(), [&](const Entry& entry) { return entry.key == key; });
  if (at == map.end()) return false;
  map.erase(at);
  return true;
}

bool Value::operator==(const Value& other) const {
  if (kind() != other.kind()) return false;
  switch (kind()) {
    case Kind::kNull: return true;
    case Kind::kBool: return as_bool() == other.as_bool();
    case Kind::kInt: return as_int() == other.as_int();
    case Kind::kFloat: return as_float() == other.as_float();
    case Kind::kText: return as_text() == other.as_text();
    case Kind::kList: return as_list() == other.as_list();
    case Kind::kMap: break;
  }
  if (as_map().size() != other.as_map().size()) return false;
  return std::all_of(as_map().begin(), as_map().end(), [&](const Entry& entry) {
    const Value* twin = other.find(entry.key);
    return twin != nullptr && *twin == entry.value;
  });
}

std::string Value::describe() const {
  std::string name(kind_name(kind()));
  if (secret) return "a secret " + name;
  switch (kind()) {
    case Kind::kNull: return name;
    case Kind::kBool: return name + (as_bool() ? " true" : " false");
    case Kind::kInt:
    case Kind::kFloat:
      return name + " " + (spelling.empty() ? to_json(*this, Redact::kNo) : spelling);
    case Kind::kText: break;
    case Kind::kList: return "a list of " + std::to_string(as_list().size());
    case Kind::kMap: return "a map of " + std::to_string(as_map().size());
  }
  constexpr std::size_t kShown = 60;
  const std::string& text = as_text();
  if (text.size() <= kShown) return name + " '" + text + "'";
  return name + " '" + text.substr(0, kShown) + "…'";
}

void merge(Value& lower, const Value& upper) {
  if (!lower.is_map() || !upper.is_map()) {
    lower = upper;
    return;
  }
  for (const auto& entry : upper.as_map()) {
    if (entry.value.is_null()) {
      lower.erase(entry.key);
    } else if (Value* present = lower.find(entry.key)) {
      merge(*present, entry.value);
    } else {
      lower.entries().push_back(entry);
    }
  }
}

std::string join_path(std::string_view parent, std::string_view key) {
  std::string text(parent);
  if (!text.empty()) text += '.';
  const bool plain = key.find('.') == std::string_view::npos;
  return text + (plain ? std::string(key) : "\"" + std::string(key) + "\"");
}

}  // namespace gantry::config
