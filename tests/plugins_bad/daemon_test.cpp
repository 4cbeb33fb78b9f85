// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../../kernel/tests/test_files.hpp"
#include "daemon_process.hpp"

namespace gantry::test {
namespace {

std::string bad_dir() {
  const char* dir = std::getenv("GANTRY_BUILD_DIR");
  return std::string(dir == nullptr ? "." : dir) + "/tests/plugins_bad";
}

// A configuration of its own, so that neither the user's nor the installed one plays a part.
class Setup {
 public:
  explicit Setup(const std::string& config) {
    dir_.write("profiles/test.yaml", "{}\n");
    write(config);
  }
  void write(const std::string& config) { dir_.write("gantry.yaml", "profile: test\n" + config); }
  std::vector<std::string> arguments(std::vector<std::string> words) const {
    words.insert(words.end(),
                 {"--config", (dir_.path() / "gantry.yaml").string(), "--plugin-dir", bad_dir()});
    return words;
  }

 private:
  TempDir dir_;
};

TEST_CASE("SIGTERM ends the daemon with everything flushed") {
  const Setup setup("plugins: {actor_a: {}}");
  DaemonProcess daemon(setup.arguments({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  daemon.send(SIGTERM);
  const Exit exit = daemon.wait();
  CHECK(exit.code == 0);
  CHECK(exit.seconds < 5);
  CHECK(daemon.log().find("kernel: stopped") != std::string::npos);
}

TEST_CASE("run --json logs JSON lines") {
  const Setup setup("plugins: {actor_a: {}}");
  DaemonProcess daemon(setup.arguments({"run", "--json"}));
  REQUIRE(daemon.wait_for("\"ready\""));
  CHECK(daemon.log().find('{') == 0);
  daemon.send(SIGTERM);
  CHECK(daemon.wait().code == 0);
}

TEST_CASE("a plugin that hangs in stop is left behind, and the daemon still ends in time") {
  const Setup setup("plugins: {hangs_in_stop: {}, actor_a: {}}");
  DaemonProcess daemon(setup.arguments({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  daemon.send(SIGTERM);
  const Exit exit = daemon.wait();
  INFO(daemon.log());
  CHECK(exit.exited);
  CHECK(exit.code == 70);
  CHECK(exit.seconds < 5);
  CHECK(daemon.log().find("plugin left behind name=hangs_in_stop") != std::string::npos);
  CHECK(daemon.log().find("left_behind=hangs_in_stop") != std::string::npos);
}

TEST_CASE("what a command without a daemon printed is seen, although a plugin hangs in stop") {
  const Setup setup("kernel: {stop_timeout: 50ms}\nplugins: {hangs_in_stop: {}}");
  std::string output;
  CHECK(run_gantry(setup.arguments({"call", "test.hangs.echo/1", R"({"text":"there"})"}), output) ==
        70);
  CHECK(output == "{\"text\":\"there\"}\n");
}

TEST_CASE("a plugin that hangs in start fails after its time, and the daemon is ready without it") {
  const Setup setup("kernel: {start_timeout: 200ms}\nplugins: {hangs_in_start: {}, actor_a: {}}");
  DaemonProcess daemon(setup.arguments({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  CHECK(daemon.log().find("start did not return within 200 ms") != std::string::npos);
  daemon.send(SIGTERM);
  CHECK(daemon.wait().seconds < 5);
}

TEST_CASE("a second signal ends it at once") {
  const Setup setup("plugins: {hangs_in_stop: {}}");
  DaemonProcess daemon(setup.arguments({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  daemon.send(SIGTERM);
  daemon.send(SIGINT);
  const Exit exit = daemon.wait();
  INFO("status " << exit.code << ", " << daemon.log());
  // Had it waited for the plugin, it would have ended with 70.
  CHECK((exit.code == 128 + SIGINT || exit.code == 128 + SIGTERM));
}

TEST_CASE("the echo of a signal is no second one") {
  const Setup setup("plugins: {actor_a: {}}");
  DaemonProcess daemon(setup.arguments({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  for (int i = 0; i < 3; ++i) daemon.send(SIGTERM);
  const Exit exit = daemon.wait();
  INFO("status " << exit.code << ", " << daemon.log());
  CHECK(exit.code == 0);
}

namespace {

void reload(Setup& setup, DaemonProcess& daemon, const std::string& text, const std::string& told) {
  setup.write(text);
  daemon.send(SIGHUP);
  const bool was_told = daemon.wait_for(told);
  INFO(daemon.log());
  CHECK(was_told);
}

}  // namespace

TEST_CASE("SIGHUP reloads, and a wrong file changes nothing") {
  Setup setup("plugins: {actor_a: {}}");
  DaemonProcess daemon(setup.arguments({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  reload(setup, daemon, "plugins: {actor_a: {config: {greeting: salve}}}",
         "configuration reloaded changes=1");
  CHECK(daemon.log().find("plugin reconfigured name=actor_a") != std::string::npos);
  reload(setup, daemon, "plugins: {actor_a: {config: {greting: x}}}", "configuration not reloaded");
  CHECK(daemon.wait_for("Did you mean 'greeting'?"));
  daemon.send(SIGTERM);
  CHECK(daemon.wait().code == 0);
}

TEST_CASE("a reload tells how many plugins it started and stopped, and what changed") {
  Setup setup("plugins: {actor_a: {}}");
  DaemonProcess daemon(setup.arguments({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  const auto counted = [&](const std::string& plugins, const std::string& counts) {
    reload(setup, daemon, "plugins: {" + plugins + "}", "configuration reloaded " + counts);
  };
  counted("actor_a: {}, actor_b: {}, actor_lazy: {}", "changes=0 started=1 stopped=0");
  const std::string louder = "actor_a: {config: {volume: 7}}";
  // What needs it starts anew with it, and what is not open yet has keys that change as well.
  counted(louder + ", actor_b: {}, actor_lazy: {config: {volume: 7}}",
          "changes=2 started=2 stopped=2");
  counted(louder, "changes=0 started=0 stopped=1");
  // Being enabled is no change of a key, whatever the defaults are.
  counted(louder + ", actor_b: {enabled: false}", "changes=0 started=0 stopped=0");
  counted("actor_a: {config: {volume: 8}}, actor_b: {}", "changes=1 started=2 stopped=1");
  counted(louder + ", actor_b: {enabled: false}", "changes=1 started=1 stopped=2");
  counted("actor_a: {config: {volume: 7, fail_reconfigure: true}}",
          "changes=1 started=0 stopped=1");
  daemon.send(SIGTERM);
  CHECK(daemon.wait().code == 0);
}

TEST_CASE("SIGHUP takes nothing over that check refuses, but for what was so at the start") {
  Setup setup("plugins: {actor_a: {}, nowhere: {}}");
  DaemonProcess daemon(setup.arguments({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  reload(setup, daemon, "plugins: {actor_a: {config: {greeting: salve}}, nowhere: {}, neither: {}}",
         "configuration not reloaded");
  CHECK(daemon.wait_for("plugins.neither: is not installed"));
  CHECK(daemon.log().find("plugin reconfigured name=actor_a") == std::string::npos);
  reload(setup, daemon, "\n\nplugins: {actor_a: {config: {greeting: ave}}, nowhere: {}}",
         "configuration reloaded changes=1");
  daemon.send(SIGTERM);
  CHECK(daemon.wait().code == 0);
}

TEST_CASE("a wrong configuration is refused with its place, before anything starts") {
  const Setup setup("plugins:\n  actor_a:\n    config:\n      volume: loud\n");
  DaemonProcess daemon(setup.arguments({"run"}));
  const Exit exit = daemon.wait();
  CHECK(exit.code == 78);
  CHECK(daemon.log().find("gantry.yaml:5: error: plugins.actor_a.config.volume: found text 'loud', "
                          "allowed: int in 0…11") != std::string::npos);
}

TEST_CASE("safe mode opens with defaults only") {
  const Setup setup("plugins: {actor_a: {config: {greeting: mine, must_exist: /no/such}}}");
  DaemonProcess daemon(setup.arguments({"run", "--safe-mode"}));
  REQUIRE(daemon.wait_for("ready version="));
  CHECK(daemon.log().find("actor_a: acting greeting=hello") != std::string::npos);
  daemon.send(SIGTERM);
  CHECK(daemon.wait().code == 0);
}

// Two plugins in one installation that claim routes of one listener; their libraries are never
// opened.
TEST_CASE("check names both plugins that want one route, and both keys that want one port") {
  const TempDir dir;
  const auto add = [&](const std::string& name, const std::string& path) {
    dir.write("plugins/" + name + "/" + name + ".so", "");
    dir.write(
        "plugins/" + name + "/plugin.yaml",
        "name: " + name +
            "\nversion: 1\nabi: 1.0\nsummary: S.\nmounts: [{listener: web, "
            "prefix_key: prefix, paths: ['" +
            path +
            "']}]\nconfig: {prefix: {type: string, "
            "default: ''}, port: {type: int, default: 0}, host: {type: string, default: ''}}\n");
  };
  add("one", "/api/{id}");
  add("two", "/api/{name}");
  dir.write("profiles/test.yaml", "{}\n");
  const auto check = [&](const std::string& config, int code) {
    const auto file = dir.write("gantry.yaml", "profile: test\n" + config);
    std::string output;
    CHECK(run_gantry({"check", "--json", "--config", file.string(), "--plugin-dir",
                      (dir.path() / "plugins").string()},
                     output) == code);
    return output;
  };
  const auto overlap = check("plugins: {one: {}, two: {}}", 1);
  INFO(overlap);
  CHECK(overlap.find("mounts /api/{name} on the listener web, where plugin one mounts /api/{id}") !=
        std::string::npos);
  check("plugins: {one: {}, two: {config: {prefix: /two}}}", 0);
  const auto port =
      check("plugins: {one: {config: {port: 80}}, two: {config: {port: 80, prefix: /two}}}", 1);
  CHECK(port.find("port 80 is also wanted by plugins.one.config.port") != std::string::npos);
  check(
      "plugins: {one: {config: {port: 80, host: 0.0.0.0}}, "
      "two: {config: {port: 80, host: 127.0.0.1, prefix: /two}}}",
      1);
  check(
      "plugins: {one: {config: {port: 80, host: 127.0.0.2}}, "
      "two: {config: {port: 80, host: 127.0.0.1, prefix: /two}}}",
      0);
}

TEST_CASE("check warns of settings for a listener that nobody uses") {
  const TempDir dir;
  dir.write("plugins/web/web.so", "");
  dir.write("plugins/web/plugin.yaml",
            "name: web\nversion: 1\nabi: 1.0\nsummary: S.\n"
            "mounts: [{listener: observer, paths: [/]}]\n"
            "config: {listeners: {type: map, default: {}}}\n");
  dir.write("profiles/test.yaml", "{}\n");
  const auto check = [&](const std::string& listener) {
    const auto file =
        dir.write("gantry.yaml", "profile: test\nplugins: {web: {config: {listeners: {" + listener +
                                     ": {token: x}}}}}\n");
    std::string output;
    CHECK(run_gantry({"check", "--json", "--config", file.string(), "--plugin-dir",
                      (dir.path() / "plugins").string()},
                     output) == 0);
    return output;
  };
  CHECK(check("observer").find("warning") == std::string::npos);
  const auto slip = check("obsrver");
  INFO(slip);
  CHECK(slip.find("plugins.web.config.listeners.obsrver") != std::string::npos);
  CHECK(slip.find("Did you mean 'observer'?") != std::string::npos);
}

TEST_CASE("check foresees a listener that other machines reach and nobody guards") {
  const TempDir dir;
  dir.write("plugins/web/web.so", "");
  dir.write("plugins/web/plugin.yaml",
            "name: web\nversion: 1\nabi: 1.0\nsummary: S.\n"
            "mounts: [{listener: page, paths: [/, /more]}]\n"
            "config: {host: {type: string, default: 127.0.0.1}, "
            "bearer_token: {type: string, secret: true, default: ''}, "
            "api_key: {type: string, secret: true, default: ''}, "
            "listeners: {type: map, default: {}, entries: {type: map, keys: {"
            "address: {type: string, default: ''}, token: {type: string, secret: true}}}}}\n");
  dir.write("profiles/test.yaml", "{}\n");
  struct Row {
    std::string config;
    std::string refused;  // the key that is named; empty: all is good
  };
  const std::vector<Row> rows{
      {"", ""},
      {"host: '::1'", ""},
      {"host: 127.8.0.1", ""},
      {"host: 0.0.0.0", "plugins.web.config.host"},
      {"host: '::'", "plugins.web.config.host"},
      {"host: '[::]', api_key: x", "plugins.web.config.host"},
      {"host: 192.0.2.7, bearer_token: ''", "plugins.web.config.host"},
      {"host: 0.0.0.0, bearer_token: x", ""},
      {"host: 0.0.0.0, listeners: {page: {token: x}}", ""},
      {"host: 0.0.0.0, listeners: {page: {address: '127.0.0.1:80'}}", ""},
      {"host: 0.0.0.0, listeners: {page: {address: 'unix:/run/page.sock'}}", ""},
      {"listeners: {page: {address: '[::]:80'}}", "plugins.web.config.listeners.page.address"},
      {"listeners: {page: {address: '192.0.2.7:80', token: x}}", ""},
  };
  for (const auto& row : rows) {
    const auto file =
        dir.write("gantry.yaml", "profile: test\nplugins: {web: {config: {" + row.config + "}}}\n");
    std::string output;
    const int code = run_gantry({"check", "--json", "--config", file.string(), "--plugin-dir",
                                 (dir.path() / "plugins").string()},
                                output);
    INFO(row.config << "\n" << output);
    CHECK(code == (row.refused.empty() ? 0 : 1));
    CHECK((output.find("can be reached from other machines") == std::string::npos) ==
          row.refused.empty());
    if (row.refused.empty()) continue;
    CHECK(output.find("\"path\":\"" + row.refused + "\"") != std::string::npos);
  }
}

TEST_CASE("check foresees folders in the way of a route, of each other, and open to everybody") {
  const TempDir dir;
  dir.write("plugins/web/web.so", "");
  dir.write("plugins/web/plugin.yaml",
            "name: web\nversion: 1\nabi: 1.0\nsummary: S.\n"
            "mounts: [{listener: page, paths: ['/api/*']}]\nconfig: {}\n");
  dir.write("plugins/door/door.so", "");
  dir.write(
      "plugins/door/plugin.yaml",
      "name: door\nversion: 1\nabi: 1.0\nsummary: S.\n"
      "config: {static: {type: list, default: [], items: {type: map, keys: {"
      "listener: {type: string, required: true}, prefix: {type: string, default: /files/}}}}, "
      "listeners: {type: map, default: {}, entries: {type: map, keys: {"
      "address: {type: string, default: ''}, token: {type: string, secret: true}}}}}\n");
  dir.write("profiles/test.yaml", "{}\n");
  struct Row {
    std::string config;
    std::string refused;  // part of the finding; empty: all is good
  };
  const std::vector<Row> rows{
      {"static: [{listener: page}]", ""},
      {"static: [{listener: page, prefix: /api}]",
       "mounts /api/* on the listener page, where plugin"},
      {"static: [{listener: page}, {listener: page, prefix: /files}]", "mounts /files/* on"},
      {"static: [{listener: page}, {listener: other}], listeners: {other: {address: '[::1]:80'}}",
       ""},
      {"static: [{listener: other}], listeners: {other: {address: '0.0.0.0:80'}}",
       "can be reached from other machines"},
      {"static: [{listener: other}], listeners: {other: {address: '0.0.0.0:80', token: x}}", ""},
  };
  for (const auto& row : rows) {
    const auto file = dir.write(
        "gantry.yaml", "profile: test\nplugins: {web: {}, door: {config: {" + row.config + "}}}\n");
    std::string output;
    const int code = run_gantry({"check", "--json", "--config", file.string(), "--plugin-dir",
                                 (dir.path() / "plugins").string()},
                                output);
    INFO(row.config << "\n" << output);
    CHECK(code == (row.refused.empty() ? 0 : 1));
    CHECK(output.find("no enabled plugin says that it uses") == std::string::npos);
    if (!row.refused.empty()) CHECK(output.find(row.refused) != std::string::npos);
  }
}

TEST_CASE("wrong options are refused with what is allowed") {
  const Setup setup("plugins: {actor_a: {}}");
  struct Row {
    std::vector<std::string> arguments;
    int code;
    std::string part;
  };
  const std::vector<Row> rows{
      {{"trace", "--limit", "10001"}, 64, "--limit takes a number in 1…10000, found '10001'"},
      {{"trace", "--limit", "0"}, 64, "--limit takes a number in 1…10000, found '0'"},
      {{"call", "test.a.echo/1", "--timeout", "3600001"},
       64,
       "--timeout takes a number in 1…3600000"},
      {{"check", "all"}, 64, "check takes no arguments, found 'all'"},
      {{"check", "--why-not"}, 64, "there is no option --why-not"},
      {{"check", "--=x"}, 64, "there is no option --"},
      {{"check", "--", "--why-not"}, 64, "check takes no arguments, found '--why-not'"},
      {{"check", "--", "--set"}, 64, "check takes no arguments, found '--set'"},
      {{"check", "--", "--", "-h"}, 64, "check takes no arguments, found '--'"},
      {setup.arguments({"run", "--set", "actor_b.greeting=x"}), 78,
       "plugins.actor_b: the configuration does not list this plugin"},
      {setup.arguments({"run", "--set", "actor_a.volume=true"}), 78,
       "--set: error: plugins.actor_a.config.volume: found bool true, allowed: int in 0…11"},
  };
  for (const auto& row : rows) {
    DaemonProcess command(row.arguments);
    const Exit exit = command.wait();
    INFO(row.part << "\n" << command.log());
    CHECK(exit.code == row.code);
    CHECK(command.log().find(row.part) != std::string::npos);
  }
}

TEST_CASE("commands answer with documented exit codes") {
  const Setup good("plugins: {actor_a: {}}");
  const Setup refused("plugins: {missing_dependency: {}}");
  struct Row {
    std::vector<std::string> arguments;
    int code;
    std::string part;
  };
  const std::vector<Row> rows{
      {{"version"}, 0, "gantry 0.1.0 (plugin ABI 1.0)"},
      {{"--version"}, 0, "gantry 0.1.0 (plugin ABI 1.0)"},
      {{"version", "--json"}, 0, "\"abi\":\"1.0\""},
      {good.arguments({"check"}), 0, "check: all good"},
      {good.arguments({"check", "--json"}), 0, "{\"ok\":true"},
      {refused.arguments({"check"}), 1, "check: not good, 1 error: "},
      {good.arguments({"config", "show"}), 0, "greeting: \"hello\""},
      {good.arguments({"config", "show", "--set", "actor_a.greeting=salve"}), 0,
       "greeting: \"salve\""},
      {good.arguments({"config", "show", "--socket", "/no/such.sock"}), 69, ""},
      {{"config", "reference"}, 0, "# Configuration reference"},
      {{"config", "reference", "--json"}, 0, "{\"sections\":[{\"section\":\"kernel\","},
      {good.arguments({"call", "test.a.echo/1", R"({"text":"hi"})"}), 0, "\"text\":\"hi\""},
      {good.arguments({"call", "test.a.echo/1", "{"}), 1, ""},
      {good.arguments({"call", "test.none/1"}), 69, ""},
      {good.arguments({"plugins", "--json"}), 0, "\"state\":\"running\""},
      {good.arguments({"plugins", "why", "actor_a"}), 0, "actor_a 0.1.0 is running."},
      {good.arguments({"plugins", "why", "actor_a", "--json"}), 0, "[{\"name\":\"actor_a\""},
      {good.arguments({"plugins", "why", "actor_z"}), 1, ""},
      {good.arguments({"plugins", "why", "actor_z", "--json"}), 1, "{\"code\":\"not_found\""},
      {good.arguments({"plugins", "why", "actor_lazy", "--json"}), 1, "does not list it"},
      {good.arguments({"call", "test.a.echo/1", "{", "--json"}), 1,
       "\"code\":\"invalid_argument\""},
      {good.arguments({"call", "test.none/1", "--json"}), 69, "{\"contract\":\"test.none/1\""},
      {good.arguments({"call", "gantry.kernel.helth/1", "--json"}), 69,
       "Did you mean 'gantry.kernel.health/1'?"},
      {good.arguments({"contracts", "schema", "test.none/1", "--json"}), 1, "{\"error\":{"},
      {good.arguments({"contracts"}), 0, "test.a.echo/1"},
      {good.arguments({"contracts", "schema", "test.a.echo/1"}), 0, "\"request\":{"},
      {good.arguments({"trace", "--socket", "/no/such.sock"}), 69, ""},
      {good.arguments({"trace", "--json", "--socket", "/no/such.sock"}), 69, "{\"error\":{"},
      {{"version", "now"}, 64, ""},
      {{"chekc"}, 64, ""},
      {{"run", "now"}, 64, ""},
      {{"call"}, 64, ""},
      {{"check", "--set"}, 64, ""},
      {{"check", "--config", ""}, 64, ""},
      {{"check", "--config="}, 64, ""},
      {{"check", "--colour"}, 64, ""},
      {{"check", "--conf"}, 64, ""},
      {{"--help"}, 0, "usage: gantry COMMAND"},
      {{"help"}, 0, "usage: gantry COMMAND"},
      {{"ask", "--help"}, 0, "usage: gantry ask WORDS… [OPTIONS]"},
      {{"ask", "-h"}, 0, "--model MODEL"},
      {{"help", "trace"}, 0, "--limit N"},
      {{"help", "observer"}, 0, ""},  // to standard error, as all that it says
      {{"help", "chekc"}, 64, ""},
  };
  // Another daemon of this user must not be asked.
  setenv("GANTRY_RUNTIME_DIR", "/nonexistent", 1);
  for (const auto& row : rows) {
    std::string line;
    for (const auto& word : row.arguments) line += word + " ";
    INFO(line);
    std::string output;
    CHECK(run_gantry(row.arguments, output) == row.code);
    INFO(output);
    CHECK(output.find(row.part) != std::string::npos);
  }
}

}  // namespace
}  // namespace gantry::test
