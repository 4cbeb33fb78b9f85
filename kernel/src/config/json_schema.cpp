// SPDX-License-Identifier: Apache-2.0
#include "config/json_schema.hpp"

#include <utility>

#include "config/layers.hpp"

namespace gantry::config {
namespace {

constexpr const char* kDraft = "https://json-schema.org/draft/2020-12/schema";

Value text(std::string_view words) { return Value(std::string(words)); }

Value texts(std::initializer_list<std::string_view> words) {
  Value out{Value::List{}};
  for (const auto word : words) out.list().push_back(text(word));
  return out;
}

Value type_of(Type type) {
  switch (type) {
    case Type::kBool: return text("boolean");
    case Type::kInt: return text("integer");
    case Type::kFloat: return text("number");
    case Type::kList: return text("array");
    case Type::kMap: return text("object");
    case Type::kDuration:
    case Type::kBytes: return texts({"integer", "string"});
    case Type::kString:
    case Type::kEnum: break;
  }
  return text("string");
}

void add_range(const KeySpec& key, Value& out) {
  const char* low = "minimum";
  const char* high = "maximum";
  if (key.type == Type::kList) {
    low = "minItems";
    high = "maxItems";
  } else if (key.type == Type::kString) {
    low = "minLength";
    high = "maxLength";
  }
  const auto number = [&](double value) {
    return key.type == Type::kFloat ? Value(value) : Value(static_cast<std::int64_t>(value));
  };
  if (key.min) out.set(low, number(*key.min));
  if (key.max) out.set(high, number(*key.max));
}

Value object_of(const std::vector<KeySpec>& keys);

Value schema_of(const KeySpec& key) {
  Value out = key.type == Type::kMap && !key.keys.empty() ? object_of(key.keys) : Value::map();
  out.set("type", type_of(key.type));
  if (!key.doc.empty()) out.set("description", text(key.doc));
  if (!key.default_value.is_null()) out.set("default", key.default_value);
  add_range(key, out);
  if (!key.values.empty()) {
    Value words{Value::List{}};
    for (const auto& value : key.values) words.list().push_back(text(value));
    out.set("enum", std::move(words));
  }
  if (key.items) out.set("items", schema_of(*key.items));
  if (key.entries) out.set("additionalProperties", schema_of(*key.entries));
  if (key.secret) out.set("writeOnly", Value(true));
  if (key.files_only) out.set("readOnly", Value(true));
  out.set("x-reload", text(key.reload == Reload::kLive ? "live" : "restart"));
  return out;
}

Value object_of(const std::vector<KeySpec>& keys) {
  Value properties = Value::map();
  Value required{Value::List{}};
  for (const auto& key : keys) {
    properties.set(key.name, schema_of(key));
    if (key.required) required.list().push_back(text(key.name));
  }
  Value out = Value::map();
  out.set("type", text("object"));
  out.set("additionalProperties", Value(false));
  out.set("properties", std::move(properties));
  if (!required.as_list().empty()) out.set("required", std::move(required));
  return out;
}

/// The defaults of keys, where they have one: of a map with fixed keys, those of its keys.
Value defaults_of(const std::vector<KeySpec>& keys) {
  Value out = Value::map();
  for (const auto& key : keys) {
    Value value = key.default_value;
    if (value.is_null() && !key.keys.empty()) value = defaults_of(key.keys);
    if (value.is_null()) continue;
    value.secret = value.secret || key.secret;
    out.set(key.name, std::move(value));
  }
  return out;
}

}  // namespace

std::string schema_json(const std::vector<ReferenceSection>& plugins) {
  const KeySpec* entry = builtin_schema().find("plugins");
  Value named = Value::map();
  for (const auto& plugin : plugins) {
    Value one = object_of(entry->entries->keys);
    Value config = object_of(plugin.schema->keys);
    config.set("description", text(plugin.summary));
    one.find("properties")->set("config", std::move(config));
    named.set(plugin.name, std::move(one));
  }
  Value all = Value::map();
  all.set("type", text("object"));
  all.set("description", text(entry->doc));
  all.set("properties", std::move(named));
  Value properties = Value::map();
  for (const auto* section : {"kernel", "log"}) {
    const KeySpec* spec = builtin_schema().find(section);
    Value own = object_of(spec->keys);
    own.set("description", text(spec->doc));
    properties.set(section, std::move(own));
  }
  properties.set("plugins", std::move(all));
  Value out = Value::map();
  out.set("$schema", text(kDraft));
  out.set("type", text("object"));
  out.set("properties", std::move(properties));
  return to_json(out, Redact::kSecrets);
}

std::string defaults_json(const std::vector<ReferenceSection>& plugins) {
  Value out = Value::map();
  for (const auto* section : {"kernel", "log"}) {
    out.set(section, defaults_of(builtin_schema().find(section)->keys));
  }
  Value named = Value::map();
  for (const auto& plugin : plugins) {
    Value one = Value::map();
    one.set("config", defaults_of(plugin.schema->keys));
    named.set(plugin.name, std::move(one));
  }
  out.set("plugins", std::move(named));
  return to_json(out, Redact::kSecrets);
}

}  // namespace gantry::config
