// SPDX-License-Identifier: Apache-2.0
// From the merged tree to checked settings.
#include <cctype>
#include <utility>

#include "config/layers.hpp"

namespace gantry::config {
namespace {

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return out;
}

void lay_environment(const std::vector<KeySpec>& keys, const std::string& plugin,
                     const std::string& prefix, const Environment& environment, Value& given) {
  for (const auto& key : keys) {
    KeySpec named = key;
    named.name = prefix + key.name;
    for (const auto& variable : env_names(named, plugin)) {
      const auto text = environment.get(variable);
      if (!text) continue;
      Value value(*text);
      value.spelling = *text;
      value.loose = true;
      value.origin = {"environment variable " + variable, 0};
      given.set(key.name, std::move(value));
      break;
    }
    if (key.keys.empty()) continue;
    Value* present = given.find(key.name);
    Value nested = present != nullptr ? *present : Value::map();
    if (!nested.is_map()) continue;
    lay_environment(key.keys, plugin, prefix + key.name + "_", environment, nested);
    if (!nested.as_map().empty() || present != nullptr) given.set(key.name, std::move(nested));
  }
}

// A default may name a standard folder: "${GANTRY_RUNTIME_DIR}/control.sock".
void expand_defaults(std::vector<KeySpec>& keys, const Environment& environment,
                     const std::string& path, Diagnostics& diagnostics) {
  for (auto& key : keys) {
    expand_variables(key.default_value, environment, join_path(path, key.name), diagnostics);
    expand_defaults(key.keys, environment, join_path(path, key.name), diagnostics);
  }
}

PluginSettings read_plugin(const Entry& entry, const Value& written) {
  PluginSettings plugin;
  const Value& body = entry.value;
  plugin.name = entry.key;
  plugin.origin = entry.origin;
  const auto text = [&](std::string_view key) {
    const Value* value = body.find(key);
    return value != nullptr ? value->as_text() : std::string{};
  };
  if (const Value* enabled = body.find("enabled")) plugin.enabled = enabled->as_bool();
  plugin.path = text("path");
  plugin.isolation = text("isolation") == "process" ? Isolation::kProcess : Isolation::kInProcess;
  plugin.trusted_in_process = text("trust") == "in-process";
  plugin.version = text("version");
  // The unchecked tree: the plugin's own schema reads it, with spelling and looseness intact.
  if (const Value* config = written.find("config"); config != nullptr && config->is_map()) {
    plugin.given = *config;
  }
  return plugin;
}

}  // namespace

const PluginSettings* Settings::find(std::string_view name) const {
  for (const auto& plugin : plugins) {
    if (plugin.name == name) return &plugin;
  }
  return nullptr;
}

std::vector<std::string> env_names(const KeySpec& key, const std::string& plugin) {
  std::vector<std::string> names = key.env;
  names.push_back("GANTRY_" + upper(plugin) + "_" + upper(key.name));
  return names;
}

Settings settle(const Layers& layers, const Environment& environment, Diagnostics& diagnostics) {
  Value tree = layers.tree;
  for (const auto* section : {"kernel", "log"}) {
    Value given = tree.find(section) != nullptr ? *tree.find(section) : Value::map();
    if (given.is_map()) {
      lay_environment(builtin_schema().find(section)->keys, section, "", environment, given);
      if (const Value* set = layers.sets.find(section)) merge(given, *set);
    }
    expand_variables(given, environment, section, diagnostics);
    tree.set(section, std::move(given));
  }
  // Everything of an entry but `config`, which waits for the plugin's manifest.
  Value outline = tree;
  if (Value* plugins = outline.find("plugins"); plugins != nullptr && plugins->is_map()) {
    for (auto& entry : plugins->entries()) {
      Value* config = entry.value.find("config");
      if (config != nullptr && config->is_map()) *config = Value::map();
      expand_variables(entry.value, environment, "plugins." + entry.key, diagnostics);
    }
  }
  const Value typed = apply_schema(builtin_schema(), outline, "", diagnostics);
  Settings settings;
  if (const Value* kernel = typed.find("kernel")) settings.kernel = *kernel;
  if (const Value* log = typed.find("log")) settings.log = *log;
  const Value* plugins = typed.find("plugins");
  if (plugins == nullptr) return settings;
  for (const auto& entry : plugins->as_map()) {
    if (!is_plugin_name(entry.key)) {
      diagnostics.error(
          entry.origin, join_path("plugins", entry.key),
          "a plugin's name is at most 64 of the letters a-z 0-9 _ and not kernel or log");
      continue;
    }
    settings.plugins.push_back(read_plugin(entry, *tree.find("plugins")->find(entry.key)));
  }
  return settings;
}

void complete_plugin(PluginSettings& plugin, const Schema& schema, const Layers& layers,
                     const Environment& environment, Diagnostics& diagnostics) {
  const std::string path = "plugins." + plugin.name + ".config";
  lay_environment(schema.keys, plugin.name, "", environment, plugin.given);
  if (const Value* set = layers.sets.find_path(path); set != nullptr) merge(plugin.given, *set);
  expand_variables(plugin.given, environment, path, diagnostics);
  Schema expanded = schema;
  expand_defaults(expanded.keys, environment, path, diagnostics);
  plugin.config = apply_schema(expanded, plugin.given, path, diagnostics);
  read_secret_files(plugin.config, path, diagnostics);
}

Value effective_tree(const Settings& settings) {
  Value tree = Value::map();
  tree.set("kernel", settings.kernel);
  tree.set("log", settings.log);
  Value plugins = Value::map();
  for (const auto& plugin : settings.plugins) {
    Value body = Value::map();
    body.set("enabled", Value(plugin.enabled));
    if (!plugin.path.empty()) body.set("path", Value(plugin.path));
    if (plugin.isolation == Isolation::kProcess)
      body.set("isolation", Value(std::string("process")));
    if (plugin.trusted_in_process) body.set("trust", Value(std::string("in-process")));
    if (!plugin.version.empty()) body.set("version", Value(plugin.version));
    body.set("config", plugin.enabled ? plugin.config : Value::map());
    plugins.set(plugin.name, std::move(body));
  }
  tree.set("plugins", std::move(plugins));
  return tree;
}

}  // namespace gantry::config
