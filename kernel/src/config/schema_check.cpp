// SPDX-License-Identifier: Apache-2.0
// Checking a value tree against a schema.
#include <algorithm>
#include <utility>

#include "config/schema.hpp"
#include "config/yaml.hpp"

namespace gantry::config {

bool coerce(const KeySpec& spec, const Value& given, const std::string& path, Value& out,
            Diagnostics& diagnostics);

namespace {

Value complete_map(const std::vector<KeySpec>& specs, const Value& given, const std::string& path,
                   Diagnostics& diagnostics);

const std::string& spelt(const Value& given) {
  return given.spelling.empty() ? given.as_text() : given.spelling;
}

// What --set and the environment spell is read as a file's plain word is.
Value as_read(const Value& given) { return given.loose ? plain_scalar(spelt(given)) : given; }

std::optional<Value> scalar(const KeySpec& spec, const Value& given) {
  const std::string& text = spelt(given);
  const Value read = as_read(given);
  switch (spec.type) {
    case Type::kBool:
      if (read.kind() == Kind::kBool) return Value(read.as_bool());
      break;
    case Type::kInt:
      if (read.kind() == Kind::kInt) return Value(read.as_int());
      break;
    case Type::kFloat:
      if (read.kind() == Kind::kInt || read.kind() == Kind::kFloat) return Value(read.as_float());
      break;
    case Type::kString:
      if (given.is_text() || given.loose) return Value(text);
      break;
    case Type::kEnum:
      if (std::find(spec.values.begin(), spec.values.end(), text) != spec.values.end()) {
        return Value(text);
      }
      break;
    case Type::kDuration:
      if (const auto ms = parse_duration(text)) return Value(*ms);
      break;
    case Type::kBytes:
      if (const auto bytes = parse_bytes(text)) return Value(*bytes);
      break;
    case Type::kList:
    case Type::kMap: break;
  }
  return std::nullopt;
}

std::string refusal(const KeySpec& spec, const Value& given) {
  Value shown = as_read(given);
  shown.secret = spec.secret;
  std::string text = "found " + shown.describe() + ", allowed: " + spec.allowed();
  if (spec.type == Type::kEnum && !spec.secret) {
    text += "." + did_you_mean(given.as_text(), spec.values);
  }
  const bool needs_quotes = spec.type == Type::kString && !given.is_list() && !given.is_map() &&
                            !given.is_null() && !given.is_text();
  if (needs_quotes) text += "; put it in quotes";
  const auto& word = given.as_text();
  const bool yaml_1_1_bool = word == "yes" || word == "no" || word == "on" || word == "off";
  if (spec.type == Type::kBool && yaml_1_1_bool) {
    text += word == "yes" || word == "on" ? "; write true" : "; write false";
  }
  return text;
}

bool in_range(const KeySpec& spec, const Value& value) {
  double measured = 0;
  switch (spec.type) {
    case Type::kInt:
    case Type::kFloat:
    case Type::kDuration:
    case Type::kBytes: measured = value.as_float(); break;
    case Type::kString: measured = static_cast<double>(value.as_text().size()); break;
    case Type::kList: measured = static_cast<double>(value.as_list().size()); break;
    case Type::kMap: measured = static_cast<double>(value.as_map().size()); break;
    case Type::kBool:
    case Type::kEnum: return true;
  }
  return (!spec.min || measured >= *spec.min) && (!spec.max || measured <= *spec.max);
}

// `--set plugins.x.config.hosts=a,b` and environment variables spell lists with commas.
Value split_words(const Value& given) {
  Value out{Value::List{}};
  std::string_view rest = spelt(given);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string_view word = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    Value item{std::string(word)};
    item.spelling = std::string(word);
    item.origin = given.origin;
    item.loose = true;
    out.list().push_back(std::move(item));
  }
  return out;
}

bool coerce_list(const KeySpec& spec, const Value& given, const std::string& path, Value& out,
                 Diagnostics& diagnostics) {
  const Value list = given.loose && !given.is_list() ? split_words(given) : given;
  if (!list.is_list()) return false;
  bool good = true;
  auto& items = out.list();
  for (const auto& item : list.as_list()) {
    const std::string step = path + "[" + std::to_string(items.size()) + "]";
    Value& typed = items.emplace_back(item);
    if (spec.items) good = coerce(*spec.items, item, step, typed, diagnostics) && good;
  }
  return good;
}

bool coerce_map(const KeySpec& spec, const Value& given, const std::string& path, Value& out,
                Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  if (!spec.keys.empty()) {
    out = complete_map(spec.keys, given, path, diagnostics);
    return diagnostics.error_count() == before;
  }
  out = given;
  if (!spec.entries) return true;
  for (auto& entry : out.entries()) {
    const Value element = entry.value;
    coerce(*spec.entries, element, join_path(path, entry.key), entry.value, diagnostics);
  }
  return diagnostics.error_count() == before;
}

/// Whether a key that may be left out where another says enough had to be there. One that was
/// refused is in `given` only, and said.
bool lacks(const KeySpec& spec, const Value& given, const Value& map) {
  if (spec.unless_key.empty()) return false;
  const Value* value = map.find(spec.name);
  const Value* written = given.find(spec.name);
  if (value == nullptr && written != nullptr && !written->is_null()) return false;
  if (value != nullptr && !(value->is_text() && value->as_text().empty())) return false;
  const Value* other = map.find(spec.unless_key);
  const auto& enough = spec.unless_values;
  return other != nullptr &&
         std::find(enough.begin(), enough.end(), other->as_text()) == enough.end();
}

Value complete_map(const std::vector<KeySpec>& specs, const Value& given, const std::string& path,
                   Diagnostics& diagnostics) {
  Value out = Value::map();
  out.origin = given.origin;
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const auto& spec : specs) names.push_back(spec.name);
  // Taken out of the main file before, because it says which layers there are.
  if (path.empty()) names.emplace_back("profile");
  for (const auto& entry : given.as_map()) {
    if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
    diagnostics.error(entry.origin, join_path(path, entry.key),
                      "unknown key." + did_you_mean(entry.key, names) +
                          " Allowed here: " + (names.empty() ? "no keys at all" : join(names)));
  }
  for (const auto& spec : specs) {
    const Value* written = given.find(spec.name);
    Value typed;
    if (written != nullptr && !written->is_null()) {
      if (!coerce(spec, *written, join_path(path, spec.name), typed, diagnostics)) continue;
    } else if (spec.required) {
      diagnostics.error(given.origin, join_path(path, spec.name),
                        "is required and not set; allowed: " + spec.allowed());
      continue;
    } else if (spec.type == Type::kMap && !spec.keys.empty() && spec.default_value.is_null()) {
      typed = complete_map(spec.keys, Value::map(), join_path(path, spec.name), diagnostics);
    } else {
      typed = spec.default_value;
    }
    typed.secret = spec.secret;
    if (!typed.is_null()) out.set(spec.name, std::move(typed));
  }
  for (const auto& spec : specs) {
    if (!lacks(spec, given, out)) continue;
    diagnostics.error(given.origin, join_path(path, spec.name),
                      "is required and not set, unless " + spec.unless_key + " is one of " +
                          join(spec.unless_values));
  }
  return out;
}

bool check_format(Format format, const Value& typed, const Value& given, const std::string& path,
                  Diagnostics& diagnostics) {
  std::string fault = format_fault(format, typed.as_text());
  const bool good = fault.empty();
  if (!good) diagnostics.error(given.origin, path, std::move(fault));
  return good;
}

}  // namespace

bool coerce(const KeySpec& spec, const Value& given, const std::string& path, Value& out,
            Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  Value typed;
  bool good = false;
  if (spec.type == Type::kList) {
    good = coerce_list(spec, given, path, typed, diagnostics);
  } else if (spec.type == Type::kMap) {
    good = given.is_map() && coerce_map(spec, given, path, typed, diagnostics);
  } else if (auto read = scalar(spec, given)) {
    typed = std::move(*read);
    good = true;
  }
  if (good && !in_range(spec, typed)) good = false;
  if (good && spec.format && !check_format(*spec.format, typed, given, path, diagnostics)) {
    return false;
  }
  if (!good) {
    // A nested finding already says more than "not a list of int" would.
    if (diagnostics.error_count() == before) {
      diagnostics.error(given.origin, path, refusal(spec, given));
    }
    return false;
  }
  typed.origin = given.origin;
  typed.spelling = given.spelling;
  typed.loose = false;
  typed.secret = spec.secret;
  out = std::move(typed);
  return true;
}

Value apply_schema(const Schema& schema, const Value& given, const std::string& path,
                   Diagnostics& diagnostics) {
  if (!given.is_null() && !given.is_map()) {
    diagnostics.error(given.origin, path, "found " + given.describe() + ", allowed: a map");
    return complete_map(schema.keys, Value::map(), path, diagnostics);
  }
  return complete_map(schema.keys, given, path, diagnostics);
}

}  // namespace gantry::config
