// SPDX-License-Identifier: Apache-2.0
#include "config/reference.hpp"

#include "config/layers.hpp"

namespace gantry::config {
namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|')
      out += "\\|";
    else if (c == '\n')
      out += ' ';
    else
      out += c;
  }
  return out;
}

std::string shown_default(const KeySpec& key) {
  if (key.required) return "required";
  if (key.default_value.is_null()) return "not set";
  if (!key.default_value.spelling.empty()) return "`" + key.default_value.spelling + "`";
  return "`" + to_json(key.default_value, Redact::kSecrets) + "`";
}

std::string notes(const KeySpec& key) {
  std::string text = cell(key.doc);
  if (key.secret) text += " Secret: may be `file:/path`; printed as `***`.";
  std::string names;
  for (const auto& name : key.env) names += (names.empty() ? "`" : ", `") + name + "`";
  if (!names.empty()) text += " Environment: " + names + ".";
  if (!key.unless_key.empty()) {
    text += " Required unless `" + key.unless_key + "` is one of " + cell(join(key.unless_values)) +
            ".";
  }
  return text;
}

void rows(const std::vector<KeySpec>& keys, const std::string& prefix, std::string& out) {
  for (const auto& key : keys) {
    const std::string path = prefix + key.name;
    out += "| `" + path + "` | " + cell(key.allowed()) + " | " + cell(shown_default(key)) + " | " +
           (key.reload == Reload::kLive ? "live" : "restart") +
           (key.files_only ? ", files only" : "") + " | " + notes(key) + " |\n";
    rows(key.keys, path + ".", out);
    if (key.entries) rows(key.entries->keys, path + ".<name>.", out);
    if (key.items) rows(key.items->keys, path + "[].", out);
  }
}

void table(const std::vector<KeySpec>& keys, std::string& out) {
  if (keys.empty()) {
    out += "No keys.\n";
    return;
  }
  out += "| key | allowed | default | change | meaning |\n|---|---|---|---|---|\n";
  rows(keys, "", out);
}

Value texts(const std::vector<std::string>& words) {
  Value out{Value::List{}};
  for (const auto& word : words) out.list().emplace_back(word);
  return out;
}

void list_keys(const std::vector<KeySpec>& keys, const std::string& prefix, Value& out) {
  for (const auto& key : keys) {
    const std::string path = prefix + key.name;
    Value row = Value::map();
    row.set("key", Value(path));
    row.set("type", Value(std::string(type_name(key.type))));
    row.set("allowed", Value(key.allowed()));
    row.set("default", key.default_value);
    row.set("required", Value(key.required));
    row.set("secret", Value(key.secret));
    row.set("reload", Value(std::string(key.reload == Reload::kLive ? "live" : "restart")));
    row.set("files_only", Value(key.files_only));
    row.set("values", texts(key.values));
    row.set("environment", texts(key.env));
    row.set("doc", Value(key.doc));
    out.list().push_back(std::move(row));
    list_keys(key.keys, path + ".", out);
    if (key.entries) list_keys(key.entries->keys, path + ".<name>.", out);
    if (key.items) list_keys(key.items->keys, path + "[].", out);
  }
}

void list_section(const std::string& path, const std::string& doc, const std::vector<KeySpec>& keys,
                  Value& out) {
  Value section = Value::map();
  section.set("section", Value(path));
  section.set("doc", Value(doc));
  Value listed{Value::List{}};
  list_keys(keys, "", listed);
  section.set("keys", std::move(listed));
  out.list().push_back(std::move(section));
}

}  // namespace

std::string reference_json(const std::vector<ReferenceSection>& plugins) {
  Value sections{Value::List{}};
  for (const auto* name : {"kernel", "log"}) {
    const KeySpec* spec = builtin_schema().find(name);
    list_section(name, spec->doc, spec->keys, sections);
  }
  const KeySpec* entry = builtin_schema().find("plugins");
  list_section("plugins.<name>", entry->doc, entry->entries->keys, sections);
  for (const auto& plugin : plugins) {
    list_section("plugins." + plugin.name + ".config", plugin.summary, plugin.schema->keys,
                 sections);
  }
  Value tree = Value::map();
  tree.set("sections", std::move(sections));
  return to_json(tree, Redact::kSecrets);
}

std::string reference_markdown(const std::vector<ReferenceSection>& plugins) {
  std::string out =
      "# Configuration reference\n\n"
      "Made by `gantry config reference` from the manifests; do not edit.\n\n"
      "Every key can also be set by the environment variable `GANTRY_<SECTION>_<KEY>` (nested keys "
      "joined "
      "by `_`) and by `--set section.key=value`. A change marked *live* reaches the running "
      "plugin; "
      "*restart* restarts that plugin and the plugins that need it; *files only* is taken from "
      "files, the environment and `--set`, and never from a client.\n";
  for (const auto* section : {"kernel", "log"}) {
    const KeySpec* spec = builtin_schema().find(section);
    out += "\n## " + std::string(section) + "\n\n" + spec->doc + "\n\n";
    table(spec->keys, out);
  }
  const KeySpec* entry = builtin_schema().find("plugins");
  out += "\n## plugins.&lt;name&gt;\n\n" + entry->doc + "\n\n";
  table(entry->entries->keys, out);
  for (const auto& plugin : plugins) {
    out += "\n## plugins." + plugin.name + ".config\n\n" + plugin.summary + "\n\n";
    table(plugin.schema->keys, out);
  }
  return out;
}

}  // namespace gantry::config
