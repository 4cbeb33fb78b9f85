// SPDX-License-Identifier: Apache-2.0
// Reading and merging the layers.
#include "config/layers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/written.hpp"
#include "config/yaml.hpp"

namespace gantry::config {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kSections{"kernel", "log", "plugins"};

bool is_section(std::string_view word) {
  return std::find(kSections.begin(), kSections.end(), word) != kSections.end();
}

// A heading with nothing but comments below it says nothing.
void drop_empty(Value& map, std::string_view key) {
  const Value* value = map.find(key);
  if (value != nullptr && value->is_null()) map.erase(key);
}

// `mock: false` and `mock:` become maps before the layers merge, so that an empty entry enables a
// plugin instead of taking it back.
void open_short_forms(Value& tree) {
  for (const auto section : kSections) drop_empty(tree, section);
  Value* plugins = tree.find("plugins");
  if (plugins == nullptr || !plugins->is_map()) return;
  for (auto& entry : plugins->entries()) {
    drop_empty(entry.value, "config");
    if (!entry.value.is_null() && entry.value.kind() != Kind::kBool) continue;
    Value body = Value::map();
    body.origin = entry.origin;
    if (entry.value.kind() == Kind::kBool) body.set("enabled", entry.value);
    entry.value = std::move(body);
  }
}

std::vector<std::string> take_profiles(Value& tree, Origin& chosen, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  const Value* profile = tree.find("profile");
  if (profile == nullptr) return names;
  chosen = profile->origin;
  if (profile->is_text()) names.push_back(profile->as_text());
  for (const auto& item : profile->as_list()) names.push_back(item.as_text());
  const bool usable = !names.empty() && std::none_of(names.begin(), names.end(),
                                                     [](const auto& name) { return name.empty(); });
  if (!usable && !profile->is_null()) {
    diagnostics.error(
        profile->origin, "profile",
        "found " + profile->describe() + ", allowed: a profile name or a list of them");
  }
  tree.erase("profile");
  return names;
}

std::vector<std::string> yaml_stems(const fs::path& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".yaml") names.push_back(at->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool lay(Layers& layers, const fs::path& file, Diagnostics& diagnostics) {
  auto tree = load_yaml(file, diagnostics);
  if (!tree) return false;
  if (const Value* profile = tree->find("profile")) {
    diagnostics.error(profile->origin, "profile", "only the main file chooses a profile");
  }
  open_short_forms(*tree);
  merge(layers.tree, *tree);
  layers.files.push_back(file.string());
  return true;
}

std::optional<fs::path> find_profile(const std::string& name, const LayerOptions& options) {
  std::error_code error;
  if (name.find('/') != std::string::npos) {
    return fs::exists(name, error) ? std::optional<fs::path>(name) : std::nullopt;
  }
  for (const auto& dir : options.profile_dirs) {
    auto file = dir / (name + ".yaml");
    if (fs::exists(file, error)) return file;
  }
  return std::nullopt;
}

bool lay_profiles(Layers& layers, const LayerOptions& options, const Origin& chosen,
                  Diagnostics& diagnostics) {
  for (const auto& name : layers.profiles) {
    const auto file = find_profile(name, options);
    if (!file) {
      std::vector<std::string> known;
      std::vector<std::string> searched;
      for (const auto& dir : options.profile_dirs) {
        searched.push_back(dir.string());
        for (auto& stem : yaml_stems(dir)) known.push_back(std::move(stem));
      }
      diagnostics.error(chosen, "profile",
                        "there is no profile '" + name + "'." + did_you_mean(name, known) +
                            " Profiles in " + join(searched) + ": " +
                            (known.empty() ? "none" : join(known)));
      return false;
    }
    if (!lay(layers, *file, diagnostics)) return false;
  }
  return true;
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : path) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Value set_value(const std::string& text, const Origin& origin, Diagnostics& diagnostics) {
  const bool structured =
      !text.empty() && (text[0] == '[' || text[0] == '{' || text[0] == '"' || text[0] == '\'');
  Value value(text);
  if (structured) {
    if (auto parsed = parse_yaml(text, origin.file, diagnostics)) value = std::move(*parsed);
  } else {
    value.spelling = text;
    value.loose = true;
  }
  value.origin = origin;
  return value;
}

std::vector<std::string> keys_of(const Value* map) {
  std::vector<std::string> keys;
  if (map == nullptr) return keys;
  for (const auto& entry : map->as_map()) keys.push_back(entry.key);
  return keys;
}

// Listed means enabled, so a setting for a plugin that the files do not list would start it
// unasked.
void refuse_unlisted(const Layers& layers, Diagnostics& diagnostics) {
  const Value* sets = layers.sets.find("plugins");
  if (sets == nullptr) return;
  const auto listed = keys_of(layers.tree.find("plugins"));
  for (const auto& entry : sets->as_map()) {
    const bool asked_for =
        entry.value.find("enabled") != nullptr || entry.value.find("path") != nullptr;
    if (asked_for || std::find(listed.begin(), listed.end(), entry.key) != listed.end()) continue;
    diagnostics.error(entry.value.origin, join_path("plugins", entry.key),
                      "the configuration does not list this plugin, and setting a key of it does "
                      "not start it; start it with --set plugins." +
                          entry.key + "=true." + did_you_mean(entry.key, listed));
  }
}

// Which folder they are in, all other layers say.
std::filesystem::path written_file(const Layers& layers, const LayerOptions& options) {
  Layers without = layers;
  merge(without.tree, options.overlay);
  merge(without.tree, layers.sets);
  Diagnostics found_later;
  const Settings settings = settle(without, options.environment, found_later);
  const Value* wanted = settings.kernel.find("write_settings");
  if (wanted != nullptr && !wanted->as_bool()) return {};
  const Value* dir = settings.kernel.find("state_dir");
  const auto environment = with_standard_dirs(
      options.environment, StandardDirs{dir != nullptr ? dir->as_text() : std::string(), {}, {}});
  const auto state = environment.get("GANTRY_STATE_DIR");
  return state && !state->empty() ? fs::path(*state) / kWrittenName : fs::path();
}

bool lay_written(Layers& layers, const LayerOptions& options, Diagnostics& diagnostics) {
  layers.written_file = written_file(layers, options);
  if (layers.written_file.empty()) return true;
  auto written = options.written ? options.written : load_written(layers.written_file, diagnostics);
  if (!written || !admit_written(*written, diagnostics)) return false;
  layers.written = *written;
  if (!written->as_map().empty()) layers.files.push_back(layers.written_file.string());
  open_short_forms(*written);
  leave_out_unlisted(*written, layers.tree, diagnostics);
  merge(layers.tree, *written);
  return true;
}

}  // namespace

bool parse_set(const std::string& text, Value& tree, Diagnostics& diagnostics) {
  const Origin origin{"--set", 0};
  const std::size_t equals = text.find('=');
  auto parts = split_path(text.substr(0, equals));
  const bool has_empty =
      std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty(); });
  if (equals == std::string::npos || has_empty) {
    diagnostics.error(origin, "", "found '" + text + "', allowed: key.key=value");
    return false;
  }
  if (!is_section(parts.front())) {
    if (parts.size() < 2) {
      diagnostics.error(
          origin, parts.front(),
          "found '" + text + "', allowed: kernel.…=, log.…=, plugins.…= or <plugin>.<key>=");
      return false;
    }
    parts.insert(parts.begin() + 1, "config");
    parts.insert(parts.begin(), "plugins");
  }
  Value value = set_value(text.substr(equals + 1), origin, diagnostics);
  if (parts.size() == 2 && parts[0] == "plugins") {
    // `--set plugins.mock=true`, the short form of a file.
    parts.emplace_back("enabled");
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    Value outer = Value::map();
    outer.origin = origin;
    outer.set(*part, std::move(value));
    value = std::move(outer);
  }
  merge(tree, value);
  return true;
}

std::optional<Layers> read_layers(const LayerOptions& options, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  Layers layers;
  Value main = Value::map();
  if (!options.main_file.empty()) {
    auto loaded = load_yaml(options.main_file, diagnostics);
    if (!loaded) return std::nullopt;
    main = std::move(*loaded);
    if (!main.is_map()) {
      diagnostics.error(main.origin, "", "found " + main.describe() + ", allowed: a map");
      return std::nullopt;
    }
  }
  Origin chosen{options.main_file.string(), 0};
  layers.profiles = take_profiles(main, chosen, diagnostics);
  if (!options.profiles.empty()) {
    layers.profiles = options.profiles;
    chosen = {options.profiles_from, 0};
  }
  if (layers.profiles.empty()) layers.profiles = {"desktop"};
  if (!lay_profiles(layers, options, chosen, diagnostics)) return std::nullopt;

  if (!options.main_file.empty()) {
    open_short_forms(main);
    merge(layers.tree, main);
    layers.files.push_back(options.main_file.string());
  }
  fs::path drop_ins = options.drop_in_dir;
  if (drop_ins.empty() && !options.main_file.empty()) {
    drop_ins = options.main_file.parent_path() / "plugins.d";
  }
  if (!drop_ins.empty()) {
    for (const auto& name : yaml_stems(drop_ins)) {
      if (!lay(layers, drop_ins / (name + ".yaml"), diagnostics)) return std::nullopt;
    }
  }
  for (const auto& text : options.sets) parse_set(text, layers.sets, diagnostics);
  if (options.with_written && !lay_written(layers, options, diagnostics)) return std::nullopt;
  merge(layers.tree, options.overlay);
  refuse_unlisted(layers, diagnostics);
  merge(layers.tree, layers.sets);
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return layers;
}

}  // namespace gantry::config
