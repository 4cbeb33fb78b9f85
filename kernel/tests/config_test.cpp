// SPDX-License-Identifier: Apache-2.0
// Runs the table cases/config.yaml, and what a table cannot say.
#include "config/layers.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <cerrno>
#include <system_error>

#include "config/format.hpp"
#include "config/json_schema.hpp"
#include "config/reference.hpp"
#include "config/written.hpp"
#include "test_files.hpp"

namespace gantry::config {
namespace {

using test::TempDir;
using test::text_of;

struct Outcome {
  Diagnostics diagnostics;
  std::optional<PluginSettings> demo;
};

std::map<std::string, std::string> texts(const Value* map) {
  std::map<std::string, std::string> out;
  if (map == nullptr) return out;
  for (const auto& entry : map->as_map()) out[entry.key] = entry.value.as_text();
  return out;
}

Outcome run(const Value& test_case, const TempDir& dir) {
  Outcome outcome;
  LayerOptions options;
  options.main_file = dir.write("main.yaml", text_of(test_case, "main"));
  options.profile_dirs = {dir.path() / "profiles"};
  auto profiles = texts(test_case.find("profiles"));
  if (profiles.empty()) profiles["desktop"] = text_of(test_case, "profile");
  for (const auto& [name, text] : profiles) dir.write("profiles/" + name + ".yaml", text);
  for (const auto& [name, text] : texts(test_case.find("drop_ins"))) {
    dir.write("plugins.d/" + name + ".yaml", text);
  }
  for (const auto& [name, text] : texts(test_case.find("files"))) {
    namespace fs = std::filesystem;
    fs::permissions(dir.write(name, text), fs::perms::owner_read | fs::perms::owner_write);
  }
  options.environment = Environment::of(texts(test_case.find("env")));
  if (const Value* sets = test_case.find("sets")) {
    for (const auto& set : sets->as_list()) options.sets.push_back(set.as_text());
  }
  auto& diagnostics = outcome.diagnostics;
  const auto schema_tree = parse_yaml(text_of(test_case, "schema"), "plugin.yaml", diagnostics);
  const Schema schema = parse_schema(*schema_tree, "config", diagnostics);
  if (diagnostics.has_errors()) return outcome;
  const auto layers = read_layers(options, diagnostics);
  if (!layers) return outcome;
  Settings settings = settle(*layers, options.environment, diagnostics);
  for (auto& plugin : settings.plugins) {
    if (plugin.name != "demo") continue;
    if (plugin.enabled) complete_plugin(plugin, schema, *layers, options.environment, diagnostics);
    outcome.demo = plugin;
  }
  return outcome;
}

void expect_errors(const Value& expected, const Diagnostics& diagnostics) {
  const std::string all = diagnostics.to_string();
  INFO(all);
  for (const auto& part : expected.as_list()) {
    INFO("expected: " << part.as_text());
    CHECK(all.find(part.as_text()) != std::string::npos);
  }
  CHECK(diagnostics.items().size() == expected.as_list().size());
}

TEST_CASE("configuration table") {
  const Value cases = test::load_cases("kernel/tests/cases/config.yaml");
  for (const auto& test_case : cases.as_list()) {
    const TempDir dir;
    INFO(text_of(test_case, "name"));
    const Outcome outcome = run(test_case, dir);
    if (const Value* errors = test_case.find("errors")) {
      expect_errors(*errors, outcome.diagnostics);
    } else {
      CHECK(outcome.diagnostics.to_string().empty());
      REQUIRE(outcome.demo.has_value());
      CHECK(outcome.demo->enabled == (test_case.find("disabled") == nullptr));
      if (outcome.demo->enabled) {
        CHECK(to_json(outcome.demo->config, Redact::kNo) == text_of(test_case, "config"));
      }
    }
    if (const Value* printed = test_case.find("printed")) {
      CHECK(to_json(outcome.demo->config, Redact::kSecrets) == printed->as_text());
    }
    if (const Value* absent = test_case.find("absent")) {
      CHECK(outcome.diagnostics.to_string().find(absent->as_text()) == std::string::npos);
    }
  }
}

TEST_CASE("a profile that the file did not choose is no fault of the file") {
  const TempDir dir;
  LayerOptions options;
  options.main_file = dir.write("main.yaml", "profile: desktop\n");
  options.profile_dirs = {dir.path() / "profiles"};
  options.profiles = {"deskop"};
  dir.write("profiles/desktop.yaml", "{}");
  for (const char* from : {"--profile", "GANTRY_PROFILE"}) {
    options.profiles_from = from;
    Diagnostics diagnostics;
    CHECK_FALSE(read_layers(options, diagnostics));
    CHECK(diagnostics.to_string().starts_with(
        std::string(from) +
        ": error: profile: there is no profile 'deskop'. Did you mean 'desktop'?"));
  }
}

TEST_CASE("a secret file that others can read is a warning") {
  const TempDir dir;
  const auto file = dir.write("token", "x");
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  Value value("file:" + file.string());
  value.secret = true;
  Diagnostics diagnostics;
  read_secret_files(value, "token", diagnostics);
  CHECK(value.as_text() == "x");
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items()[0].message.find("chmod 600") != std::string::npos);
}

TEST_CASE("YAML's escapes are characters, not bytes") {
  Diagnostics diagnostics;
  const auto value = parse_yaml("a: \"x\\Ny\\_z\\x85\"", "x", diagnostics);
  REQUIRE(value);
  CHECK(value->find("a")->as_text() == "x\u0085y\u00A0z\u0085");
}

TEST_CASE("YAML beyond the limits is refused") {
  Diagnostics diagnostics;
  SECTION("depth") {
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += "[";
    for (int i = 0; i < 100; ++i) deep += "]";
    CHECK(!parse_yaml(deep, "x", diagnostics));
    CHECK(diagnostics.to_string().find("nested deeper than 64 levels") != std::string::npos);
  }
  SECTION("aliases that multiply") {
    std::string bomb = "a: &a [1,1,1,1,1,1,1,1,1,1]\n";
    for (char c = 'b'; c <= 'g'; ++c) {
      const std::string before(1, static_cast<char>(c - 1));
      bomb += std::string(1, c) + ": &" + std::string(1, c) + " [";
      for (int i = 0; i < 10; ++i) bomb += (i > 0 ? ",*" : "*") + before;
      bomb += "]\n";
    }
    CHECK(!parse_yaml(bomb, "x", diagnostics));
    CHECK(diagnostics.to_string().find("more than 100000 values") != std::string::npos);
  }
  SECTION("a document that begins with a comma, of which yaml-cpp finds one after the other") {
    CHECK(!parse_yaml(",l.g", "x", diagnostics));
  }
  SECTION("text that is not UTF-8") {
    CHECK(!parse_yaml("a: 1\n,l.g\xC0gg:", "x", diagnostics));
    CHECK(diagnostics.to_string().find("x:2: error: not UTF-8 text") != std::string::npos);
  }
  SECTION("control characters") {
    CHECK(!parse_yaml("a: 'b\x0E'", "x", diagnostics));
    CHECK(diagnostics.to_string().find("a control character") != std::string::npos);
  }
  SECTION("size") {
    YamlLimits limits;
    limits.bytes = 10;
    CHECK(!parse_yaml("aaaaaaaaaaaaaa", "x", diagnostics, limits));
    CHECK(diagnostics.to_string().find("larger than 10 bytes") != std::string::npos);
  }
}

TEST_CASE("printed YAML reads back to the same tree") {
  const std::string text =
      "a: 1\nb: [x, 'true', \"1\", 2.5, ~, {k: v}]\nc: {}\nd: []\n'odd key: #': \"line\\nbreak\"\n"
      "yes: 'y'\nbig: 9223372036854775807\nsmall: -9223372036854775808\n";
  Diagnostics diagnostics;
  const auto first = parse_yaml(text, "x", diagnostics);
  REQUIRE(first);
  const auto second = parse_yaml(to_yaml(*first, Redact::kNo), "y", diagnostics);
  INFO(to_yaml(*first, Redact::kNo));
  REQUIRE(second);
  CHECK(*first == *second);
}

TEST_CASE("a difference names each key with its reload kind") {
  Diagnostics diagnostics;
  const Schema schema = parse_schema(
      *parse_yaml("a: {type: int, default: 1, reload: live}\n"
                  "b: {type: map, keys: {c: {type: int, default: 2}, d: {type: int, default: 3}}}\n"
                  "e: {type: string, secret: true}\n",
                  "plugin.yaml", diagnostics),
      "config", diagnostics);
  const auto config = [&](const std::string& text) {
    return apply_schema(schema, *parse_yaml(text, "x", diagnostics), "", diagnostics);
  };
  const auto changes = diff("demo", schema, config("{}"), config("{a: 5, b: {c: 9}, e: hunter2}"));
  REQUIRE(diagnostics.to_string().empty());
  REQUIRE(changes.size() == 3);
  CHECK(changes[0].to_string() == "demo.a: 1 -> 5 (live)");
  CHECK(changes[1].to_string() == "demo.b.c: 2 -> 9 (restart)");
  CHECK(changes[2].to_string() == "demo.e: null -> \"***\" (restart)");
  CHECK(diff("demo", schema, config("{a: 1}"), config("{}")).empty());
}

TEST_CASE("kernel and log keys have defaults and environment names") {
  Diagnostics diagnostics;
  const Layers layers;
  const auto settings = settle(
      layers, Environment::of({{"GANTRY_LOG_LEVEL", "debug"}, {"GANTRY_KERNEL_THREADS", "3"}}),
      diagnostics);
  CHECK(diagnostics.to_string().empty());
  CHECK(settings.log.find("level")->as_text() == "debug");
  CHECK(settings.kernel.find("threads")->as_int() == 3);
  CHECK(settings.kernel.find("stop_timeout")->as_int() == 3000);
}

TEST_CASE("a default may lie in a standard folder") {
  Diagnostics diagnostics;
  const Schema schema =
      parse_schema(*parse_yaml("socket: {type: string, default: '${GANTRY_RUNTIME_DIR}/c.sock'}\n"
                               "db: {type: string, default: '${GANTRY_STATE_DIR}/db'}\n"
                               "models: {type: string, default: '${GANTRY_MODELS_DIR}'}\n",
                               "plugin.yaml", diagnostics),
                   "config", diagnostics);
  const auto config = [&](std::map<std::string, std::string> variables,
                          const std::string& dir = {}) {
    StandardDirs dirs;
    if (!dir.empty()) dirs = {dir, dir + "/models", "/usr"};
    PluginSettings plugin;
    plugin.name = "demo";
    complete_plugin(plugin, schema, Layers{},
                    with_standard_dirs(Environment::of(std::move(variables)), dirs), diagnostics);
    return to_json(plugin.config, Redact::kNo);
  };
  CHECK(
      config({{"XDG_RUNTIME_DIR", "/run/user/7"},
              {"XDG_STATE_HOME", "/s"},
              {"XDG_CACHE_HOME", "/x"}}) ==
      R"({"socket":"/run/user/7/gantry/c.sock","db":"/s/gantry/db","models":"/x/gantry/models"})");
  CHECK(config({{"GANTRY_RUNTIME_DIR", "/r"}, {"XDG_STATE_HOME", "/s"}}, "/mine") ==
        R"({"socket":"/r/c.sock","db":"/mine/db","models":"/mine/models"})");
  CHECK(diagnostics.to_string().empty());
}

TEST_CASE("a file that would wait for its writer is refused without waiting") {
  const TempDir dir;
  const std::string fifo = (dir.path() / "key.pem").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const int both = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(both >= 0);
  const std::string held = format_fault(Format::kFile, fifo);  // open() would not wait here
  ::close(both);
  REQUIRE(held == fifo + " is not a regular file");
  CHECK(format_fault(Format::kFile, fifo) == held);
}

TEST_CASE("what cannot be read to its end is no empty configuration") {
  const TempDir dir;
  std::string reason;
  CHECK_FALSE(read_file("/proc/self/mem", 1000, reason));  // opens, and fails to read at 0
  CHECK(reason == std::generic_category().message(EIO));
  CHECK_FALSE(read_file(dir.path(), 1000, reason));
  CHECK(reason == "is a directory");
  CHECK_FALSE(read_file(dir.path() / "none", 1000, reason));
  CHECK(reason == std::generic_category().message(ENOENT));
  REQUIRE_FALSE(read_file("/dev/null", 1000, reason));
  REQUIRE(reason == "is no regular file");

  const auto fifo = dir.path() / "settings.yaml";  // with nobody to write to it
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  Diagnostics diagnostics;
  CHECK_FALSE(load_written(fifo, diagnostics));
  CHECK(diagnostics.to_string().find("is no regular file") != std::string::npos);

  CHECK(read_file(dir.write("empty", ""), 1000, reason) == "");
  CHECK(read_file(dir.write("big", std::string(40'000, 'x')), 40'000, reason)->size() == 40'000);
  CHECK_FALSE(read_file(dir.path() / "big", 39'999, reason));
}

TEST_CASE("a secret whose file cannot be read is an error") {
  Value value(std::string("file:/proc/self/mem"));
  value.secret = true;
  Diagnostics diagnostics;
  read_secret_files(value, "token", diagnostics);
  CHECK(diagnostics.has_errors());
  CHECK(diagnostics.to_string().find("/proc/self/mem: ") != std::string::npos);
}

TEST_CASE("nearest finds slips of the finger and nothing else") {
  const std::vector<std::string> known{"port", "listeners", "enabled"};
  CHECK(nearest("prot", known) == "port");
  CHECK(nearest("listener", known) == "listeners");
  CHECK(nearest("enabeld", known) == "enabled");
  CHECK(nearest("wallpaper", known).empty());
  CHECK(nearest("", known).empty());
}

TEST_CASE("the reference lists every key once") {
  Diagnostics diagnostics;
  const Schema schema = parse_schema(*parse_yaml("port: {type: int, default: 5001, range: [0, "
                                                 "65535], doc: 'Where | it listens.', env: OLD}",
                                                 "plugin.yaml", diagnostics),
                                     "config", diagnostics);
  const std::string text = reference_markdown({{"demo", "A demo.", &schema}});
  CHECK(text.find("## plugins.demo.config\n\nA demo.\n") != std::string::npos);
  CHECK(text.find("| `port` | int in 0…65535 | `5001` | restart | Where \\| it listens. "
                  "Environment: `OLD`. |") != std::string::npos);
}

TEST_CASE("the reference for programs holds the same keys as JSON") {
  Diagnostics diagnostics;
  const Schema schema = parse_schema(
      *parse_yaml("wait: {type: duration, default: 2s, reload: live}\n"
                  "hosts: {type: map, entries: {type: map, keys: {token: {type: string, secret: "
                  "true, default: swordfish}}}}\n",
                  "plugin.yaml", diagnostics),
      "config", diagnostics);
  const auto tree =
      parse_yaml(reference_json({{"demo", "A demo.", &schema}}), "reference", diagnostics);
  REQUIRE(diagnostics.to_string().empty());
  std::map<std::string, Value> keys;
  for (const auto& section : tree->find("sections")->as_list()) {
    for (const auto& key : section.find("keys")->as_list()) {
      keys[section.find("section")->as_text() + " " + key.find("key")->as_text()] = key;
    }
  }
  const auto wait = keys["plugins.demo.config wait"];
  CHECK(wait.find("type")->as_text() == "duration");
  CHECK(wait.find("default")->as_int() == 2000);
  CHECK(wait.find("reload")->as_text() == "live");
  const auto token = keys["plugins.demo.config hosts.<name>.token"];
  CHECK(token.find("secret")->as_bool());
  CHECK(token.find("default")->as_text() == "***");
  CHECK(keys.count("kernel threads") == 1);
  CHECK(keys.count("plugins.<name> enabled") == 1);
}

TEST_CASE("the keys as a JSON Schema, and a file of their defaults") {
  Diagnostics diagnostics;
  const Schema schema = parse_schema(
      *parse_yaml(
          "wait: {type: duration, default: 2s, range: [100, 5000], reload: live}\n"
          "mode: {type: enum, values: [a, b], default: a, doc: How., files_only: true}\n"
          "name: {type: string, required: true}\n"
          "token: {type: string, secret: true, default: swordfish}\n"
          "rows: {type: list, items: {type: map, keys: {x: {type: float, range: [0, 1]}}}}\n"
          "limits: {type: map, keys: {most: {type: int, default: 3}}}\n"
          "by_name: {type: map, entries: {type: bool}}\n",
          "plugin.yaml", diagnostics),
      "config", diagnostics);
  const std::vector<ReferenceSection> plugins{{"demo", "A demo.", &schema}};
  const auto tree = parse_yaml(schema_json(plugins), "schema", diagnostics);
  const auto defaults = parse_yaml(defaults_json(plugins), "defaults", diagnostics);
  REQUIRE(diagnostics.to_string().empty());
  const Value* config = tree->find_path("properties.plugins.properties.demo.properties.config");
  REQUIRE(config != nullptr);
  CHECK(config->find("description")->as_text() == "A demo.");
  CHECK_FALSE(config->find("additionalProperties")->as_bool());
  CHECK(config->find("required")->as_list().at(0).as_text() == "name");
  const Value& keys = *config->find("properties");
  CHECK(keys.find_path("wait.type")->as_list().size() == 2);
  CHECK(keys.find_path("wait.default")->as_int() == 2000);
  CHECK(keys.find_path("wait.maximum")->as_int() == 5000);
  CHECK(keys.find_path("wait.x-reload")->as_text() == "live");
  CHECK(keys.find_path("mode.enum")->as_list().size() == 2);
  CHECK(keys.find_path("mode.readOnly")->as_bool());
  CHECK(keys.find_path("token.writeOnly")->as_bool());
  CHECK(keys.find_path("rows.items.properties.x.type")->as_text() == "number");
  CHECK(keys.find_path("limits.properties.most.default")->as_int() == 3);
  CHECK(keys.find_path("by_name.additionalProperties.type")->as_text() == "boolean");
  CHECK(tree->find_path("properties.log.properties.level.enum") != nullptr);
  CHECK(schema_json(plugins).find("swordfish") == std::string::npos);
  CHECK(defaults->find_path("plugins.demo.config.wait")->as_int() == 2000);
  CHECK(defaults->find_path("plugins.demo.config.limits.most")->as_int() == 3);
  CHECK(defaults->find_path("plugins.demo.config.token")->as_text() == "***");
  CHECK(defaults->find_path("plugins.demo.config.name") == nullptr);
  CHECK(defaults->find_path("log.level")->as_text() == "info");
}

}  // namespace
}  // namespace gantry::config
