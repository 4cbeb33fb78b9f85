// SPDX-License-Identifier: Apache-2.0
// What a client wants changed, laid over what was written before.
#include <utility>

#include "config/written.hpp"
#include "config/yaml.hpp"

namespace gantry::config {
namespace {

constexpr std::string_view kHiddenSecret = "***";

void set_origin(Value& value, const Origin& origin) {
  value.origin = origin;
  if (value.is_map()) {
    for (auto& entry : value.entries()) {
      entry.origin = origin;
      set_origin(entry.value, origin);
    }
  } else if (value.is_list()) {
    for (auto& item : value.list()) set_origin(item, origin);
  }
}

std::string with_plain_dollars(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "${") == 0) out += '$';
    out += text[at];
  }
  return out;
}

/// Otherwise a client could have the daemon's environment read out to it.
void take_text_as_it_is(Value& value) {
  if (value.is_map()) {
    for (auto& entry : value.entries()) take_text_as_it_is(entry.value);
  } else if (value.is_list()) {
    for (auto& item : value.list()) take_text_as_it_is(item);
  } else if (value.is_text() && value.as_text().find("${") != std::string::npos) {
    Value plain(with_plain_dollars(value.as_text()));
    plain.spelling = plain.as_text();
    plain.origin = value.origin;
    value = std::move(plain);
  }
}

bool is_mask(const Value& value) { return value.is_text() && value.as_text() == kHiddenSecret; }

/// Secrets of a change. `keep` says of one that is shown as *** what it was; nullptr: it was not
/// written.
class SecretTaker {
 public:
  explicit SecretTaker(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void keys(Value& given, const std::vector<KeySpec>& specs, const Value* written,
            const std::string& path) {
    for (const auto& spec : specs) {
      const Value* was = written != nullptr ? written->find(spec.name) : nullptr;
      if (given.find(spec.name) != nullptr) one(given, spec.name, spec, was, path);
    }
  }

 private:
  void one(Value& holder, const std::string& name, const KeySpec& spec, const Value* was,
           const std::string& parent) {
    Value& value = *holder.find(name);
    const std::string path = join_path(parent, name);
    if (spec.secret && is_mask(value)) {
      if (was != nullptr) {
        value = *was;
      } else {
        holder.erase(name);
      }
      return;
    }
    if (spec.secret) refuse_files(value, path);
    if (value.is_map() && !spec.keys.empty()) keys(value, spec.keys, was, path);
    if (value.is_map() && spec.entries) {
      std::vector<std::string> names;
      for (const auto& entry : value.as_map()) names.push_back(entry.key);
      for (const auto& entry : names) {
        one(value, entry, *spec.entries, was != nullptr ? was->find(entry) : nullptr, path);
      }
    }
    if (value.is_list() && spec.items) items(value, *spec.items, path);
  }

  /// A list is replaced as a whole, and its items have no names by which to find the old ones.
  void items(Value& list, const KeySpec& spec, const std::string& path) {
    std::size_t index = 0;
    for (auto& item : list.list()) {
      const std::string step = path + "[" + std::to_string(index++) + "]";
      if (spec.secret) refuse_mask(item, step);
      if (spec.secret) refuse_files(item, step);
      for (const auto& key : spec.keys) {
        const Value* member = item.find(key.name);
        if (member == nullptr || !key.secret) continue;
        refuse_mask(*member, join_path(step, key.name));
        refuse_files(*member, join_path(step, key.name));
      }
    }
  }

  void refuse_mask(const Value& value, const std::string& path) {
    if (!is_mask(value)) return;
    diagnostics_.error(value.origin, path,
                       "a secret in a list cannot be kept as it is; write it out");
  }

  void refuse_files(const Value& value, const std::string& path) {
    if (value.as_text().rfind("file:", 0) == 0) {
      diagnostics_.error(value.origin, path,
                         "only the configuration's files may name a secret's file");
    }
    for (const auto& item : value.as_list()) refuse_files(item, path);
  }

  Diagnostics& diagnostics_;
};

void mark_keys(Value& given, const std::vector<KeySpec>& specs);

void mark_one(Value& value, const KeySpec& spec) {
  value.secret = spec.secret;
  if (value.is_map()) mark_keys(value, spec.keys);
  if (value.is_map() && spec.entries) {
    for (auto& entry : value.entries()) mark_one(entry.value, *spec.entries);
  }
  if (value.is_list() && spec.items) {
    for (auto& item : value.list()) mark_one(item, *spec.items);
  }
}

void mark_keys(Value& given, const std::vector<KeySpec>& specs) {
  for (const auto& spec : specs) {
    if (Value* value = given.find(spec.name)) mark_one(*value, spec);
  }
}

const Value* typed_section(const Settings& settings, const std::string& section) {
  if (section == "kernel") return &settings.kernel;
  if (section == "log") return &settings.log;
  const PluginSettings* plugin = settings.find(section);
  return plugin != nullptr ? &plugin->config : nullptr;
}

bool same(const Value* a, const Value* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

void drop_same(Value& written, const Value& without, const Value& with,
               const std::vector<KeySpec>& specs) {
  for (const auto& spec : specs) {
    Value* value = written.find(spec.name);
    if (value == nullptr) continue;
    const Value* lower = without.find(spec.name);
    const Value* upper = with.find(spec.name);
    if (same(lower, upper)) {
      written.erase(spec.name);
    } else if (value->is_map() && !spec.keys.empty() && lower != nullptr && upper != nullptr) {
      drop_same(*value, *lower, *upper, spec.keys);
    }
  }
}

void refuse_in(const Value& change, const Value& with, const std::vector<KeySpec>& specs,
               const std::string& path, const Origin& origin, Diagnostics& diagnostics) {
  for (const auto& spec : specs) {
    const Value* wanted = change.find(spec.name);
    const Value* holds = with.find(spec.name);
    if (wanted == nullptr || wanted->is_null() || holds == nullptr) continue;
    const std::string key = join_path(path, spec.name);
    if (wanted->is_map()) {
      refuse_in(*wanted, *holds, spec.keys, key, origin, diagnostics);
    } else if (holds->origin.file != origin.file && *wanted != *holds) {
      diagnostics.error(wanted->origin, key,
                        "is set by " + holds->origin.to_string() +
                            ", which is above written settings; change it there");
    }
  }
}

void refuse_files_only_keys(Value& given, const Value* holds, const std::vector<KeySpec>& specs,
                            const std::string& path, Diagnostics& diagnostics) {
  for (const auto& spec : specs) {
    Value* value = given.find(spec.name);
    if (value == nullptr) continue;
    const Value* present = holds != nullptr ? holds->find(spec.name) : nullptr;
    const std::string key = join_path(path, spec.name);
    if (!spec.files_only) {
      if (value->is_map()) refuse_files_only_keys(*value, present, spec.keys, key, diagnostics);
    } else if (present != nullptr &&
               to_json(*present, Redact::kSecrets) == to_json(*value, Redact::kNo)) {
      given.erase(spec.name);
    } else {
      diagnostics.error(value->origin, key, "only the configuration's files may say this");
    }
  }
}

void drop_empty_maps(Value& value) {
  std::vector<std::string> empty;
  for (auto& entry : value.entries()) {
    if (!entry.value.is_map()) continue;
    drop_empty_maps(entry.value);
    if (entry.value.as_map().empty()) empty.push_back(entry.key);
  }
  for (const auto& key : empty) value.erase(key);
}

}  // namespace

const Value* SectionKeys::in(const Value& tree) const { return tree.find_path(path); }

Value* SectionKeys::in(Value& tree) const {
  return const_cast<Value*>(std::as_const(tree).find_path(path));
}

void mark_secrets(Value& tree, const std::vector<SectionKeys>& sections) {
  for (const auto& section : sections) {
    if (Value* given = section.in(tree)) mark_keys(*given, section.schema->keys);
  }
}

void take_change(Value& change, const Value& written, const std::vector<SectionKeys>& sections,
                 const Origin& origin, Diagnostics& diagnostics) {
  set_origin(change, origin);
  take_text_as_it_is(change);
  SecretTaker taker(diagnostics);
  for (const auto& section : sections) {
    Value* given = section.in(change);
    if (given == nullptr) continue;
    taker.keys(*given, section.schema->keys, section.in(written), section.path);
  }
}

void refuse_files_only(Value& change, const Value& effective,
                       const std::vector<SectionKeys>& sections, Diagnostics& diagnostics) {
  for (const auto& section : sections) {
    Value* given = section.in(change);
    if (given == nullptr) continue;
    refuse_files_only_keys(*given, section.in(effective), section.schema->keys, section.path,
                           diagnostics);
  }
}

void lay_change(Value& written, const Value& change) {
  for (const auto& entry : change.as_map()) {
    Value* present = written.find(entry.key);
    if (entry.value.is_null()) {
      written.erase(entry.key);
    } else if (entry.value.is_map()) {
      if (present == nullptr || !present->is_map()) written.set(entry.key, Value::map());
      lay_change(*written.find(entry.key), entry.value);
    } else {
      written.set(entry.key, entry.value);
    }
  }
}

void drop_what_files_say(Value& written, const Settings& without, const Settings& with,
                         const std::vector<SectionKeys>& sections) {
  for (const auto& section : sections) {
    Value* given = section.in(written);
    const Value* lower = typed_section(without, section.section);
    const Value* upper = typed_section(with, section.section);
    if (given == nullptr || lower == nullptr || upper == nullptr) continue;
    drop_same(*given, *lower, *upper, section.schema->keys);
  }
  drop_empty_maps(written);
}

void refuse_overruled(const Value& change, const Settings& with,
                      const std::vector<SectionKeys>& sections, const Origin& origin,
                      Diagnostics& diagnostics) {
  for (const auto& section : sections) {
    const Value* wanted = section.in(change);
    const Value* holds = typed_section(with, section.section);
    if (wanted == nullptr || holds == nullptr) continue;
    refuse_in(*wanted, *holds, section.schema->keys, section.path, origin, diagnostics);
  }
}

}  // namespace gantry::config
