// SPDX-License-Identifier: Apache-2.0
// Plans: which plugins would be opened and why the others are not. No library is opened here, so
// any file will do for one.
#include "plugin/plan.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "test_files.hpp"

namespace gantry::plugin {
namespace {

class Installation {
 public:
  Installation() {
    options_.vendor_dir = dir_.path() / "vendor";
    options_.user = geteuid();
    options_.host_version = {0, 1, 0};
    options_.layers.environment = config::Environment::of({});
    options_.layers.profile_dirs = {dir_.path()};
    dir_.write("test.yaml", "{}\n");
  }

  std::filesystem::path add(const std::string& place, const std::string& name,
                            const std::string& more = "") {
    const std::string folder = place + "/" + name;
    dir_.write(folder + "/plugin.yaml",
               "name: " + name + "\nversion: 1.2.3\nabi: \"1.0\"\nsummary: S.\n" + more);
    auto library = dir_.write(folder + "/" + name + ".so", "");
    for (const auto& path : {library, library.parent_path(), library.parent_path().parent_path()}) {
      chmod(path.c_str(), std::filesystem::is_directory(path) ? 0755 : 0644);
    }
    chmod((library.parent_path() / "plugin.yaml").c_str(), 0644);
    return library;
  }

  std::optional<Plan> plan(const std::string& config) {
    options_.layers.main_file = dir_.write("gantry.yaml", "profile: test\n" + config);
    return make_plan(options_, diagnostics_);
  }
  std::string refused(const std::string& config, const std::string& name) {
    const auto made = plan(config);
    INFO(diagnostics_.to_string());
    REQUIRE(made);
    REQUIRE(made->find(name) != nullptr);
    return made->find(name)->refused;
  }

  PlanOptions& options() { return options_; }
  std::string path(const std::string& relative) const { return (dir_.path() / relative).string(); }
  config::Diagnostics& diagnostics() { return diagnostics_; }

 private:
  test::TempDir dir_;
  PlanOptions options_;
  config::Diagnostics diagnostics_;
};

bool holds(const std::string& text, const std::string& part) {
  INFO(text);
  INFO(part);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

TEST_CASE("only what is listed and enabled is opened") {
  Installation place;
  place.add("vendor", "one");
  place.add("vendor", "two");
  place.add("vendor", "three");
  const auto plan = place.plan("plugins: {one: {}, two: false}");
  REQUIRE(plan);
  CHECK(plan->resolution.order == std::vector<std::string>{"one"});
  CHECK(plan->installed.size() == 3);
  CHECK(plan->find("three") == nullptr);
}

TEST_CASE("a plugin that is not there is refused with where it was looked for and what was meant") {
  Installation place;
  place.add("vendor", "transport");
  holds(place.refused("plugins: {transprot: {}}", "transprot"),
        "is not installed; looked for transprot/plugin.yaml in " + place.path("vendor") +
            ". Did you mean 'transport'?");
}

TEST_CASE("code from outside the installation needs the operator's word") {
  Installation place;
  place.add("mine", "tool");
  const std::string dirs = "kernel: {plugin_dirs: ['" + place.path("mine") + "']}\n";
  holds(place.refused(dirs + "plugins: {tool: {}}", "tool"), "set plugins.tool.trust: in-process");
  CHECK(place.refused(dirs + "plugins: {tool: {trust: in-process}}", "tool").empty());
  const std::string by_path =
      "plugins: {tool: {trust: in-process, path: '" + place.path("mine/tool") + "'}}";
  CHECK(place.refused(by_path, "tool").empty());
  holds(place.refused(dirs + "plugins: {tool: {isolation: process}}", "tool"),
        "isolation: found process, allowed: in-process");
  place.options().safe_mode = true;
  holds(place.refused(by_path, "tool"), "safe mode opens only the installation's own plugins");
}

TEST_CASE("a library that others may change is refused although it is the installation's") {
  Installation place;
  const auto library = place.add("vendor", "one");
  chmod(library.c_str(), 0666);
  holds(place.refused("plugins: {one: {}}", "one"), "is not trusted: ");
  chmod(library.c_str(), 0644);
  chmod((library.parent_path() / "plugin.yaml").c_str(), 0662);
  holds(place.refused("plugins: {one: {}}", "one"), "plugin.yaml has mode 0662");
}

TEST_CASE("versions must fit on both sides") {
  Installation place;
  place.add("vendor", "one");
  CHECK(place.refused("plugins: {one: {version: '^1.2'}}", "one").empty());
  holds(place.refused("plugins: {one: {version: '>=2'}}", "one"),
        "the configuration wants version >=2, installed is 1.2.3");
  holds(place.refused("plugins: {one: {version: new}}", "one"), "'new', which is none");
  place.add("vendor", "later", "gantry: \">=0.2\"\n");
  holds(place.refused("plugins: {later: {}}", "later"),
        "it works with gantry >=0.2, this is 0.1.0");
}

TEST_CASE("a wrong manifest refuses its plugin, a wrong configuration refuses the start") {
  Installation place;
  place.add("vendor", "one", "colour: red\n");
  place.add("vendor", "two", "config: {n: {type: int, default: 1}}\n");
  holds(place.refused("plugins: {one: {}, two: {}}", "one"), "colour: unknown key");
  CHECK(!place.plan("plugins: {two: {config: {n: x}}}"));
  holds(place.diagnostics().to_string(), "plugins.two.config.n: found text 'x', allowed: int");
}

TEST_CASE("who makes several mistakes is told all of them at once") {
  Installation place;
  place.add("vendor", "one", "config: {n: {type: int, default: 1}}\n");
  CHECK(
      !place.plan("log: {level: loud}\nkernel: {threads: few}\n"
                  "plugins: {one: {config: {n: x, m: 1}}, two: {}}"));
  const std::string all = place.diagnostics().to_string();
  holds(all, "gantry.yaml:2: error: log.level: found text 'loud'");
  holds(all, "gantry.yaml:3: error: kernel.threads: found text 'few'");
  holds(all, "gantry.yaml:4: error: plugins.one.config.n: found text 'x', allowed: int");
  holds(all, "gantry.yaml:4: error: plugins.one.config.m: unknown key");
  holds(all, "gantry.yaml:4: error: plugins.two: is not installed");
  CHECK(place.diagnostics().error_count() == 5);
}

TEST_CASE("safe mode takes every default") {
  Installation place;
  place.add("vendor", "one", "config: {n: {type: int, default: 1, env: [N]}}\n");
  place.options().layers.environment = config::Environment::of({{"N", "7"}});
  const std::string config = "plugins: {one: {config: {n: 5}}}";
  const auto value = [&](const char* text) {
    return config::to_json(place.plan(text)->settings.find("one")->config, config::Redact::kNo);
  };
  CHECK(value(config.c_str()) == "{\"n\":7}");
  place.options().safe_mode = true;
  CHECK(value(config.c_str()) == "{\"n\":1}");
}

TEST_CASE("safe mode has its folders where the environment has them") {
  Installation place;
  place.add("vendor", "one",
            "config: {socket: {type: string, default: '${GANTRY_RUNTIME_DIR}/s'}, "
            "data: {type: string, default: '${GANTRY_STATE_DIR}/d'}}\n");
  place.options().safe_mode = true;
  const auto config = [&](std::map<std::string, std::string> variables) {
    place.options().layers.environment = config::Environment::of(std::move(variables));
    const auto plan = place.plan("plugins: {one: {}}");
    INFO(place.diagnostics().to_string());
    REQUIRE(plan);
    return config::to_json(plan->settings.find("one")->config, config::Redact::kNo);
  };
  CHECK(config({{"GANTRY_RUNTIME_DIR", "/r"}, {"GANTRY_STATE_DIR", "/t"}}) ==
        "{\"socket\":\"/r/s\",\"data\":\"/t/d\"}");
  CHECK(config({{"XDG_RUNTIME_DIR", "/x"}, {"XDG_STATE_HOME", "/y"}}) ==
        "{\"socket\":\"/x/gantry/s\",\"data\":\"/y/gantry/d\"}");
  CHECK(config({{"GANTRY_RUNTIME_DIR", "/r"},
                {"GANTRY_STATE_DIR", "/t"},
                {"GANTRY_ONE_DATA", "/mine"}}) == "{\"socket\":\"/r/s\",\"data\":\"/t/d\"}");
}

TEST_CASE("a narrowed plan leaves out what is not wanted and who needs it, without blame") {
  Installation place;
  place.add("vendor", "net", "provides: [x.net/1]\n");
  place.add("vendor", "web", "requires: [x.net/1]\n");
  place.add("vendor", "tool");
  auto plan = place.plan("plugins: {net: {}, web: {}, tool: {}}");
  REQUIRE(plan);
  narrow(*plan, [](const PlannedPlugin& planned) { return planned.name != "net"; });
  CHECK(plan->resolution.order == std::vector<std::string>{"tool"});
  CHECK(!plan->find("web")->enabled);
  holds(plan->find("web")->refused, "not started for this command: requires x.net/1");
}

}  // namespace
}  // namespace gantry::plugin
