// SPDX-License-Identifier: Apache-2.0
// Reading key specifications out of a manifest.
#include "config/schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gantry::config {

// The check of one value against its key; defined in schema_check.cpp.
bool coerce(const KeySpec& spec, const Value& given, const std::string& path, Value& out,
            Diagnostics& diagnostics);

namespace {

constexpr std::array<std::string_view, 9> kTypeNames{"bool", "int", "float",    "string", "enum",
                                                     "list", "map", "duration", "bytes"};

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> kNames(kTypeNames.begin(), kTypeNames.end());
  return kNames;
}

std::optional<Type> parse_type(std::string_view name) {
  for (std::size_t i = 0; i < kTypeNames.size(); ++i) {
    if (kTypeNames[i] == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

bool is_key_name(std::string_view name) {
  if (name.empty() || name.size() > 64) return false;
  for (const char c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!fits) return false;
  }
  return true;
}

class SpecReader {
 public:
  SpecReader(std::string path, Diagnostics& diagnostics)
      : path_(std::move(path)), diagnostics_(diagnostics) {}

  std::optional<KeySpec> read(const std::string& name, const Value& body, const Origin& origin) {
    spec_.name = name;
    spec_.origin = origin;
    const std::size_t errors_before = diagnostics_.error_count();
    if (!body.is_map()) {
      error(body, "found " + body.describe() + ", a key is a map such as {type: int, default: 1}");
      return std::nullopt;
    }
    read_type(body);
    for (const auto& attribute : body.as_map()) read_attribute(attribute);
    if (diagnostics_.error_count() != errors_before) return std::nullopt;
    check_consistency(body);
    if (const Value* value = body.find("default")) read_default(*value);
    if (diagnostics_.error_count() != errors_before) return std::nullopt;
    return std::move(spec_);
  }

 private:
  using Reader = void (SpecReader::*)(const Value&);
  struct Attribute {
    std::string_view name;
    Reader read;
  };

  void error(const Value& at, std::string message) {
    diagnostics_.error(at.origin, path_, std::move(message));
  }

  void read_type(const Value& body) {
    const Value* type = body.find("type");
    if (type == nullptr) return error(body, "has no type; allowed: " + join(type_names()));
    const auto parsed = parse_type(type->as_text());
    if (!parsed) {
      return error(*type, "type: found " + type->describe() + ", allowed: " + join(type_names()) +
                              "." + did_you_mean(type->as_text(), type_names()));
    }
    spec_.type = *parsed;
  }

  void read_attribute(const Entry& attribute) {
    static constexpr std::array kAttributes{
        Attribute{"type", nullptr},
        Attribute{"default", nullptr},
        Attribute{"required", &SpecReader::read_required},
        Attribute{"required_unless", &SpecReader::read_required_unless},
        Attribute{"range", &SpecReader::read_range},
        Attribute{"values", &SpecReader::read_values},
        Attribute{"format", &SpecReader::read_format},
        Attribute{"secret", &SpecReader::read_secret},
        Attribute{"files_only", &SpecReader::read_files_only},
        Attribute{"doc", &SpecReader::read_doc},
        Attribute{"reload", &SpecReader::read_reload},
        Attribute{"env", &SpecReader::read_env},
        Attribute{"items", &SpecReader::read_items},
        Attribute{"entries", &SpecReader::read_entries},
        Attribute{"keys", &SpecReader::read_keys},
    };
    std::vector<std::string> names;
    for (const auto& known : kAttributes) {
      names.emplace_back(known.name);
      if (known.name != attribute.key) continue;
      if (known.read != nullptr) (this->*known.read)(attribute.value);
      return;
    }
    diagnostics_.error(attribute.origin, path_,
                       "unknown attribute '" + attribute.key + "', allowed: " + join(names) + "." +
                           did_you_mean(attribute.key, names));
  }

  void read_bool(const Value& value, std::string_view name, bool& out) {
    if (value.kind() != Kind::kBool) {
      return error(value, std::string(name) + ": found " + value.describe() + ", allowed: bool");
    }
    out = value.as_bool();
  }
  void read_required(const Value& value) { read_bool(value, "required", spec_.required); }
  void read_required_unless(const Value& value) {
    const auto& entries = value.as_map();
    if (entries.size() != 1) {
      return error(value, "required_unless: found " + value.describe() +
                              ", allowed: {another key: [its values]}");
    }
    spec_.unless_key = entries.front().key;
    read_words(entries.front().value, "required_unless", spec_.unless_values);
  }
  void read_secret(const Value& value) { read_bool(value, "secret", spec_.secret); }
  void read_files_only(const Value& value) { read_bool(value, "files_only", spec_.files_only); }

  void read_format(const Value& value) {
    spec_.format = parse_format(value.as_text());
    if (spec_.format) return;
    error(value, "format: found " + value.describe() + ", allowed: " + join(format_names()));
  }

  void read_doc(const Value& value) {
    if (!value.is_text()) {
      return error(value, "doc: found " + value.describe() + ", allowed: text");
    }
    spec_.doc = value.as_text();
  }

  void read_reload(const Value& value) {
    if (value.as_text() == "live") {
      spec_.reload = Reload::kLive;
    } else if (value.as_text() == "restart") {
      spec_.reload = Reload::kRestart;
    } else {
      error(value, "reload: found " + value.describe() + ", allowed: live, restart");
    }
  }

  std::optional<double> bound(const Value& value) {
    if ((value.kind() == Kind::kInt || value.kind() == Kind::kFloat) &&
        std::isfinite(value.as_float())) {
      return value.as_float();
    }
    std::optional<std::int64_t> scaled;
    if (spec_.type == Type::kDuration) scaled = parse_duration(value.as_text());
    if (spec_.type == Type::kBytes) scaled = parse_bytes(value.as_text());
    if (scaled) return static_cast<double>(*scaled);
    error(value, "range: found " + value.describe() + ", allowed: a number or null");
    return std::nullopt;
  }

  void read_range(const Value& value) {
    if (value.as_list().size() != 2) {
      return error(value, "range: found " + value.describe() + ", allowed: [least, most]");
    }
    const Value& low = value.as_list()[0];
    const Value& high = value.as_list()[1];
    if (!low.is_null()) spec_.min = bound(low);
    if (!high.is_null()) spec_.max = bound(high);
    if (spec_.min && spec_.max && *spec_.min > *spec_.max) {
      error(value, "range: the least is above the most");
    }
  }

  void read_words(const Value& value, std::string_view name, std::vector<std::string>& out) {
    for (const auto& item : value.as_list()) {
      if (item.is_list() || item.is_map() || item.is_null()) {
        error(item, std::string(name) + ": found " + item.describe() + ", allowed: words");
        return;
      }
      out.push_back(item.spelling.empty() ? item.as_text() : item.spelling);
    }
    if (out.empty()) {
      error(value,
            std::string(name) + ": found " + value.describe() + ", allowed: a list of words");
    }
  }
  void read_values(const Value& value) { read_words(value, "values", spec_.values); }
  void read_env(const Value& value) {
    if (value.is_text()) {
      spec_.env.push_back(value.as_text());
    } else {
      read_words(value, "env", spec_.env);
    }
  }

  // `items: string` is short for `items: {type: string}`.
  void read_nested(const Value& value, std::string_view name, std::shared_ptr<const KeySpec>& out) {
    Value body = value;
    if (value.is_text()) {
      body = Value::map();
      body.origin = value.origin;
      body.set("type", value);
    }
    SpecReader reader(path_ + "." + std::string(name), diagnostics_);
    if (auto spec = reader.read(std::string(name), body, value.origin)) {
      out = std::make_shared<const KeySpec>(std::move(*spec));
    }
  }
  void read_items(const Value& value) { read_nested(value, "items", spec_.items); }
  void read_entries(const Value& value) { read_nested(value, "entries", spec_.entries); }

  void read_keys(const Value& value) {
    spec_.keys = parse_schema(value, path_ + ".keys", diagnostics_).keys;
  }

  void check_consistency(const Value& body) {
    if (spec_.type == Type::kEnum && spec_.values.empty()) {
      error(body, "an enum needs its values");
    }
    if (spec_.type != Type::kEnum && !spec_.values.empty()) {
      error(body, "values belong to an enum, this is a " + std::string(type_name(spec_.type)));
    }
    if (spec_.format && spec_.type != Type::kString) error(body, "a format belongs to a string");
    if (spec_.format && spec_.secret) error(body, "a secret has no format, which would show it");
    if (spec_.items && spec_.type != Type::kList) error(body, "items belong to a list");
    const bool has_map_parts = spec_.entries || !spec_.keys.empty();
    if (has_map_parts && spec_.type != Type::kMap) error(body, "keys and entries belong to a map");
    if (spec_.entries && !spec_.keys.empty()) error(body, "a map has either keys or entries");
    const bool unbounded = spec_.type == Type::kBool || spec_.type == Type::kEnum;
    if (unbounded && (spec_.min || spec_.max)) error(body, "this type has no range");
    if (spec_.required && body.find("default") != nullptr) {
      error(body, "a required key has no default");
    }
  }

  void read_default(const Value& value) {
    if (value.is_null()) return;
    Value typed;
    if (coerce(spec_, value, path_ + ".default", typed, diagnostics_)) {
      spec_.default_value = std::move(typed);
    }
  }

  std::string path_;
  Diagnostics& diagnostics_;
  KeySpec spec_;
};

std::string shown_bound(double bound) {
  constexpr double kMostWhole = 9e18;  // what an integer of 64 bits holds
  Value value(bound);
  if (std::abs(bound) <= kMostWhole && bound == std::trunc(bound)) {
    value = Value(static_cast<std::int64_t>(bound));
  }
  return to_json(value, Redact::kNo);
}

}  // namespace

std::string_view type_name(Type type) { return kTypeNames.at(static_cast<std::size_t>(type)); }

std::string KeySpec::allowed() const {
  std::string text;
  switch (type) {
    case Type::kEnum: return "one of " + join(values);
    case Type::kDuration: text = "a duration such as 250ms, 5s, 2m (a bare number is ms)"; break;
    case Type::kBytes: text = "a size such as 512, 64KiB, 10MiB"; break;
    case Type::kList:
      text = items ? "a list of " + std::string(type_name(items->type)) : "a list";
      break;
    case Type::kMap: text = "a map"; break;
    case Type::kBool: return "true or false";
    case Type::kInt:
    case Type::kFloat:
    case Type::kString: text = type_name(type); break;
  }
  if (!min && !max) return text;
  text += type == Type::kString || type == Type::kList ? " of length " : " in ";
  text += (min ? shown_bound(*min) : "…") + "…" + (max ? shown_bound(*max) : "");
  if (type == Type::kDuration) text += " ms";
  if (type == Type::kBytes) text += " bytes";
  return text;
}

const KeySpec* Schema::find(std::string_view name) const {
  for (const auto& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::vector<std::string> Schema::names() const {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const auto& key : keys) names.push_back(key.name);
  return names;
}

Schema parse_schema(const Value& keys, const std::string& path, Diagnostics& diagnostics) {
  Schema schema;
  if (keys.is_null()) return schema;
  if (!keys.is_map()) {
    diagnostics.error(keys.origin, path, "found " + keys.describe() + ", allowed: a map of keys");
    return schema;
  }
  for (const auto& entry : keys.as_map()) {
    const std::string key_path = join_path(path, entry.key);
    if (!is_key_name(entry.key)) {
      diagnostics.error(entry.origin, key_path, "a key is at most 64 of the letters a-z 0-9 _ -");
      continue;
    }
    SpecReader reader(key_path, diagnostics);
    if (auto spec = reader.read(entry.key, entry.value, entry.origin)) {
      schema.keys.push_back(std::move(*spec));
    }
  }
  for (const auto& spec : schema.keys) {
    if (spec.unless_key.empty() || keys.find(spec.unless_key) != nullptr) continue;
    diagnostics.error(spec.origin, join_path(path, spec.name),
                      "required_unless: there is no key '" + spec.unless_key + "' beside it");
  }
  return schema;
}

bool is_plugin_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name == "kernel" || name == "log") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace gantry::config
